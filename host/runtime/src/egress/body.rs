//! What a request carries: whose ids it names, and the secrets that are put into it.

use std::collections::{BTreeMap, BTreeSet};

use berth_domain::secret::{SecretRef, SecretText};
use bytes::Bytes;
use serde_json::Value;

use super::blank;
use crate::limits::Limits;
use crate::ports::PortError;

/// Why a body is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unsent {
    /// For the guest, whose error a tenant may read.
    pub(super) text: String,
    /// For the operator alone.
    pub(super) cause: Option<String>,
}

impl From<String> for Unsent {
    fn from(text: String) -> Self {
        Self { text, cause: None }
    }
}

/// A request's body as the guest wrote it.
#[derive(Debug, Default)]
pub(super) struct Body {
    bytes: Bytes,
    json: Option<Value>,
}

impl Body {
    pub(super) fn read(bytes: Option<Vec<u8>>, limits: &Limits) -> Result<Self, String> {
        let bytes = Bytes::from(bytes.unwrap_or_default());
        if bytes.len() > limits.http_request_bytes {
            return Err(format!(
                "the body has {} bytes; at most {} are sent (`runtime.limits.httpRequestBytes`)",
                bytes.len(),
                limits.http_request_bytes
            ));
        }
        let json = if bytes.is_empty() {
            None
        } else {
            serde_json::from_slice(&bytes).ok()
        };
        Ok(Self { bytes, json })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn json(&self) -> Option<&Value> {
        self.json.as_ref()
    }

    /// The body as the guest wrote it: what the journal keeps.
    pub(super) fn as_written(&self) -> &Bytes {
        &self.bytes
    }

    /// Refuses references to secrets that this row does not have, and any in what is no write.
    pub(super) fn check_references(
        &self,
        granted: &BTreeSet<SecretRef>,
        write: bool,
    ) -> Result<(), String> {
        let mut found = BTreeSet::new();
        if let Some(json) = &self.json {
            collect_references(json, &mut found);
        }
        match found
            .iter()
            .find(|reference| !write || !granted.contains(reference))
        {
            None => Ok(()),
            Some(_) if !write => Err(
                "a read carries no SecretRef: values are put into declared writes only".to_owned(),
            ),
            Some(reference) => Err(format!(
                "`{reference}` is not put in: it stands nowhere in this resource's spec at a field that the schema marks `x-secret`"
            )),
        }
    }

    /// What is sent: the values in place of the references. `canonical` has the checked JSON written
    /// anew, so that no repeated key can show the provider something else than was checked.
    pub(super) fn to_send(
        &self,
        opened: &BTreeMap<SecretRef, Result<SecretText, PortError>>,
        canonical: bool,
    ) -> Result<Bytes, Unsent> {
        let Some(json) = &self.json else {
            return Ok(self.bytes.clone());
        };
        let mut filled = json.clone();
        let changed = fill(&mut filled, opened)?;
        if !changed && !canonical {
            return Ok(self.bytes.clone());
        }
        serde_json::to_vec(&filled)
            .map(Bytes::from)
            .map_err(|error| format!("the body can't be written: {error}").into())
    }
}

fn collect_references(value: &Value, found: &mut BTreeSet<SecretRef>) {
    match value {
        Value::String(text) => found.extend(text.parse::<SecretRef>()),
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, found)),
        Value::Object(members) => members
            .values()
            .for_each(|member| collect_references(member, found)),
        _ => {}
    }
}

/// That a secret is missing is the tenant's to know; why one does not open tells of the platform.
fn unopened(reference: &SecretRef, error: &PortError) -> Unsent {
    match error {
        PortError::NotFound(text) => {
            format!("the value of `{reference}` can't be put in: {text}").into()
        }
        PortError::Denied(text) | PortError::Unavailable(text) => Unsent {
            text: format!(
                "the value of `{reference}` can't be put in: it does not open, or may not be used here; store it again, or ask the operator, who finds the cause in the host's log"
            ),
            cause: Some(format!("{reference} can't be put in: {text}")),
        },
    }
}

fn fill(
    value: &mut Value,
    opened: &BTreeMap<SecretRef, Result<SecretText, PortError>>,
) -> Result<bool, Unsent> {
    let mut changed = false;
    match value {
        Value::String(text) => {
            if let Ok(reference) = text.parse::<SecretRef>() {
                match opened.get(&reference) {
                    Some(Ok(secret)) => {
                        *text = secret.expose().to_owned();
                        changed = true;
                    }
                    Some(Err(error)) => return Err(unopened(&reference, error)),
                    None => return Err(format!("`{reference}` is not this resource's").into()),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                changed |= fill(item, opened)?;
            }
        }
        Value::Object(members) => {
            for member in members.values_mut() {
                changed |= fill(member, opened)?;
            }
        }
        _ => {}
    }
    Ok(changed)
}

/// Each place must be there, at least once, and hold the call's own provider id.
pub(super) fn check_own_ids(
    body: Option<&Value>,
    places: &[String],
    own: Option<&str>,
) -> Result<(), String> {
    if places.is_empty() {
        return Ok(());
    }
    let Some(body) = body else {
        return Err("the body must be JSON that holds this object's own id".to_owned());
    };
    let Some(own) = own else {
        return Err("this object has no provider id yet".to_owned());
    };
    for place in places {
        let found = blank::at(body, place);
        if found.is_empty() {
            return Err(format!(
                "the body must hold this object's own id at `{place}`"
            ));
        }
        let is_own = |value: &&Value| match value {
            Value::String(text) => text == own,
            Value::Number(number) => number.to_string() == own,
            _ => false,
        };
        if !found.iter().all(is_own) {
            return Err(format!(
                "the body holds another id than this object's own at `{place}`"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(text: &str) -> Body {
        Body::read(Some(text.as_bytes().to_vec()), &Limits::default()).unwrap()
    }

    fn reference(text: &str) -> SecretRef {
        text.parse().unwrap()
    }

    #[test]
    fn a_whole_reference_becomes_its_value_and_the_written_body_stays() {
        let body = body(r#"{"a":{"token":"secret://t/x"},"b":"see secret://t/x"}"#);
        let opened = BTreeMap::from([(
            reference("secret://t/x"),
            Ok(SecretText::new("va\"lue".to_owned())),
        )]);
        assert_eq!(
            body.to_send(&opened, false).unwrap(),
            r#"{"a":{"token":"va\"lue"},"b":"see secret://t/x"}"#
        );
        assert!(
            body.as_written()
                .starts_with(br#"{"a":{"token":"secret://t/x"}"#)
        );
    }

    #[test]
    fn a_reference_of_another_row_and_one_in_a_read_are_refused() {
        let granted = BTreeSet::from([reference("secret://t/x")]);
        assert!(
            body(r#"["secret://t/x"]"#)
                .check_references(&granted, true)
                .is_ok()
        );
        assert!(
            body(r#"["secret://t/y"]"#)
                .check_references(&granted, true)
                .unwrap_err()
                .contains("secret://t/y")
        );
        assert!(
            body(r#"["secret://t/x"]"#)
                .check_references(&granted, false)
                .is_err()
        );
    }

    #[test]
    fn a_value_that_cannot_be_opened_is_said() {
        let opened = BTreeMap::from([(
            reference("secret://t/x"),
            Err(PortError::NotFound("no secret `x`".to_owned())),
        )]);
        assert_eq!(
            body(r#"["secret://t/x"]"#)
                .to_send(&opened, false)
                .unwrap_err()
                .text,
            "the value of `secret://t/x` can't be put in: no secret `x`"
        );
    }

    #[test]
    fn a_body_names_its_own_object_and_no_other() {
        let places = ["/resources/*/resource_id".to_owned()];
        let check = |body: Value| check_own_ids(Some(&body), &places, Some("own"));
        assert!(check(json!({"resources": [{"resource_id": "own"}]})).is_ok());
        assert!(
            check(json!({"resources": [{"resource_id": "own"}, {"resource_id": "other"}]}))
                .unwrap_err()
                .contains("another id")
        );
        assert!(check(json!({"resources": [{"resource_id": "own"}, {}]})).is_ok());
        assert!(
            check(json!({"resources": []}))
                .unwrap_err()
                .contains("must hold")
        );
        assert!(check(json!({"resources": [{"resource_id": ["own"]}]})).is_err());
        assert!(check_own_ids(None, &places, Some("own")).is_err());
        assert!(
            check_own_ids(
                Some(&json!({"resources": [{"resource_id": "own"}]})),
                &places,
                None
            )
            .is_err()
        );
    }

    #[test]
    fn a_repeated_key_can_not_show_the_provider_another_id() {
        let body = body(r#"{"id":"neighbour","id":"own"}"#);
        assert!(check_own_ids(body.json(), &["/id".to_owned()], Some("own")).is_ok());
        assert_eq!(
            body.to_send(&BTreeMap::new(), true).unwrap(),
            r#"{"id":"own"}"#
        );
    }
}
