//! `tenants/list`: all tenants. Operators only.

use berth_domain::id::TenantId;
use berth_domain::platform::Tenant;
use serde::Deserialize;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// The tenants.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<Tenant>, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::TenantsRead, &target);
    let result = async {
        service
            .decide_as_operator(caller, Action::TenantsRead, &target)
            .await?;
        let page = service
            .store()
            .tenants(input.cursor.as_ref().map(Cursor::as_str), ITEMS_MAX)
            .await?;
        Ok(Items::of(page, |tenant| tenant))
    };
    attempt.settle(service, result.await).await
}
