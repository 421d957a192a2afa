//! A new version of a secret is an update of every resource that names it.

use berth_domain::id::TenantId;
use berth_domain::resource::{Resource, Schedule, State};
use berth_domain::secret::SecretRef;
use berth_domain::spec::secret_refs;
use berth_store::{ListFilter, UpdateChange};

use crate::list::ITEMS_MAX;
use crate::{Service, ServiceError};

/// Has the ready resources that name a secret looked at at once. All others are looked at soon anyhow,
/// and one that is missed here learns of the new version at its refresh: so a failure in here does not
/// undo that the secret is stored.
pub(super) async fn wake_users(service: &Service, tenant: &TenantId, reference: &SecretRef) {
    if let Err(error) = try_wake(service, tenant, reference).await {
        tracing::warn!(%reference, %error, "resources that name a changed secret are looked at only at their refresh");
    }
}

async fn try_wake(
    service: &Service,
    tenant: &TenantId,
    reference: &SecretRef,
) -> Result<(), ServiceError> {
    let store = service.store();
    let mut after = None;
    loop {
        let page = store
            .resources(tenant, &ListFilter::default(), after.as_deref(), ITEMS_MAX)
            .await?;
        for row in page.items.iter().filter(|row| rests_on(row, reference)) {
            let Some(stored) = store.resource(&row.id).await? else {
                continue;
            };
            let mut row = stored.row;
            if row.state != State::Ready {
                continue;
            }
            row.schedule = Schedule::at_once(service.now());
            // Whoever wrote first had it looked at as well.
            let _ = store
                .update_resources(vec![UpdateChange {
                    row,
                    revision: stored.revision,
                    books: None,
                    spans: Vec::new(),
                    events: Vec::new(),
                    audit: Vec::new(),
                }])
                .await?;
        }
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    service.waker().notify_one();
    Ok(())
}

fn rests_on(row: &Resource, reference: &SecretRef) -> bool {
    row.state == State::Ready
        && secret_refs(&row.spec)
            .iter()
            .any(|(_, named)| named == reference)
}
