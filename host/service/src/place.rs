//! Where a resource is created: a pool, its account, and the plugin that serves it.

use std::sync::Arc;

use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::KindId;
use berth_domain::manifest::Kind;
use berth_domain::platform::{Account, Offer, Pool, PoolType};
use berth_domain::provider::AccountView;
use berth_runtime::Generation;

use crate::{Code, Service, ServiceError};

/// A provider pool that a tenant sees, and what serves it now.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) pool: Pool,
    /// Under which the tenant uses it; `None`: it is the tenant's own.
    pub(crate) offer: Option<Offer>,
    pub(crate) account: Account,
    pub(crate) generation: Arc<Generation>,
}

impl Place {
    /// # Errors
    /// `UNSUPPORTED` for a kind that the pool's provider does not serve.
    pub(crate) fn kind(&self, kind: &KindId) -> Result<&Kind, ServiceError> {
        self.generation.manifest().kind(kind.as_str()).ok_or_else(|| {
            ServiceError::new(
                Code::Unsupported,
                format!("the pool's provider `{}` does not serve kind `{kind}`; `cloudResources/kinds` lists what it serves", self.account.provider),
            )
            .reason("kind")
        })
    }

    pub(crate) fn digest(&self) -> String {
        self.generation.digest().to_string()
    }
}

/// An account as its plugin may know it, for a resource of this tenant.
pub(crate) fn account_view(account: &Account) -> AccountView {
    AccountView {
        id: account.id.clone(),
        // The platform's accounts are there to be offered; a tenant's own account is its alone.
        shared: account.tenant_id.is_root(),
        previews: account.previews,
        regions: account.regions.clone(),
    }
}

impl Service {
    /// A pool that serves cloud resources to a tenant.
    ///
    /// # Errors
    /// `NOT_FOUND` for a pool that the tenant can't see, whatever the cause; `UNSUPPORTED` for one
    /// that serves no cloud resources; `UNAVAILABLE` while its plugin can't be loaded.
    pub(crate) async fn place(
        &self,
        tenant: &TenantId,
        id: &PoolId,
    ) -> Result<Place, ServiceError> {
        let Some((pool, offer)) = self.store().visible_pool(tenant, id).await? else {
            return Err(ServiceError::new(
                Code::NotFound,
                format!(
                    "tenant `{tenant}` sees no pool `{id}`; `pools/list` lists those it sees, and an operator can offer another"
                ),
            ));
        };
        let account = match (&pool.pool_type, &pool.account_id) {
            (PoolType::Provider, Some(account)) => account,
            _ => {
                return Err(ServiceError::new(
                    Code::Unsupported,
                    format!("pool `{id}` is not a provider pool and serves no cloud resources; choose one of type `provider`"),
                )
                .reason("pool"));
            }
        };
        let account = self.store().account(account).await?.ok_or_else(|| {
            ServiceError::internal(format!("pool {id} is on account {account}, which is gone"))
        })?;
        let generation = self.generation_of(&account.provider).await?;
        Ok(Place {
            pool,
            offer,
            account,
            generation,
        })
    }
}
