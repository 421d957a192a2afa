//! What of an answer the guest may read.

use berth_domain::id::ResourceId;
use berth_domain::provider::Operation;
use serde_json::Value;

use super::exchange::Raw;
use super::permit::Permit;
use super::{Egress, blank, headers, secret_members, text};
use crate::bindings::berth::provider::http::Response;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

pub(super) fn clean(raw: Raw, permit: &Permit, egress: &Egress) -> Response {
    let injected = egress.findings.injected();
    let bytes = raw.body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&raw.body);
    let body = match serde_json::from_slice::<Value>(bytes) {
        Ok(json) => json_body(json, permit, egress),
        Err(_) => text_body(bytes, permit, egress),
    };
    Response {
        status: raw.status.as_u16(),
        headers: headers::of_response(&raw.headers, &injected),
        body: injected.scrub_bytes(&body).into_owned(),
    }
}

/// What is no JSON: an error page, a certificate, a kubeconfig.
fn text_body(bytes: &[u8], permit: &Permit, egress: &Egress) -> Vec<u8> {
    // Half a document, or two: nobody can read it, and nobody can tell what secrets stand in it.
    if matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return Vec::new();
    }
    if permit.own {
        if let Ok(content) = std::str::from_utf8(bytes) {
            text::secrets(content, &mut |secret| egress.findings.reveal(secret));
        }
        return bytes.to_vec();
    }
    text::shown(bytes)
        .map(|text| text.into_owned().into_bytes())
        .unwrap_or_default()
}

/// The document, written anew, so that nothing stands in it that was not looked at.
fn json_body(mut json: Value, permit: &Permit, egress: &Egress) -> Vec<u8> {
    let findings = &egress.findings;
    for secret in &permit.secrets {
        if secret.own && permit.own {
            for value in blank::at(&json, &secret.pointer) {
                blank::texts(value, &mut |secret| findings.reveal(secret));
            }
        } else {
            blank::blank_at(&mut json, &secret.pointer);
        }
    }
    if permit.own {
        secret_members::visit_all(&json, &mut |secret: &str| findings.reveal(secret));
    } else {
        secret_members::blank_all(&mut json);
    }
    remember_ids(&json, permit, egress);
    // A parsed document can always be written.
    serde_json::to_vec(&json).unwrap_or_default()
}

/// Remembers which ids the provider named, where the call is to learn its object's id, so that no
/// other object passes for it: in `create` those of the answer to the create itself; in `find` those
/// of objects that bear the row's own name or id.
fn remember_ids(json: &Value, permit: &Permit, egress: &Egress) {
    let learns = match egress.scope.operation {
        Operation::Create => permit.creates,
        Operation::Find => true,
        _ => false,
    };
    let Some(kind) = egress.scope.kind.as_deref().filter(|_| learns) else {
        return;
    };
    let search = IdSearch {
        egress,
        kind,
        resource: egress.scope.resource.as_ref().map(ResourceId::as_str),
        any: permit.creates,
    };
    search.look(json);
}

struct IdSearch<'a> {
    egress: &'a Egress,
    kind: &'a str,
    /// The row's own id, which an ownership label holds.
    resource: Option<&'a str>,
    /// Whether any object will do.
    any: bool,
}

impl IdSearch<'_> {
    /// Remembers the ids that are members of objects which bear our name or id at any depth; answers
    /// whether this value does.
    fn look(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_ours(text),
            Value::Array(items) => self.look_at_all(items),
            Value::Object(members) => {
                let ours = self.look_at_all(members.values());
                if ours || self.any {
                    members.values().for_each(|member| self.remember(member));
                }
                ours
            }
            _ => false,
        }
    }

    /// Looks at each, also behind the first that is ours.
    fn look_at_all<'v>(&self, values: impl IntoIterator<Item = &'v Value>) -> bool {
        let mut ours = false;
        for value in values {
            ours |= self.look(value);
        }
        ours
    }

    fn is_ours(&self, text: &str) -> bool {
        self.egress.binding.name.as_deref() == Some(text)
            || self
                .resource
                .is_some_and(|resource| text.contains(resource))
    }

    fn remember(&self, member: &Value) {
        let id = match member {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return,
        };
        if self.egress.generation.is_id(self.kind, &id) {
            self.egress.findings.name_id(&id);
        }
    }
}
