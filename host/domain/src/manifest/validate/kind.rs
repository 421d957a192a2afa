//! Rules of one kind.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{IdPattern, Kind, Manifest, Ownership};
use super::{Faults, KIND_ID_BYTES_MAX, NAMES_MAX, requests};
use crate::input::is_dotted;
use crate::metering::HOURS;
use crate::spec::SpecSchema;

pub(super) fn check(manifest: &Manifest, kind: &Kind, faults: &mut Faults) {
    id(manifest, kind, faults);
    faults.title("title", &kind.title);
    schema(kind, faults);
    outputs(kind, faults);
    place(manifest, kind, faults);
    for (field, names) in [("meters", &kind.meters), ("bookings", &kind.bookings)] {
        faults.distinct(field, names.iter().map(String::as_str), NAMES_MAX);
        for name in names.iter().filter(|name| !is_dotted(name)) {
            faults.add(
                field,
                format!("`{name}` is no name"),
                "words `[a-z][a-z0-9-]*` joined by dots, at most 64 characters",
            );
        }
    }
    if kind.meters.iter().any(|meter| meter == HOURS) {
        faults.add(
            "meters",
            format!("`{HOURS}` is the host's own"),
            "leave it out: every kind has it",
        );
    }
    if let Err(error) = IdPattern::compile(&kind.id_pattern) {
        faults.add(
            "id-pattern",
            format!("`{}` can't be used", kind.id_pattern),
            error.to_string(),
        );
    }
    requests::reads("reads", &kind.reads, faults);
    for (index, read) in kind
        .reads
        .iter()
        .enumerate()
        .filter(|(_, read)| read.path.holds().parent)
    {
        if !kind.is_child() {
            faults.add(
                format!("reads[{index}].path"),
                format!(
                    "`{}` has `{{parent}}`, and the kind has no parents",
                    read.path
                ),
                "name the kind's parents",
            );
        }
    }
    requests::writes(kind, faults);
}

fn id(manifest: &Manifest, kind: &Kind, faults: &mut Faults) {
    let words = kind
        .id
        .strip_prefix(&manifest.provider)
        .and_then(|rest| rest.strip_prefix('.'));
    if kind.id.len() > KIND_ID_BYTES_MAX || !words.is_some_and(is_dotted) {
        faults.add(
            "id",
            format!("`{}` is no kind of provider `{}`", kind.id, manifest.provider),
            format!("`{}.` and words `[a-z][a-z0-9-]*` joined by dots, at most {KIND_ID_BYTES_MAX} characters", manifest.provider),
        );
    }
}

fn schema(kind: &Kind, faults: &mut Faults) {
    if let Err(error) = SpecSchema::compile(&kind.spec_schema) {
        faults.add("spec-schema", "can't be used", error.to_string());
        return;
    }
    let has = |field: &str| {
        kind.spec_schema
            .get("properties")
            .is_some_and(|properties| properties.get(field).is_some())
    };
    let required: BTreeSet<&str> = kind
        .spec_schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    match (kind.regional, has("region") && required.contains("region")) {
        (true, false) => faults.add(
            "regional",
            "the schema has no required `region`",
            "put `region` into `properties` and `required`",
        ),
        (false, true) => faults.add(
            "regional",
            "the schema requires `region`, and the kind is not regional",
            "say that it is regional",
        ),
        _ => {}
    }
    for (list, fields) in [("updatable", &kind.updatable), ("identity", &kind.identity)] {
        faults.distinct(list, fields.iter().map(String::as_str), NAMES_MAX);
        for field in fields.iter().filter(|field| !has(field)) {
            faults.add(
                list,
                format!("the schema has no field `{field}`"),
                "name top-level fields of `properties`",
            );
        }
    }
    for field in kind.identity.iter().filter(|field| has(field)) {
        if !required.contains(field.as_str()) {
            faults.add(
                "identity",
                format!("`{field}` may be left out of a spec"),
                "put it into the schema's `required`",
            );
        }
        if kind.updatable.contains(field) {
            faults.add(
                "identity",
                format!("`{field}` is updatable too"),
                "a field that names the object can't change",
            );
        }
        if is_marked_secret(kind, field) {
            faults.add(
                "identity",
                format!("`{field}` is a secret"),
                "a secret can't be a name",
            );
        }
    }
}

fn is_marked_secret(kind: &Kind, field: &str) -> bool {
    kind.spec_schema
        .pointer("/properties")
        .and_then(|properties| properties.get(field))
        .and_then(|schema| schema.get("x-secret"))
        == Some(&Value::Bool(true))
}

fn outputs(kind: &Kind, faults: &mut Faults) {
    faults.distinct(
        "outputs",
        kind.outputs.iter().map(|output| output.name.as_str()),
        NAMES_MAX,
    );
    faults.distinct(
        "secret-outputs",
        kind.secret_outputs
            .iter()
            .map(|output| output.name.as_str()),
        NAMES_MAX,
    );
    for (list, outputs) in [
        ("outputs", &kind.outputs),
        ("secret-outputs", &kind.secret_outputs),
    ] {
        for (index, output) in outputs.iter().enumerate() {
            let fits = (1..=64).contains(&output.name.len())
                && output.name.starts_with(|c: char| c.is_ascii_alphabetic())
                && output
                    .name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if !fits {
                faults.add(
                    format!("{list}[{index}].name"),
                    format!("`{}` is no output's name", output.name),
                    "1 to 64 characters, `[A-Za-z][A-Za-z0-9_]*`",
                );
            }
            faults.title(&format!("{list}[{index}].title"), &output.title);
        }
    }
    for output in kind
        .secret_outputs
        .iter()
        .filter(|secret| kind.outputs.iter().any(|plain| plain.name == secret.name))
    {
        faults.add(
            "secret-outputs",
            format!("`{}` is a plain output too", output.name),
            "an output is either sealed or plain",
        );
    }
}

/// Where objects of the kind live, and whose they are.
fn place(manifest: &Manifest, kind: &Kind, faults: &mut Faults) {
    faults.distinct(
        "parents",
        kind.parents.iter().map(String::as_str),
        NAMES_MAX,
    );
    for parent in &kind.parents {
        if *parent == kind.id {
            faults.add("parents", "the kind is its own parent", "name another kind");
        } else if manifest.kind(parent).is_none() {
            faults.add(
                "parents",
                format!("the manifest has no kind `{parent}`"),
                "name kinds of this manifest",
            );
        }
    }
    if kind.singleton && !kind.is_child() {
        faults.add(
            "singleton",
            "the kind has no parents",
            "only a child can be its parent's single one",
        );
    }
    if kind.singleton && !kind.identity.is_empty() {
        faults.add(
            "singleton",
            "the kind has identity fields too",
            "a single child needs no name: leave `identity` empty",
        );
    }
    if kind.ownership == Ownership::Parent && !kind.is_child() {
        faults.add(
            "ownership",
            "`parent`, and the kind has no parents",
            "`labels` or `name`, or name the parents",
        );
    }
    if kind.adoptable && kind.is_child() {
        faults.add(
            "adoptable",
            "a child is taken over with its parent",
            "unset it",
        );
    }
    if kind.adoptable && kind.ownership != Ownership::Labels {
        faults.add(
            "adoptable",
            "an object without labels can't say that it was taken over",
            "unset it, or own by `labels`",
        );
    }
}

/// No kind lives, through its parents, in itself.
pub(super) fn no_circles(manifest: &Manifest, faults: &mut Faults) {
    for kind in &manifest.kinds {
        let mut above: Vec<&str> = kind
            .parents
            .iter()
            .map(String::as_str)
            .filter(|parent| *parent != kind.id)
            .collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = above.pop() {
            if id == kind.id {
                faults.add(
                    format!("kind `{}`: parents", kind.id),
                    "the kind lives, through its parents, in itself",
                    "parents form a tree",
                );
                break;
            }
            if seen.insert(id) {
                above.extend(
                    manifest
                        .kind(id)
                        .into_iter()
                        .flat_map(|parent| parent.parents.iter().map(String::as_str)),
                );
            }
        }
    }
}
