//! The hostile plugin on a provider of the test's own: it hands on what that says of an account.

use std::sync::Arc;

use berth_domain::id::{AccountId, PoolId};
use berth_domain::resource::Resource;
use berth_service::ServiceError;
use berth_service::cloud_resources::{catalog, signals};
use serde_json::{Value, json};

use crate::harness::{Choices, Tenant, World, input, json_of, lay_over};
use crate::provider::Provider;

const ORIGIN: &str = "https://api.hostile.test";

/// A deployment with the plugin, its provider, and a pool of the platform's on it.
pub(crate) struct Hostile {
    pub(crate) world: World,
    pub(crate) provider: Provider,
    pub(crate) account: AccountId,
    pub(crate) pool: PoolId,
}

impl Hostile {
    pub(crate) async fn new() -> Self {
        Self::of("guest-hostile.wasm", Choices::default()).await
    }

    pub(crate) async fn of(component: &str, choices: Choices) -> Self {
        let world = World::bare(choices).await;
        world.install(component).await;
        let provider = Provider::start().await;
        let mut hostile = Self {
            account: world.account.clone(),
            pool: world.pool.clone(),
            world,
            provider,
        };
        hostile.account = hostile.account_of("root", json!({})).await;
        hostile.pool = hostile.world.pool_on("root", &hostile.account).await;
        hostile
    }

    pub(crate) async fn account_of(&self, tenant: &str, more: Value) -> AccountId {
        let mut body = json!({"provider": "hostile", "regions": [], "egress": {
            "origins": [ORIGIN], "baseUrls": {ORIGIN: self.provider.base},
            "plainHttp": true, "privateNetworks": true,
        }});
        lay_over(&mut body, more);
        self.world.account_of(tenant, body).await
    }

    /// A tenant to whom the platform's pool is offered.
    pub(crate) async fn tenant(&self, id: &str) -> Tenant {
        let tenant = self.world.bare_tenant(id).await;
        let body = json!({"poolId": self.pool, "tenantId": id});
        berth_service::offers::create::handle(&self.world.service, &self.world.root, input(body))
            .await
            .expect("an offer");
        tenant
    }

    /// The platform itself, as it looks at its own pools.
    pub(crate) fn platform(&self) -> Tenant {
        Tenant {
            id: "root".parse().expect("an id"),
            admin: self.world.root.clone(),
        }
    }

    /// A database of the tenant's that records an object of the provider.
    pub(crate) async fn database(&self, tenant: &Tenant, name: &str, object: &str) -> Resource {
        let body = json!({
            "tenantId": tenant.id, "poolId": self.pool, "kind": "hostile.db", "name": name,
            "spec": {}, "idempotencyKey": name,
        });
        let made = self.world.create(&tenant.admin, &body).await;
        let id = made.expect("a database").id;
        self.world.as_if_ready(&id).await;
        let object = object.to_owned();
        self.world
            .as_if(&id, |row| row.provider_id = Some(object))
            .await;
        self.world.row(&id).await
    }

    pub(crate) async fn catalog(
        &self,
        tenant: &Tenant,
        more: Value,
    ) -> Result<Value, ServiceError> {
        let mut body = json!({"tenantId": tenant.id, "poolId": self.pool});
        lay_over(&mut body, more);
        let answer = catalog::handle(&self.world.service, &tenant.admin, input(body)).await?;
        Ok(json_of(answer)["items"].clone())
    }

    pub(crate) async fn signals(
        &self,
        tenant: &Tenant,
        more: Value,
    ) -> Result<Value, ServiceError> {
        let mut body = json!({"tenantId": tenant.id, "poolId": self.pool});
        lay_over(&mut body, more);
        let answer = signals::handle(&self.world.service, &tenant.admin, input(body)).await?;
        Ok(json_of(answer)["items"].clone())
    }

    /// The ids of the signals that a tenant sees, in their order.
    pub(crate) async fn seen(&self, tenant: &Tenant, more: Value) -> Vec<String> {
        let items = self.signals(tenant, more).await.expect("signals");
        let ids = items.as_array().expect("a list").iter();
        ids.map(|signal| signal["id"].as_str().expect("an id").to_owned())
            .collect()
    }

    pub(crate) fn shared(self) -> Arc<Self> {
        Arc::new(self)
    }
}
