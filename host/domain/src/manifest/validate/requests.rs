//! Rules of declared reads and writes.

use super::super::{Kind, Manifest, Read, SecretPointer, Write};
use super::{Faults, POINTERS_MAX, REQUESTS_MAX};
use crate::provider::Operation;

const POINTER: &str =
    "a JSON Pointer such as `/users/*/password`, of at most 256 bytes; `*` is every item or member";

pub(super) fn reads(place: &str, reads: &[Read], faults: &mut Faults) {
    if reads.len() > REQUESTS_MAX {
        faults.add(
            place,
            format!("has {} entries", reads.len()),
            format!("at most {REQUESTS_MAX} are taken"),
        );
    }
    for (index, read) in reads.iter().enumerate() {
        if !matches!(read.method.as_str(), "GET" | "HEAD" | "POST") {
            faults.add(
                format!("{place}[{index}].method"),
                format!("`{}` does not read", read.method),
                "`GET`, `HEAD`, or `POST` where the API reads by it",
            );
        }
        let holds = read.path.holds();
        secrets(
            &format!("{place}[{index}]"),
            &read.secrets,
            holds.is_own(),
            faults,
        );
    }
}

fn secrets(place: &str, secrets: &[SecretPointer], may_be_own: bool, faults: &mut Faults) {
    faults.distinct(
        &format!("{place}.secrets"),
        secrets.iter().map(|secret| secret.pointer.as_str()),
        POINTERS_MAX,
    );
    for (index, secret) in secrets.iter().enumerate() {
        if !is_pointer(&secret.pointer) {
            faults.add(
                format!("{place}.secrets[{index}]"),
                format!("`{}` is no pointer", secret.pointer),
                POINTER,
            );
        }
        if secret.own && !may_be_own {
            faults.add(
                format!("{place}.secrets[{index}].own"),
                "the path does not prove whose object answers",
                "a path with `{id}`, or `{parent}` and `{name}`, or `own: false`",
            );
        }
    }
}

/// A JSON Pointer that points below the whole document.
fn is_pointer(text: &str) -> bool {
    let escapes = |segment: &str| {
        let mut rest = segment;
        while let Some((_, after)) = rest.split_once('~') {
            if !after.starts_with(['0', '1']) {
                return false;
            }
            rest = after;
        }
        true
    };
    text.starts_with('/')
        && text.len() <= 256
        && text.split('/').all(escapes)
        && !text.chars().any(char::is_control)
}

pub(super) fn writes(kind: &Kind, faults: &mut Faults) {
    if kind.writes.len() > REQUESTS_MAX {
        faults.add(
            "writes",
            format!("has {} entries", kind.writes.len()),
            format!("at most {REQUESTS_MAX} are taken"),
        );
    }
    for (index, write) in kind.writes.iter().enumerate() {
        let place = format!("writes[{index}]");
        if !write.operation.writes() {
            faults.add(
                format!("{place}.operation"),
                "this operation only reads",
                "a write belongs to `create`, `update`, `delete`, `label` or `unlabel`; a read by POST belongs into `reads`",
            );
        }
        if !matches!(write.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE") {
            faults.add(
                format!("{place}.method"),
                format!("`{}` does not write", write.method),
                "`POST`, `PUT`, `PATCH` or `DELETE`",
            );
        }
        own_ids(&place, write, faults);
        reach(kind, &place, write, faults);
        let creates = write.operation == Operation::Create;
        secrets(
            &place,
            &write.secrets,
            creates || write.path.holds().is_own(),
            faults,
        );
    }
    required(kind, faults);
}

fn own_ids(place: &str, write: &Write, faults: &mut Faults) {
    faults.distinct(
        &format!("{place}.own-ids"),
        write.own_ids.iter().map(String::as_str),
        POINTERS_MAX,
    );
    for (index, pointer) in write.own_ids.iter().enumerate() {
        if !is_pointer(pointer) {
            faults.add(
                format!("{place}.own-ids[{index}]"),
                format!("`{pointer}` is no pointer"),
                POINTER,
            );
        }
    }
    if write.operation == Operation::Create && !write.own_ids.is_empty() {
        faults.add(
            format!("{place}.own-ids"),
            "an object that is being created has no provider id yet",
            "leave it empty",
        );
    }
}

/// A write reaches the call's own object and nothing else.
fn reach(kind: &Kind, place: &str, write: &Write, faults: &mut Faults) {
    let place = format!("{place}.path");
    let holds = write.path.holds();
    if holds.parent && !kind.is_child() {
        faults.add(
            &place,
            "has `{parent}`, and the kind has no parents",
            "name the kind's parents",
        );
    }
    if holds.id && write.operation == Operation::Create {
        faults.add(
            &place,
            "has `{id}`, and an object that is being created has none yet",
            "use `{parent}` or `{name}`",
        );
    }
    if write.path.ends_in_parent() && write.method == "DELETE" {
        faults.add(&place, "would delete the parent", "a path below the parent");
    }
    if !holds.id
        && holds.name
        && kind.has_identity()
        && !holds.parent
        && write.operation != Operation::Create
    {
        faults.add(
            &place,
            "has `{name}` alone, and tenants choose the names of this kind",
            "use `{id}`, or `{parent}` and `{name}`",
        );
    }
    let own =
        holds.id || holds.name || (holds.parent && kind.singleton) || !write.own_ids.is_empty();
    match write.operation {
        // A request to a collection can only add to it.
        Operation::Create | Operation::Label if write.path.is_literal() && write.method == "POST" => {}
        Operation::Create if holds.parent && write.method != "DELETE" => {}
        Operation::Create if write.method == "DELETE" => {
            faults.add(format!("{place} and method"), "a create deletes nothing", "`POST`, `PUT` or `PATCH`");
        }
        _ if own => {}
        _ => faults.add(
            &place,
            "does not say whose object it changes",
            "a path with `{id}` or `{name}`, or places in the body that must hold the own id (`own-ids`); only a `POST` of `create` or `label` may have a path without placeholders",
        ),
    }
}

/// Operations that the kind can't do without.
fn required(kind: &Kind, faults: &mut Faults) {
    let has = |operation| kind.writes.iter().any(|write| write.operation == operation);
    if !has(Operation::Create) && !kind.adoptable {
        faults.add(
            "writes",
            "nothing creates an object of the kind",
            "declare the write of `create`, or make the kind adoptable",
        );
    }
    if !has(Operation::Delete) {
        faults.add(
            "writes",
            "nothing deletes an object of the kind",
            "declare the write of `delete`",
        );
    }
    if !kind.updatable.is_empty() && !has(Operation::Update) {
        faults.add(
            "updatable",
            "names fields, and no write of `update` is declared",
            "declare it, or leave `updatable` empty",
        );
    }
    if kind.adoptable && !has(Operation::Label) {
        faults.add(
            "adoptable",
            "no write of `label` is declared",
            "declare it, or unset `adoptable`",
        );
    }
    if kind.releasable
        && kind.ownership == super::super::Ownership::Labels
        && !has(Operation::Unlabel)
    {
        faults.add(
            "releasable",
            "no write of `unlabel` is declared",
            "declare it, or unset `releasable`",
        );
    }
}

/// A declared read by POST must not open a path that some kind writes to: it would go unjournalled.
pub(super) fn reads_are_no_writes(manifest: &Manifest, faults: &mut Faults) {
    let of_endpoints = manifest
        .endpoints
        .iter()
        .enumerate()
        .flat_map(|(at, endpoint)| {
            endpoint
                .reads
                .iter()
                .enumerate()
                .map(move |(index, read)| (format!("endpoints[{at}].reads[{index}]"), read))
        });
    let of_kinds = manifest.kinds.iter().flat_map(|kind| {
        kind.reads
            .iter()
            .enumerate()
            .map(move |(index, read)| (format!("kind `{}`: reads[{index}]", kind.id), read))
    });
    for (place, read) in of_endpoints
        .chain(of_kinds)
        .filter(|(_, read)| read.method == "POST")
    {
        for kind in &manifest.kinds {
            if let Some(write) = kind
                .writes
                .iter()
                .find(|write| write.method == "POST" && write.path.overlaps(&read.path))
            {
                faults.add(
                    &place,
                    format!(
                        "`POST {}` is also a write of kind `{}` (`{}`)",
                        read.path, kind.id, write.path
                    ),
                    "a path that is written to is never a read",
                );
            }
        }
    }
}
