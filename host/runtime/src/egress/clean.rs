//! What of an answer the guest may read.

use serde_json::Value;

use super::exchange::Raw;
use super::permit::Permit;
use super::{Egress, blank, headers, secret_members, text};
use crate::bindings::berth::provider::http::Response;
use crate::load::Generation;

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

/// Remembers which ids the provider named, where the call is to learn its object's id: in `create`
/// only from the answer to the create itself, so that no other object passes for the new one.
fn remember_ids(json: &Value, permit: &Permit, egress: &Egress) {
    use berth_domain::provider::Operation;
    let learns = egress.binding.id.is_none()
        && match egress.scope.operation {
            Operation::Create => permit.creates,
            Operation::Find => true,
            _ => false,
        };
    if learns && let Some(kind) = &egress.scope.kind {
        ids(json, kind, &egress.generation, &mut |id| {
            egress.findings.name_id(id)
        });
    }
}

fn ids(json: &Value, kind: &str, generation: &Generation, visit: &mut impl FnMut(&str)) {
    match json {
        Value::String(text) if generation.is_id(kind, text) => visit(text),
        Value::Number(number) => {
            let text = number.to_string();
            if generation.is_id(kind, &text) {
                visit(&text);
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| ids(item, kind, generation, visit)),
        Value::Object(members) => members
            .values()
            .for_each(|member| ids(member, kind, generation, visit)),
        _ => {}
    }
}
