//! Calls of `cloudResources`, and the bodies that tests send most.

use berth_domain::id::{ResourceId, TenantId};
use berth_service::cloud_resources::{ResourceView, create, delete, get, list, update};
use berth_service::{Caller, ServiceError};
use serde_json::{Value, json};

use super::{World, input, lay_over};

impl World {
    pub(crate) async fn create(
        &self,
        caller: &Caller,
        body: &Value,
    ) -> Result<ResourceView, ServiceError> {
        create::handle(&self.service, caller, input(body.clone())).await
    }

    pub(crate) async fn get(
        &self,
        caller: &Caller,
        tenant: &TenantId,
        id: &ResourceId,
    ) -> Result<ResourceView, ServiceError> {
        get::handle(
            &self.service,
            caller,
            input(json!({"tenantId": tenant, "resourceId": id})),
        )
        .await
    }

    pub(crate) async fn update(
        &self,
        caller: &Caller,
        tenant: &TenantId,
        id: &ResourceId,
        more: Value,
    ) -> Result<ResourceView, ServiceError> {
        let mut body = json!({"tenantId": tenant, "resourceId": id});
        lay_over(&mut body, more);
        update::handle(&self.service, caller, input(body)).await
    }

    pub(crate) async fn delete(
        &self,
        caller: &Caller,
        tenant: &TenantId,
        id: &ResourceId,
    ) -> Result<ResourceView, ServiceError> {
        delete::handle(
            &self.service,
            caller,
            input(json!({"tenantId": tenant, "resourceId": id})),
        )
        .await
    }

    pub(crate) async fn names(
        &self,
        caller: &Caller,
        tenant: &TenantId,
        more: Value,
    ) -> Result<Vec<String>, ServiceError> {
        let mut body = json!({"tenantId": tenant});
        lay_over(&mut body, more);
        let items = list::handle(&self.service, caller, input(body))
            .await?
            .items;
        Ok(items
            .into_iter()
            .map(|item| item.name.to_string())
            .collect())
    }

    /// The body of a create of a small cluster in the platform's pool.
    pub(crate) fn pg(&self, tenant: &TenantId, name: &str) -> Value {
        json!({
            "tenantId": tenant, "poolId": self.pool, "kind": "do.database.pg", "name": name,
            "spec": {"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1},
            "idempotencyKey": format!("pg-{name}"),
        })
    }

    /// The body of a create of a user in a cluster.
    pub(crate) fn user(&self, tenant: &TenantId, parent: &ResourceId, name: &str) -> Value {
        json!({
            "tenantId": tenant, "poolId": self.pool, "kind": "do.database.user", "name": name,
            "parentId": parent, "spec": {"name": name}, "idempotencyKey": format!("user-{parent}-{name}"),
        })
    }

    /// The body of a create of an app.
    pub(crate) fn app(&self, tenant: &TenantId, name: &str) -> Value {
        let image =
            json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
        json!({
            "tenantId": tenant, "poolId": self.pool, "kind": "do.app", "name": name,
            "spec": {"region": "nyc", "services": [{"name": "web", "image": image}]},
            "idempotencyKey": format!("app-{name}"),
        })
    }
}
