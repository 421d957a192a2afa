//! What the host lets out, by the manifest: the same rules, said natively.

use serde_json::Value;

use crate::types::{Manifest, Operation, Request, Response, SecretPointer};

/// What blanked secrets read as.
pub(super) const BLANKED: &str = "(blanked by the host)";

/// The call that is running.
pub(super) struct Running {
    pub(super) operation: Operation,
    /// The kind that it is about; `None` for a call about the whole account.
    pub(super) kind: Option<String>,
    pub(super) provider_id: Option<String>,
    pub(super) parent_id: Option<String>,
    pub(super) name: Option<String>,
}

/// Panics unless the manifest allows the request to this call. Returns the places of its answer to blank.
pub(super) fn admit(manifest: &Manifest, running: &Running, request: &Request) -> Vec<String> {
    let endpoint = manifest
        .endpoints
        .iter()
        .find(|endpoint| {
            request
                .url
                .strip_prefix(&endpoint.origin)
                .is_some_and(|rest| rest.starts_with('/'))
        })
        .unwrap_or_else(|| panic!("{} is at no endpoint of the manifest", request.url));
    let path = request
        .url
        .strip_prefix(&endpoint.origin)
        .unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let kind = running.kind.as_ref().map(|id| {
        manifest
            .kinds
            .iter()
            .find(|kind| kind.id == *id)
            .unwrap_or_else(|| panic!("the manifest has no kind {id}"))
    });
    let read = endpoint
        .reads
        .iter()
        .chain(kind.iter().flat_map(|kind| &kind.reads))
        .find(|read| read.method == request.method && running.matches(&read.path, path));
    if let Some(read) = read {
        return running.to_blank(&read.path, &read.secrets);
    }
    let write = kind
        .iter()
        .flat_map(|kind| &kind.writes)
        .find(|write| {
            write.operation == running.operation
                && write.method == request.method
                && running.matches(&write.path, path)
        })
        .unwrap_or_else(|| {
            panic!(
                "the manifest of {} allows no {} {path} in {:?}",
                running.kind.as_ref().unwrap_or(&manifest.provider),
                request.method,
                running.operation
            )
        });
    running.require_own_ids(&write.own_ids, request);
    if running.operation == Operation::Create {
        return Vec::new();
    }
    running.to_blank(&write.path, &write.secrets)
}

/// Replaces what is at these pointers.
pub(super) fn blank(response: &mut Response, pointers: &[String]) {
    if pointers.is_empty() {
        return;
    }
    let Ok(mut body) = serde_json::from_slice::<Value>(&response.body) else {
        return;
    };
    for pointer in pointers {
        each(&mut body, pointer, &mut |secret| {
            *secret = Value::from(BLANKED)
        });
    }
    response.body = body.to_string().into_bytes();
}

impl Running {
    /// A call about no object and no kind.
    pub(super) fn about_account(operation: Operation) -> Self {
        Self {
            operation,
            kind: None,
            provider_id: None,
            parent_id: None,
            name: None,
        }
    }

    fn matches(&self, template: &str, path: &str) -> bool {
        let (template, path): (Vec<_>, Vec<_>) =
            (template.split('/').collect(), path.split('/').collect());
        template.len() == path.len()
            && template
                .iter()
                .zip(path)
                .all(|(template, segment)| match *template {
                    "{any}" => !segment.is_empty(),
                    "{id}" => is(segment, self.provider_id.as_deref()),
                    "{parent}" => is(segment, self.parent_id.as_deref()),
                    "{name}" => is(segment, self.name.as_deref()),
                    literal => literal == segment,
                })
    }

    fn to_blank(&self, template: &str, secrets: &[SecretPointer]) -> Vec<String> {
        let own_path = template.contains("{id}")
            || (template.contains("{parent}") && template.contains("{name}"));
        let sees_own = own_path
            && matches!(
                self.operation,
                Operation::Create | Operation::Observe | Operation::Update
            );
        secrets
            .iter()
            .filter(|secret| !(secret.own && sees_own))
            .map(|secret| secret.pointer.clone())
            .collect()
    }

    fn require_own_ids(&self, pointers: &[String], request: &Request) {
        let mut body: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default())
            .unwrap_or(Value::Null);
        for pointer in pointers {
            let mut places = 0;
            each(&mut body, pointer, &mut |place| {
                places += 1;
                assert_eq!(
                    place.as_str(),
                    self.provider_id.as_deref(),
                    "{pointer} of the body must be the call's own provider id"
                );
            });
            assert!(places > 0, "the body has no {pointer}");
        }
    }
}

fn is(segment: &str, value: Option<&str>) -> bool {
    value.is_some_and(|value| segment == value || segment == percent_encoded(value))
}

fn percent_encoded(value: &str) -> String {
    value
        .bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// Calls `visit` for every place that the pointer names; `*` stands for every item or member.
fn each(value: &mut Value, pointer: &str, visit: &mut impl FnMut(&mut Value)) {
    let Some(rest) = pointer.strip_prefix('/') else {
        visit(value);
        return;
    };
    let (segment, rest) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, ""),
    };
    match (segment, value) {
        ("*", Value::Array(items)) => items.iter_mut().for_each(|item| each(item, rest, visit)),
        ("*", Value::Object(members)) => members
            .values_mut()
            .for_each(|member| each(member, rest, visit)),
        (_, Value::Object(members)) => {
            if let Some(member) = members.get_mut(segment) {
                each(member, rest, visit);
            }
        }
        (_, Value::Array(items)) => {
            if let Some(item) = segment
                .parse()
                .ok()
                .and_then(|index: usize| items.get_mut(index))
            {
                each(item, rest, visit);
            }
        }
        _ => {}
    }
}
