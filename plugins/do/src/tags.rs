//! Labels as tags.
//!
//! DigitalOcean keeps the capitals that a tag was first written with and looks tags up without
//! regard to them, so `PROD` and `prod` are one tag: labels are written in lower case.

use berth_sdk::http::Api;
use berth_sdk::labels::TagAlphabet;
use berth_sdk::types::{Error, Label};
use serde_json::json;

pub(crate) const TAGS: TagAlphabet = TagAlphabet {
    allows: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'),
    longest: 255,
    folds_case: true,
};

/// The label that names the row.
const RESOURCE: &str = "better-compute-resource";
/// The label that is removed last.
const MANAGED: &str = "better-compute-managed";

/// The tags of these labels.
pub(crate) fn encode(labels: &[Label]) -> Result<Vec<String>, Error> {
    labels.iter().map(|label| TAGS.encode(label)).collect()
}

/// The tag that finds the row's object.
pub(crate) fn of_row(labels: &[Label]) -> Result<String, Error> {
    labels
        .iter()
        .find(|label| label.key == RESOURCE)
        .ok_or_else(|| Error::Failed(format!("the call has no label {RESOURCE}")))
        .and_then(|label| TAGS.encode(label))
}

/// The tags that are not ownership labels.
pub(crate) fn foreign(tags: &[String]) -> Vec<String> {
    tags.iter()
        .filter(|tag| !TagAlphabet::reserved(tag))
        .cloned()
        .collect()
}

/// Puts labels on an object in place of those of the same keys that it carries.
pub(crate) fn put_on(
    api: &Api<'_>,
    labels: &[Label],
    carried: &[String],
    resource_type: &str,
    id: &str,
) -> Result<(), Error> {
    let wanted = encode(labels)?;
    let is_wanted = |tag: &str| wanted.iter().any(|wanted| TAGS.same(wanted, tag));
    let stale: Vec<(&String, Label)> = carried
        .iter()
        .filter(|tag| !is_wanted(tag))
        .filter_map(|tag| Some((tag, TAGS.decode(tag)?)))
        .filter(|(_, label)| labels.iter().any(|wanted| wanted.key == label.key))
        .collect();
    if let Some((tag, _)) = stale.iter().find(|(_, label)| label.key == MANAGED) {
        return Err(Error::Conflict(format!(
            "it carries the tag {tag} of another deployment; nothing was written"
        )));
    }
    for tag in &wanted {
        assign(api, tag, resource_type, id)?;
    }
    stale
        .iter()
        .try_for_each(|(tag, _)| unassign(api, tag, resource_type, id))
}

/// Puts a tag on an object, making the tag first if the account has none of that name.
fn assign(api: &Api<'_>, tag: &str, resource_type: &str, id: &str) -> Result<(), Error> {
    let put = || {
        api.post(&["v2", "tags", tag, "resources"])
            .body(&resources(resource_type, id))
            .send()
    };
    match put() {
        Err(Error::NotFound(_)) => {
            match api.post(&["v2", "tags"]).body(&json!({"name": tag})).send() {
                // Someone else was quicker.
                Ok(_) | Err(Error::Conflict(_)) => put().map(drop),
                Err(error) => Err(error),
            }
        }
        other => other.map(drop),
    }
}

/// Takes labels off an object, `better-compute-managed` last.
pub(crate) fn take_off(
    api: &Api<'_>,
    labels: &[Label],
    resource_type: &str,
    id: &str,
) -> Result<(), Error> {
    let (last, first): (Vec<&Label>, Vec<&Label>) =
        labels.iter().partition(|label| label.key == MANAGED);
    for label in first.into_iter().chain(last) {
        unassign(api, &TAGS.encode(label)?, resource_type, id)?;
    }
    Ok(())
}

/// Takes a tag off an object. One that is not there is off.
fn unassign(api: &Api<'_>, tag: &str, resource_type: &str, id: &str) -> Result<(), Error> {
    let taken = api
        .delete(&["v2", "tags", tag, "resources"])
        .body(&resources(resource_type, id))
        .send();
    match taken {
        Ok(_) | Err(Error::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn resources(resource_type: &str, id: &str) -> serde_json::Value {
    json!({"resources": [{"resource_id": id, "resource_type": resource_type}]})
}
