//! Whose an object is, as its labels say.

use berth_domain::id::ResourceId;
use berth_domain::label::{self, Label, Manager};
use berth_store::StoreError;

use crate::Service;

/// The live row of this deployment that an object's labels name.
pub(crate) async fn labelled_row(
    service: &Service,
    labels: &[Label],
) -> Result<Option<ResourceId>, StoreError> {
    if label::manager(labels, &service.deployment().id) != Some(Manager::This) {
        return Ok(None);
    }
    for value in label::values(labels, label::RESOURCE) {
        let Ok(id) = value.parse::<ResourceId>() else {
            continue;
        };
        let stored = service.store().resource(&id).await?;
        if stored.is_some_and(|stored| stored.row.is_live()) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
