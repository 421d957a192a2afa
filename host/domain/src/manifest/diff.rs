//! What another generation of a plugin would change for rows that live already.

use std::collections::BTreeSet;
use std::fmt;

use super::{Endpoint, Kind, Manifest, Output, Read, SecretPointer, Write};
use crate::spec::{Mark, SpecSchema};

/// When a change is refused unless an operator overrides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Liveness {
    /// While a resource of the change's kind lives.
    WhileKindLives,
    /// Always: it widens what the plugin may do.
    Always,
}

/// A change that an operator must know of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The kind, if it is about one.
    pub kind: Option<String>,
    /// What changes, readable by itself.
    pub text: String,
    /// When it is refused.
    pub refused_while: Liveness,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Some(kind) => write!(f, "kind `{kind}`: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// Every change from one manifest to another that could break a live row or widens what is granted.
///
/// New outputs, new kinds' schemas, titles and the like are no such changes and are not named.
#[must_use]
pub fn changes(old: &Manifest, new: &Manifest) -> Vec<Change> {
    let mut found = Found {
        changes: Vec::new(),
        kind: None,
    };
    if old.provider != new.provider {
        found.widened(format!(
            "provider changes from `{}` to `{}`",
            old.provider, new.provider
        ));
    }
    if old.credential != new.credential {
        found.widened(format!(
            "the credential changes from {:?} to {:?}",
            old.credential, new.credential
        ));
    }
    for endpoint in &new.endpoints {
        endpoint_changes(
            old.endpoints
                .iter()
                .find(|was| was.origin == endpoint.origin),
            endpoint,
            &mut found,
        );
    }
    for was in &old.kinds {
        found.kind = Some(was.id.clone());
        match new.kind(&was.id) {
            Some(kind) => kind_changes(was, kind, &mut found),
            None => found.breaking("the kind is gone"),
        }
    }
    for kind in new.kinds.iter().filter(|kind| old.kind(&kind.id).is_none()) {
        found.kind = Some(kind.id.clone());
        found.widened(format!("the kind is new and {}", requests(kind)));
    }
    found.changes
}

struct Found {
    changes: Vec<Change>,
    kind: Option<String>,
}

impl Found {
    fn breaking(&mut self, text: impl Into<String>) {
        self.changes.push(Change {
            kind: self.kind.clone(),
            text: text.into(),
            refused_while: Liveness::WhileKindLives,
        });
    }

    fn widened(&mut self, text: impl Into<String>) {
        self.changes.push(Change {
            kind: self.kind.clone(),
            text: text.into(),
            refused_while: Liveness::Always,
        });
    }

    fn differs<T: PartialEq + fmt::Debug>(&mut self, what: &str, old: &T, new: &T) {
        if old != new {
            self.breaking(format!("{what} changes from {old:?} to {new:?}"));
        }
    }
}

fn endpoint_changes(old: Option<&Endpoint>, new: &Endpoint, found: &mut Found) {
    let Some(old) = old else {
        let credential = if new.credential {
            ", with the account's credential"
        } else {
            ""
        };
        found.widened(format!("wants a new endpoint `{}`{credential}", new.origin));
        return;
    };
    if new.credential && !old.credential {
        found.widened(format!(
            "wants the account's credential sent to `{}`",
            new.origin
        ));
    }
    read_changes(
        &format!(" at `{}`", new.origin),
        &old.reads,
        &new.reads,
        found,
    );
}

fn kind_changes(old: &Kind, new: &Kind, found: &mut Found) {
    found.differs("family", &old.family, &new.family);
    found.differs("parents", &set(&old.parents), &set(&new.parents));
    found.differs("identity", &old.identity, &new.identity);
    found.differs("singleton", &old.singleton, &new.singleton);
    found.differs(
        "ends-with-parent",
        &old.ends_with_parent,
        &new.ends_with_parent,
    );
    found.differs("regional", &old.regional, &new.regional);
    found.differs("ownership", &old.ownership, &new.ownership);
    found.differs("bookings", &set(&old.bookings), &set(&new.bookings));
    found.differs("meters", &set(&old.meters), &set(&new.meters));
    found.differs("preview", &old.preview, &new.preview);
    found.differs("id-pattern", &old.id_pattern, &new.id_pattern);
    if old.releasable && !new.releasable {
        found.breaking("can no longer be released");
    }
    for field in old
        .updatable
        .iter()
        .filter(|field| !new.updatable.contains(field))
    {
        found.breaking(format!("field `{field}` is no longer updatable"));
    }
    output_changes(old, new, found);
    mark_changes(old, new, found);
    read_changes("", &old.reads, &new.reads, found);
    write_changes(&old.writes, &new.writes, found);
}

fn set(names: &[String]) -> BTreeSet<&str> {
    names.iter().map(String::as_str).collect()
}

fn output_changes(old: &Kind, new: &Kind, found: &mut Found) {
    let has = |outputs: &[Output], name: &str| outputs.iter().any(|output| output.name == name);
    for output in &old.secret_outputs {
        if has(&new.outputs, &output.name) {
            found.widened(format!(
                "secret output `{}` becomes a plain one",
                output.name
            ));
        } else if !has(&new.secret_outputs, &output.name) {
            found.breaking(format!("secret output `{}` is gone", output.name));
        }
    }
    for output in &old.outputs {
        if has(&new.secret_outputs, &output.name) {
            found.breaking(format!("output `{}` becomes a secret one", output.name));
        } else if !has(&new.outputs, &output.name) {
            found.breaking(format!("output `{}` is gone", output.name));
        }
    }
}

/// Compares where the marks stand in the two schemas.
fn mark_changes(old: &Kind, new: &Kind, found: &mut Found) {
    let places = |kind: &Kind, mark| {
        SpecSchema::compile(&kind.spec_schema)
            .map(|schema| {
                schema
                    .mark_places(mark)
                    .into_iter()
                    .collect::<BTreeSet<_>>()
            })
            .unwrap_or_default()
    };
    for mark in [
        Mark::Secret,
        Mark::AccountWide,
        Mark::Instances,
        Mark::Networks,
    ] {
        let (was, is) = (places(old, mark), places(new, mark));
        for place in was.difference(&is) {
            found.breaking(format!(
                "the mark `{}` is gone at `{place}` of the schema",
                mark.keyword()
            ));
        }
        for place in is.difference(&was) {
            found.breaking(format!(
                "the mark `{}` is new at `{place}` of the schema",
                mark.keyword()
            ));
        }
    }
}

fn read_changes(whose: &str, old: &[Read], new: &[Read], found: &mut Found) {
    for read in new {
        let Some(was) = old
            .iter()
            .find(|was| was.method == read.method && was.path == read.path)
        else {
            found.widened(format!(
                "wants a new read{whose}: `{} {}`",
                read.method, read.path
            ));
            continue;
        };
        for pointer in less_blanked(&was.secrets, &read.secrets) {
            found.widened(format!(
                "no longer has `{pointer}` blanked in the answer to `{} {}`",
                read.method, read.path
            ));
        }
    }
}

fn write_changes(old: &[Write], new: &[Write], found: &mut Found) {
    for write in new {
        let same = |was: &&Write| {
            was.operation == write.operation && was.method == write.method && was.path == write.path
        };
        let Some(was) = old.iter().find(same) else {
            found.widened(format!("wants a new write: {}", described(write)));
            continue;
        };
        for pointer in was
            .own_ids
            .iter()
            .filter(|pointer| !write.own_ids.contains(pointer))
        {
            found.widened(format!(
                "no longer has its own id demanded at `{pointer}` of {}",
                described(write)
            ));
        }
        for pointer in less_blanked(&was.secrets, &write.secrets) {
            found.widened(format!(
                "no longer has `{pointer}` blanked in the answer to {}",
                described(write)
            ));
        }
    }
}

/// Pointers that were blanked everywhere, or everywhere but in the own object, and are less so now.
fn less_blanked<'a>(
    old: &'a [SecretPointer],
    new: &'a [SecretPointer],
) -> impl Iterator<Item = &'a str> {
    old.iter()
        .filter(|was| {
            !new.iter()
                .any(|is| is.pointer == was.pointer && (was.own || !is.own))
        })
        .map(|was| was.pointer.as_str())
}

fn described(write: &Write) -> String {
    format!(
        "`{} {}` in {}",
        write.method,
        write.path,
        format!("{:?}", write.operation).to_lowercase()
    )
}

/// What a new kind would send.
fn requests(kind: &Kind) -> String {
    let writes: Vec<String> = kind.writes.iter().map(described).collect();
    let reads: Vec<String> = kind
        .reads
        .iter()
        .map(|read| format!("`{} {}`", read.method, read.path))
        .collect();
    format!("reads {} and writes {}", listed(&reads), listed(&writes))
}

fn listed(items: &[String]) -> String {
    if items.is_empty() {
        "nothing".to_owned()
    } else {
        items.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::validate::tests::sound;
    use super::super::{CredentialType, Ownership};
    use super::*;

    fn after(change: impl FnOnce(&mut Manifest)) -> String {
        let old = sound();
        let mut new = old.clone();
        change(&mut new);
        changes(&old, &new)
            .iter()
            .map(|change| format!("{:?}: {change}", change.refused_while))
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn the_same_manifest_changes_nothing() {
        assert_eq!(after(|_| {}), "");
    }

    #[test]
    fn what_only_adds_for_tenants_is_no_change() {
        assert_eq!(
            after(|new| {
                new.version = "0.2.0".into();
                new.kinds[0].outputs.push(Output {
                    name: "port".into(),
                    title: "Port".into(),
                });
                new.kinds[0].updatable.push("region".into());
            }),
            ""
        );
    }

    #[test]
    fn what_would_break_live_rows_is_refused_while_they_live() {
        insta::assert_snapshot!(after(|new| {
            new.kinds.remove(1);
            let kind = &mut new.kinds[0];
            kind.family = super::super::Family::Storage;
            kind.identity = vec!["size".into()];
            kind.ownership = Ownership::Name;
            kind.bookings = vec!["gpus".into()];
            kind.meters = vec!["storage".into()];
            kind.preview = true;
            kind.releasable = false;
            kind.updatable.clear();
            kind.outputs.clear();
            kind.spec_schema["properties"]["size"]["x-secret"] = json!(true);
        }), @r#"
        WhileKindLives: kind `do.database.pg`: family changes from Data to Storage
        WhileKindLives: kind `do.database.pg`: identity changes from [] to ["size"]
        WhileKindLives: kind `do.database.pg`: ownership changes from Labels to Name
        WhileKindLives: kind `do.database.pg`: bookings changes from {} to {"gpus"}
        WhileKindLives: kind `do.database.pg`: meters changes from {} to {"storage"}
        WhileKindLives: kind `do.database.pg`: preview changes from false to true
        WhileKindLives: kind `do.database.pg`: can no longer be released
        WhileKindLives: kind `do.database.pg`: field `size` is no longer updatable
        WhileKindLives: kind `do.database.pg`: output `host` is gone
        WhileKindLives: kind `do.database.pg`: the mark `x-secret` is new at `/properties/size` of the schema
        WhileKindLives: kind `do.database.user`: the kind is gone
        "#);
    }

    #[test]
    fn what_widens_the_grant_is_always_refused() {
        insta::assert_snapshot!(after(|new| {
            new.credential = CredentialType::None;
            new.endpoints.push(Endpoint { origin: "https://evil.example.com".into(), credential: true, reads: Vec::new() });
            new.endpoints[0].reads.push(Read { method: "GET".into(), path: "/v2/account".parse().unwrap(), secrets: Vec::new() });
            let kind = &mut new.kinds[0];
            kind.reads[0].secrets.clear();
            kind.writes[4].own_ids.clear();
            kind.writes.push(Write { operation: crate::provider::Operation::Delete, method: "DELETE".into(), path: "/v2/All/{id}".parse().unwrap(), own_ids: Vec::new(), secrets: Vec::new() });
            kind.outputs.push(kind.secret_outputs.remove(0));
            let mut twin = new.kinds[1].clone();
            twin.id = "do.twin".into();
            new.kinds.push(twin);
        }), @r"
        Always: the credential changes from Bearer to None
        Always: wants a new read at `https://api.digitalocean.com`: `GET /v2/account`
        Always: wants a new endpoint `https://evil.example.com`, with the account's credential
        Always: kind `do.database.pg`: secret output `password` becomes a plain one
        Always: kind `do.database.pg`: no longer has `/databases/*/connection/password` blanked in the answer to `GET /v2/databases`
        Always: kind `do.database.pg`: no longer has its own id demanded at `/resources/*/resource_id` of `POST /v2/tags/{any}/resources` in label
        Always: kind `do.database.pg`: wants a new write: `DELETE /v2/All/{id}` in delete
        Always: kind `do.twin`: the kind is new and reads `GET /v2/databases/{parent}/users/{name}` and writes `POST /v2/databases/{parent}/users` in create, `DELETE /v2/databases/{parent}/users/{name}` in delete
        ");
    }

    #[test]
    fn a_secret_that_is_blanked_more_is_no_widening() {
        assert_eq!(
            after(|new| new.kinds[0].reads[1].secrets[0].own = false),
            ""
        );
    }
}
