//! What activating a generation would change for what lives, and whether that is refused.

use std::collections::BTreeMap;

use berth_domain::manifest::{Liveness, Manifest, changes};
use serde::Serialize;

use crate::{Service, ServiceError};

/// A change that an operator must know of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeView {
    /// What it is about: a kind, or the plugin as a whole. An override names this.
    pub about: String,
    /// What changes.
    pub text: String,
    /// Live resources of the kind, or of all kinds.
    pub live: u32,
    /// It is refused unless it is overridden.
    pub refused: bool,
}

/// Every change from the manifest in force to a new one. Without one in force nothing changes.
pub(super) async fn against_active(
    service: &Service,
    new: &Manifest,
) -> Result<Vec<ChangeView>, ServiceError> {
    let Some(old) = service.manifest_in_force(&new.provider).await? else {
        return Ok(Vec::new());
    };
    let counts = service
        .store()
        .count_live_by_provider(&new.provider)
        .await?;
    let live: BTreeMap<String, u32> = counts
        .into_iter()
        .map(|(kind, count)| (kind.to_string(), count))
        .collect();
    let all = live
        .values()
        .fold(0_u32, |sum, count| sum.saturating_add(*count));
    Ok(changes(&old, new)
        .into_iter()
        .map(|change| {
            let living = change
                .kind
                .as_ref()
                .map_or(all, |kind| live.get(kind).copied().unwrap_or(0));
            ChangeView {
                about: change.kind.unwrap_or_else(|| new.provider.clone()),
                text: change.text,
                live: living,
                refused: change.refused_while == Liveness::Always || living > 0,
            }
        })
        .collect())
}
