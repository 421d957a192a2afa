//! A plugin's answer, checked: it is stored, shown and acted on, so nothing passes that the interface
//! or the plugin's own manifest rules out, and no secret where it would be seen.

use std::collections::BTreeSet;

use berth_domain::label::Label;
use berth_domain::manifest::{Kind, Ownership, PathTemplate};
use berth_domain::provider::{
    Booking, Checked, MeterRate, Observation, Operation, Page, Phase, SecretOutput,
};
use berth_domain::redactor::Redactor;
use berth_domain::secret::SecretText;
use berth_domain::spec::{Spec, effective};
use berth_domain::time::Span;
use serde_json::{Map, Value};

use super::error::line;
use crate::bindings::berth::provider::types as wit;
use crate::call::{CallFailure, Findings};
use crate::load::Generation;

/// Most of a capacity, or units of a meter an hour, that one spec takes.
const AMOUNT_MAX: u64 = 1_000_000_000;
/// Most items of one page, labels of one object, fields that are pending.
const ITEMS_MAX: usize = 1_000;
const LABELS_MAX: usize = 200;
/// Longest page cursor, name, label, in bytes.
const TEXT_BYTES_MAX: usize = 4 << 10;

fn bad(text: impl Into<String>) -> CallFailure {
    CallFailure::BadAnswer(text.into())
}

/// What an observation is measured against.
pub(crate) struct Expectation<'a> {
    pub(crate) generation: &'a Generation,
    pub(crate) kind: &'a Kind,
    pub(crate) operation: Operation,
    /// The id that the host knows already.
    pub(crate) id: Option<&'a str>,
    /// What the object is called.
    pub(crate) name: Option<&'a str>,
    pub(crate) findings: &'a Findings,
    pub(crate) memo_bytes: usize,
}

pub(crate) fn observation(
    seen: wit::Observation,
    expected: &Expectation<'_>,
) -> Result<Observation, CallFailure> {
    let kind = expected.kind;
    provider_id(&seen.provider_id, expected)?;
    own_name(seen.name.as_deref(), expected)?;
    let secret_outputs = secret_outputs(seen.secret_outputs, expected)?;
    let outputs = object(&seen.outputs, "`outputs`")?;
    if let Some(name) = outputs
        .keys()
        .find(|name| !kind.outputs.iter().any(|output| output.name == **name))
    {
        return Err(bad(format!(
            "`outputs` has `{name}`, which kind `{}` does not declare",
            kind.id
        )));
    }
    let spec = seen
        .spec
        .as_deref()
        .map(|text| object(text, "`spec`"))
        .transpose()?;
    let memo = seen
        .memo
        .as_deref()
        .map(|text| memo(text, expected.memo_bytes))
        .transpose()?;
    if seen.labels.len() > LABELS_MAX {
        return Err(bad(format!(
            "{} labels; at most {LABELS_MAX} are taken",
            seen.labels.len()
        )));
    }
    let fields = kind.spec_schema.get("properties");
    if let Some(field) = seen
        .pending
        .iter()
        .find(|field| fields.is_none_or(|fields| fields.get(*field).is_none()))
    {
        return Err(bad(format!(
            "`pending` names `{field}`, which is no field of the spec of kind `{}`",
            kind.id
        )));
    }
    let redactor = expected.findings.everything();
    let phase = match seen.phase {
        wit::Phase::Converging => Phase::Converging,
        wit::Phase::Ready => Phase::Ready,
        wit::Phase::Gone => Phase::Gone,
        wit::Phase::Failed(message) => {
            no_secret(&redactor, "the failure's message", [message.as_str()])?;
            Phase::Failed(line(&message, &redactor))
        }
    };
    no_secret(&redactor, "the provider id", [seen.provider_id.as_str()])?;
    no_secret(&redactor, "the name", seen.name.as_deref())?;
    no_secret(
        &redactor,
        "a label",
        seen.labels
            .iter()
            .flat_map(|label| [label.key.as_str(), &label.value]),
    )?;
    no_secret(&redactor, "`outputs`", [seen.outputs.as_str()])?;
    no_secret(&redactor, "`spec`", seen.spec.as_deref())?;
    no_secret(&redactor, "`memo`", seen.memo.as_deref())?;
    if seen
        .name
        .as_ref()
        .is_some_and(|name| name.len() > TEXT_BYTES_MAX)
    {
        return Err(bad(format!(
            "the name has more than {TEXT_BYTES_MAX} bytes"
        )));
    }
    Ok(Observation {
        provider_id: seen.provider_id,
        name: seen.name,
        phase,
        labels: seen
            .labels
            .into_iter()
            .map(|label| Label {
                key: label.key,
                value: label.value,
            })
            .collect(),
        spec,
        pending: seen.pending,
        outputs,
        secret_outputs,
        memo,
        poll_after: seen.poll_after.map(Span),
    })
}

/// The id is the one that the host knows; or, where it knows none, one that the provider showed in
/// this call to be the row's (see the egress), or the object's own name. So no plugin can claim a
/// neighbour's object as its own. An object that is addressed by its name has no other id: one that
/// is believed to be another could never be read or deleted again.
fn provider_id(id: &str, expected: &Expectation<'_>) -> Result<(), CallFailure> {
    let shown: String = id.chars().take(100).collect();
    if !expected.generation.is_id(&expected.kind.id, id) {
        return Err(bad(format!(
            "`{shown}` is no provider id of kind `{}`, which match `{}`",
            expected.kind.id, expected.kind.id_pattern
        )));
    }
    match (expected.operation, expected.id) {
        (Operation::List, _) => Ok(()),
        (_, None) if by_name(expected.kind) && expected.name != Some(id) => Err(bad(format!(
            "it is about `{shown}`, and the call was about `{}`, by which name kind `{}` is addressed",
            expected.name.unwrap_or_default(),
            expected.kind.id
        ))),
        (_, Some(known)) if known == id => Ok(()),
        (_, Some(known)) => Err(bad(format!(
            "it is about `{shown}`, and the call was about `{known}`"
        ))),
        (_, None) if expected.findings.named_id(id) || expected.name == Some(id) => Ok(()),
        (_, None) => Err(bad(format!(
            "no answer of the provider in this call shows `{shown}` to be this resource's: an id is taken from the answer to the create, or from an object found that bears the resource's name or id"
        ))),
    }
}

/// What is addressed by its name shows that name, or none.
fn own_name(name: Option<&str>, expected: &Expectation<'_>) -> Result<(), CallFailure> {
    match (name, expected.name) {
        (None, _) if expected.kind.ownership == Ownership::Name => Err(bad(format!(
            "it has no `name`, and kind `{}` is owned by its name: without it nothing would prove whose the object is, and it could never be deleted",
            expected.kind.id
        ))),
        (Some(name), Some(wanted))
            if name != wanted
                && expected.operation != Operation::List
                && by_name(expected.kind) =>
        {
            Err(bad(format!(
                "it is about an object named `{}`, and the call was about `{wanted}`, by which name kind `{}` is addressed",
                shown(name),
                expected.kind.id
            )))
        }
        _ => Ok(()),
    }
}

/// Whether requests name an object of the kind by its name, never by an id.
fn by_name(kind: &Kind) -> bool {
    let paths = kind.reads.iter().map(|read| &read.path);
    let mut held = paths
        .chain(kind.writes.iter().map(|write| &write.path))
        .map(PathTemplate::holds);
    let named = held.clone().any(|held| held.name);
    named && !held.any(|held| held.id)
}

fn secret_outputs(
    outputs: Vec<wit::SecretOutput>,
    expected: &Expectation<'_>,
) -> Result<Vec<SecretOutput>, CallFailure> {
    let kind = expected.kind;
    if expected.operation == Operation::List && !outputs.is_empty() {
        return Err(bad(
            "an item of `list` has secret outputs; a list carries none",
        ));
    }
    let mut names = BTreeSet::new();
    let mut kept = Vec::new();
    for output in outputs {
        if !kind
            .secret_outputs
            .iter()
            .any(|declared| declared.name == output.name)
        {
            return Err(bad(format!(
                "secret output `{}` is not declared by kind `{}`",
                shown(&output.name),
                kind.id
            )));
        }
        if !names.insert(output.name.clone()) {
            return Err(bad(format!(
                "secret output `{}` is there twice",
                output.name
            )));
        }
        // Empty means that the provider did not say it this time: what is sealed stays.
        if !output.value.is_empty() {
            expected.findings.reveal(&output.value);
            kept.push(SecretOutput {
                name: output.name,
                value: SecretText::new(output.value),
            });
        }
    }
    Ok(kept)
}

/// Looks for secrets in texts as they are, and in JSON with its escapes undone (the redactor does).
fn no_secret<'t>(
    redactor: &Redactor,
    place: &str,
    texts: impl IntoIterator<Item = &'t str>,
) -> Result<(), CallFailure> {
    match texts
        .into_iter()
        .any(|text| redactor.contains(text.as_bytes()))
    {
        true => Err(CallFailure::SecretInPlain {
            place: place.to_owned(),
        }),
        false => Ok(()),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(100).filter(|c| !c.is_control()).collect()
}

fn object(text: &str, place: &str) -> Result<Map<String, Value>, CallFailure> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(bad(format!("{place} is no JSON object"))),
        Err(error) => Err(bad(format!("{place} is no JSON: {error}"))),
    }
}

fn memo(text: &str, limit: usize) -> Result<Value, CallFailure> {
    if text.len() > limit {
        return Err(bad(format!(
            "`memo` has {} bytes; at most {limit} are kept (`runtime.limits.memoBytes`)",
            text.len()
        )));
    }
    serde_json::from_str(text).map_err(|error| bad(format!("`memo` is no JSON: {error}")))
}

pub(crate) fn page(page: wit::Page, expected: &Expectation<'_>) -> Result<Page, CallFailure> {
    if page.items.len() > ITEMS_MAX {
        return Err(bad(format!(
            "a page of {} items; at most {ITEMS_MAX} are taken",
            page.items.len()
        )));
    }
    if page
        .next
        .as_ref()
        .is_some_and(|next| next.len() > TEXT_BYTES_MAX || next.is_empty())
    {
        return Err(bad(format!("`next` must have 1 to {TEXT_BYTES_MAX} bytes")));
    }
    let items = page
        .items
        .into_iter()
        .map(|item| observation(item, expected))
        .collect::<Result<_, _>>()?;
    Ok(Page {
        items,
        next: page.next,
    })
}

pub(crate) fn checked(
    checked: wit::Checked,
    spec: &Spec,
    kind: &Kind,
    generation: &Generation,
) -> Result<Checked, CallFailure> {
    let defaults = object(&checked.defaults, "`defaults`")?;
    if let Some(field) = defaults.keys().find(|field| spec.contains_key(*field)) {
        return Err(bad(format!(
            "`defaults` has `{}`, which the spec says already",
            shown(field)
        )));
    }
    if !defaults.is_empty()
        && let Some(Err(faults)) = generation
            .schema(&kind.id)
            .map(|schema| schema.validate(&effective(spec, &defaults)))
    {
        let text = faults.first().map(ToString::to_string).unwrap_or_default();
        return Err(bad(format!(
            "`defaults` do not fit the schema of kind `{}`: {text}",
            kind.id
        )));
    }
    if let Some(pointer) = checked
        .account_wide
        .iter()
        .find(|pointer| !pointer.starts_with('/'))
    {
        return Err(bad(format!(
            "`account-wide` has `{}`, which is no JSON Pointer into the spec",
            shown(pointer)
        )));
    }
    if let Some(booking) = checked
        .bookings
        .iter()
        .find(|booking| !kind.bookings.contains(&booking.name))
    {
        return Err(bad(format!(
            "books `{}`, which kind `{}` does not declare",
            shown(&booking.name),
            kind.id
        )));
    }
    if let Some(meter) = checked
        .meters
        .iter()
        .find(|meter| !kind.meters.contains(&meter.name))
    {
        return Err(bad(format!(
            "runs meter `{}`, which kind `{}` does not declare",
            shown(&meter.name),
            kind.id
        )));
    }
    let amounts = checked
        .bookings
        .iter()
        .map(|booking| (&booking.name, booking.amount))
        .chain(checked.meters.iter().map(|meter| (&meter.name, meter.rate)));
    for (name, amount) in amounts {
        if amount > AMOUNT_MAX {
            return Err(bad(format!(
                "takes {amount} of `{}`; at most {AMOUNT_MAX} is taken",
                shown(name)
            )));
        }
    }
    for list in [&checked.account_wide, &checked.instances, &checked.networks] {
        if list.len() > ITEMS_MAX {
            return Err(bad(format!(
                "a list of {} entries; at most {ITEMS_MAX} are taken",
                list.len()
            )));
        }
    }
    Ok(Checked {
        defaults,
        account_wide: checked.account_wide,
        instances: checked.instances,
        networks: checked.networks,
        bookings: checked
            .bookings
            .into_iter()
            .map(|booking| Booking {
                name: booking.name,
                amount: booking.amount,
            })
            .collect(),
        meters: checked
            .meters
            .into_iter()
            .map(|meter| MeterRate {
                name: meter.name,
                rate: meter.rate,
            })
            .collect(),
    })
}

pub(crate) fn spec_object(text: &str) -> Result<Spec, CallFailure> {
    object(text, "the upgraded spec")
}
