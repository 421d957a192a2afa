//! What the host wants, as a plugin is told it.

use berth_domain::provider::{AccountView, Linked, ParentView, Wanted};
use serde_json::{Map, Value};

use crate::bindings::berth::provider::types as wit;

pub(crate) fn account(account: &AccountView) -> wit::Account {
    wit::Account {
        id: account.id.to_string(),
        shared: account.shared,
        previews: account.previews,
        regions: account.regions.clone(),
    }
}

pub(crate) fn resource(wanted: &Wanted) -> wit::Resource {
    wit::Resource {
        id: wanted.id.to_string(),
        kind: wanted.kind.clone(),
        name: wanted.name.clone(),
        spec: text(&wanted.spec),
        labels: wanted
            .labels
            .iter()
            .map(|label| wit::Label {
                key: label.key.clone(),
                value: label.value.clone(),
            })
            .collect(),
        provider_id: wanted.provider_id.clone(),
        parent: wanted.parent.as_ref().map(parent),
        instances: wanted.instances.iter().map(linked).collect(),
        networks: wanted.networks.iter().map(linked).collect(),
        memo: wanted.memo.as_ref().map(Value::to_string),
    }
}

pub(crate) fn parent(parent: &ParentView) -> wit::Parent {
    wit::Parent {
        kind: parent.kind.clone(),
        provider_id: parent.provider_id.clone(),
        name: parent.name.clone(),
        outputs: text(&parent.outputs),
    }
}

fn linked(linked: &Linked) -> wit::Linked {
    wit::Linked {
        id: linked.id.clone(),
        provider_id: linked.provider_id.clone(),
        region: linked.region.clone(),
    }
}

fn text(object: &Map<String, Value>) -> String {
    // A map of JSON values can always be written.
    serde_json::to_string(object).unwrap_or_default()
}
