//! What a test asks `cloudResources/create` for.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

/// A resource to be. Whatever is not set is left to the tenant that asks.
#[derive(Debug, Clone)]
pub struct New {
    fields: Map<String, Value>,
}

/// Keys are new ones unless a test sets them.
static KEYS: AtomicU64 = AtomicU64::new(1);

impl New {
    /// A resource of a kind.
    #[must_use]
    pub fn of(kind: &str, name: &str, spec: Value) -> Self {
        let key = format!("key-{}", KEYS.fetch_add(1, Ordering::Relaxed));
        let body = json!({"kind": kind, "name": name, "spec": spec, "idempotencyKey": key});
        let Value::Object(fields) = body else {
            panic!("an object was written above")
        };
        Self { fields }
    }

    /// A small PostgreSQL cluster.
    #[must_use]
    pub fn pg(name: &str) -> Self {
        Self::of(
            "do.database.pg",
            name,
            json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1, "version": "16"}),
        )
    }

    /// A user of a cluster, called `name` there too.
    #[must_use]
    pub fn user(parent: &str, name: &str) -> Self {
        Self::of("do.database.user", name, json!({"name": name})).with("parentId", parent)
    }

    /// An app of one public image.
    #[must_use]
    pub fn app(name: &str) -> Self {
        let image =
            json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
        Self::of(
            "do.app",
            name,
            json!({"region": "nyc", "services": [{"name": "web", "image": image}]}),
        )
    }

    /// Sets a field of the input.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(field.to_owned(), value.into());
        self
    }

    /// Leaves a field of the input out.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        self.fields.remove(field);
        self
    }

    /// Sets a field of the spec.
    ///
    /// # Panics
    /// When the spec is no object.
    #[must_use]
    pub fn spec(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.fields["spec"][field] = value.into();
        self
    }

    /// Leaves a field of the spec out.
    #[must_use]
    pub fn without_spec(mut self, field: &str) -> Self {
        if let Some(Value::Object(spec)) = self.fields.get_mut("spec") {
            spec.remove(field);
        }
        self
    }

    /// The fields of the input that are set.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The input as this tenant sends it for this pool, unless the fields say otherwise.
    #[must_use]
    pub(crate) fn body(&self, tenant: &str, pool: &str) -> Value {
        let mut body = json!({"tenantId": tenant, "poolId": pool});
        for (field, value) in &self.fields {
            body[field] = value.clone();
        }
        body
    }
}
