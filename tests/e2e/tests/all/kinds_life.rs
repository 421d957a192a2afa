//! A whole life of a resource, the same for every kind.

use berth_e2e::{New, Resource, Tenant};
use serde_json::Value;

/// Creates, waits until it is ready, changes what can be changed, deletes, and sees it gone. What it was
/// like when it was ready last.
pub(crate) async fn live(tenant: &Tenant, new: &New, change: Option<Value>) -> Resource {
    let mut ready = tenant.ready(new).await;
    let id = ready.id().to_owned();
    let mut expected = vec!["created", "ready"];
    if let Some(change) = change {
        let changed = tenant.update(&id, change.clone()).await;
        assert_eq!(changed.state(), "updating");
        ready = tenant.wait(&id, "ready").await;
        for (field, value) in change.as_object().unwrap() {
            assert_eq!(ready["spec"][field], *value);
        }
        expected.extend(["updating", "updated"]);
    }
    let gone = tenant.deleted(&id).await;
    assert_eq!(gone.secrets(), Vec::<String>::new());
    expected.extend(["deleting", "deleted"]);
    assert_eq!(tenant.happened(&id).await, expected);
    ready
}
