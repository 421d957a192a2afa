//! `plugins/list`.

use berth_domain::id::TenantId;
use serde::Deserialize;

use super::GenerationView;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Items, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Of this plugin.
    #[serde(default, deserialize_with = "given")]
    pub plugin: Option<String>,
}

/// The generations, newest first.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<GenerationView>, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::PluginsRead, &target);
    let result = async {
        service
            .decide_as_operator(caller, Action::PluginsRead, &target)
            .await?;
        let records = service.store().generations(input.plugin.as_deref()).await?;
        let items = records
            .into_iter()
            .map(|record| {
                let loaded = is_loaded(service, &record.digest);
                GenerationView::of(record, loaded)
            })
            .collect();
        Ok(Items {
            items,
            next_cursor: None,
        })
    };
    attempt.settle(service, result.await).await
}

pub(super) fn is_loaded(service: &Service, digest: &str) -> bool {
    digest
        .parse()
        .is_ok_and(|digest| service.registry().by_digest(&digest).is_some())
}
