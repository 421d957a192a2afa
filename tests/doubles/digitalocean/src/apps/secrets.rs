//! Secret values in app specs: encrypted on arrival, shown as ciphertext ever after.

use std::collections::HashMap;

use serde_json::Value;

use crate::error::ApiError;
use crate::random::Random;

/// Plain values by the ciphertext that stands for them in the specs of one app.
pub(crate) type Sealed = HashMap<String, String>;

/// The lists of components in a spec that have secrets.
const COMPONENTS: [&str; 5] = ["services", "static_sites", "jobs", "workers", "functions"];

/// Replaces every secret in `spec` by ciphertext. A ciphertext of this app is taken back as it is.
pub(crate) fn seal(
    spec: &mut Value,
    sealed: &mut Sealed,
    random: &mut Random,
) -> Result<(), ApiError> {
    each(spec, &mut |name, place| {
        let text = place.as_str().unwrap_or_default().to_owned();
        if !text.starts_with("EV[") {
            let ciphertext = random.ciphertext();
            *place = ciphertext.clone().into();
            sealed.insert(ciphertext, text);
            return Ok(());
        }
        if sealed.contains_key(&text) {
            return Ok(());
        }
        Err(ApiError::bad_request(format!(
            "error validating app spec field: the encrypted value of `{name}` is not one of this app"
        )))
    })
}

/// The plain value of the first secret called `wanted`.
pub(crate) fn open(spec: &Value, sealed: &Sealed, wanted: &str) -> Option<String> {
    let mut found = None;
    let read = each(&mut spec.clone(), &mut |name, place| {
        if name == wanted && found.is_none() {
            found = place.as_str().and_then(|text| sealed.get(text)).cloned();
        }
        Ok(())
    });
    read.ok().and(found)
}

/// What is done with a secret: its name, and its place in the spec.
type Visit<'a> = &'a mut dyn FnMut(&str, &mut Value) -> Result<(), ApiError>;

fn each(spec: &mut Value, visit: Visit<'_>) -> Result<(), ApiError> {
    in_envs(spec, visit)?;
    for list in COMPONENTS {
        let components = spec.get_mut(list).and_then(Value::as_array_mut);
        for component in components.into_iter().flatten() {
            in_envs(component, visit)?;
            let credentials = component.pointer_mut("/image/registry_credentials");
            if let Some(place) = credentials {
                visit("registry_credentials", place)?;
            }
        }
    }
    Ok(())
}

fn in_envs(owner: &mut Value, visit: Visit<'_>) -> Result<(), ApiError> {
    let envs = owner.get_mut("envs").and_then(Value::as_array_mut);
    for env in envs.into_iter().flatten() {
        if env["type"] != "SECRET" {
            continue;
        }
        let key = env["key"].as_str().unwrap_or_default().to_owned();
        if let Some(place) = env.get_mut("value") {
            visit(&key, place)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_become_ciphertext_and_ciphertext_stays() {
        let mut random = Random::seeded(1);
        let mut sealed = Sealed::new();
        let mut spec = json!({
            "name": "web",
            "envs": [{"key": "PLAIN", "value": "v"}],
            "services": [{"name": "api", "envs": [{"key": "KEY", "type": "SECRET", "value": "hush"}]}],
        });
        seal(&mut spec, &mut sealed, &mut random).unwrap();
        assert!(!spec.to_string().contains("hush"));
        assert!(spec.to_string().contains("EV[1:"));
        let once = spec.clone();
        seal(&mut spec, &mut sealed, &mut random).unwrap();
        assert_eq!(spec, once);
        assert_eq!(open(&spec, &sealed, "KEY").as_deref(), Some("hush"));
        let mut other = Sealed::new();
        assert!(seal(&mut spec, &mut other, &mut random).is_err());
    }
}
