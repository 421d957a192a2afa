//! Whether the manifest declares a request for the running operation and the call's own object.

use berth_domain::manifest::{
    Binding, Endpoint, Kind, Matched, Read, RequestPath, SecretPointer, Write,
};
use berth_domain::provider::Operation;
use serde_json::Value;

use super::body;
use super::plan::shown;

/// Templates that a refusal names.
const NAMED_MAX: usize = 8;

/// A request, as far as the manifest has a say in it.
pub(super) struct Asked<'a> {
    pub(super) kind: Option<&'a Kind>,
    pub(super) endpoint: &'a Endpoint,
    pub(super) operation: Operation,
    pub(super) method: &'a str,
    pub(super) path: &'a RequestPath,
    /// The path as the guest wrote it.
    pub(super) shown: &'a str,
    pub(super) binding: &'a Binding,
    /// The body, if it is JSON.
    pub(super) body: Option<&'a Value>,
}

/// What a declared request may do, and what of its answer may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Permit {
    /// It is a write: journalled, and its loss is ambiguous.
    pub(super) write: bool,
    /// It is the write of a create: its answer names the new object's id.
    pub(super) creates: bool,
    /// The answer is the call's own object, whose own secrets the plugin may see.
    pub(super) own: bool,
    /// Secrets of the answer, as declared.
    pub(super) secrets: Vec<SecretPointer>,
    /// Places of the body that were checked to hold the own id.
    pub(super) own_ids: Vec<String>,
}

/// Finds the declaration, or says what is missing.
pub(super) fn judge(asked: &Asked<'_>) -> Result<Permit, String> {
    if let Some(permit) = read(asked) {
        return Ok(permit);
    }
    match write(asked) {
        Some(result) => result,
        None => Err(refusal(asked)),
    }
}

fn reads<'a>(asked: &Asked<'a>) -> impl Iterator<Item = &'a Read> {
    asked
        .endpoint
        .reads
        .iter()
        .chain(asked.kind.into_iter().flat_map(|kind| &kind.reads))
}

fn writes<'a>(asked: &Asked<'a>) -> impl Iterator<Item = &'a Write> {
    let operation = asked.operation;
    asked
        .kind
        .into_iter()
        .flat_map(|kind| &kind.writes)
        .filter(move |write| write.operation == operation && operation.writes())
}

/// All declared reads that the request fits, taken together: their pointers add up, so that a wide
/// declaration can't undo what a narrow one blanks.
fn read(asked: &Asked<'_>) -> Option<Permit> {
    let fitting: Vec<(&Read, Matched)> = reads(asked)
        .filter(|read| read.method == asked.method)
        .filter_map(|read| {
            read.path
                .matches(asked.path, asked.binding)
                .map(|matched| (read, matched))
        })
        .collect();
    if fitting.is_empty() {
        return None;
    }
    let own = fitting.iter().any(|(_, matched)| matched.is_own()) && shows_own(asked.operation);
    let secrets = fitting
        .iter()
        .flat_map(|(read, _)| read.secrets.iter().cloned())
        .collect();
    Some(Permit {
        write: false,
        creates: false,
        own,
        secrets,
        own_ids: Vec::new(),
    })
}

/// Operations that read or make the one object, and seal what they are shown.
fn shows_own(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Create | Operation::Observe | Operation::Update
    )
}

fn write(asked: &Asked<'_>) -> Option<Result<Permit, String>> {
    let mut fault = None;
    for write in writes(asked).filter(|write| write.method == asked.method) {
        let Some(matched) = write.path.matches(asked.path, asked.binding) else {
            continue;
        };
        if let Err(text) =
            body::check_own_ids(asked.body, &write.own_ids, asked.binding.id.as_deref())
        {
            fault = Some(format!("`{} {}`: {text}", asked.method, shown(asked.shown)));
            continue;
        }
        let creates = asked.operation == Operation::Create;
        return Some(Ok(Permit {
            write: true,
            creates,
            own: creates || (matched.is_own() && shows_own(asked.operation)),
            secrets: write.secrets.clone(),
            own_ids: write.own_ids.clone(),
        }));
    }
    fault.map(Err)
}

fn refusal(asked: &Asked<'_>) -> String {
    let operation = format!("{:?}", asked.operation).to_lowercase();
    let request = format!("`{} {}`", asked.method, shown(asked.shown));
    let whose = asked.kind.map_or_else(
        || "the plugin".to_owned(),
        |kind| format!("kind `{}`", kind.id),
    );
    let near = reads(asked)
        .map(|read| (&read.method, &read.path))
        .chain(writes(asked).map(|write| (&write.method, &write.path)))
        .find(|(method, path)| *method == asked.method && path.resembles(asked.path));
    if let Some((method, path)) = near {
        return format!(
            "{request} is not this call's own object: `{method} {path}` is declared, and its placeholders must hold the call's own values"
        );
    }
    let reading = matches!(asked.method, "GET" | "HEAD");
    if !reading && !asked.operation.writes() {
        return format!(
            "{request} is refused: `{operation}` only reads. If the API reads by this method, declare it among the reads of {whose}"
        );
    }
    let declared: Vec<String> = if reading {
        reads(asked)
            .map(|read| format!("`{} {}`", read.method, read.path))
            .take(NAMED_MAX)
            .collect()
    } else {
        writes(asked)
            .map(|write| format!("`{} {}`", write.method, write.path))
            .take(NAMED_MAX)
            .collect()
    };
    let declared = if declared.is_empty() {
        "nothing".to_owned()
    } else {
        declared.join(", ")
    };
    let list = if reading {
        "reads".to_owned()
    } else {
        format!("writes of `{operation}`")
    };
    format!(
        "{request} is not declared: add its template to the {list} of {whose}, which declares {declared}"
    )
}
