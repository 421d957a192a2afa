//! A tenant with one caller, and what it does most.

use serde_json::{Map, Value, json};

use crate::api::{Api, Refusal};
use crate::new::New;
use crate::patience::{LOOKS, eventually, pause};
use crate::resource::Resource;

/// A caller of a tenant, with a pool to use.
#[derive(Clone)]
pub struct Tenant {
    /// The tenant's id.
    pub id: String,
    /// The caller's API.
    pub api: Api,
    /// The caller's principal.
    pub principal: String,
    /// Where its resources go.
    pub pool: String,
    /// An operator of the host.
    pub(crate) root: Api,
}

/// The policy document that allows everything.
#[must_use]
pub fn everything() -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "compute:*", "Resource": "*"}],
    })
}

impl Tenant {
    /// Someone else of the same tenant, with exactly these policies.
    pub async fn someone(&self, policies: &[Value]) -> Self {
        let of_tenant = |mut body: Value| {
            body["tenantId"] = self.id.clone().into();
            body
        };
        let mut ids = Vec::new();
        for document in policies {
            let body = of_tenant(json!({"title": "of a test", "document": document}));
            ids.push(self.root.ok("policies/put", &body).await["id"].clone());
        }
        let body = of_tenant(json!({"title": "someone", "policies": ids}));
        let principal = text(&self.root.ok("principals/create", &body).await, "id");
        let body = of_tenant(json!({"principalId": principal, "title": "of a test"}));
        let token = text(
            &self.root.ok("principals/createToken", &body).await,
            "token",
        );
        Self {
            api: self.api.with_token(&token),
            principal,
            ..self.clone()
        }
    }

    /// The same caller with another pool.
    #[must_use]
    pub fn on(&self, pool: &str) -> Self {
        Self {
            pool: pool.to_owned(),
            ..self.clone()
        }
    }

    /// This input with the tenant's id.
    #[must_use]
    pub fn input(&self, fields: Value) -> Value {
        let mut body = Map::new();
        body.insert("tenantId".into(), self.id.clone().into());
        match fields {
            Value::Object(fields) => body.extend(fields),
            other => panic!("an input is an object, not {other}"),
        }
        Value::Object(body)
    }

    // ------------------------------------------------------------------ create

    /// The input of a create.
    #[must_use]
    pub fn body(&self, new: &New) -> Value {
        new.body(&self.id, &self.pool)
    }

    /// Creates a resource.
    pub async fn create(&self, new: &New) -> Resource {
        Resource(self.api.ok("cloudResources/create", &self.body(new)).await)
    }

    /// Is refused a resource.
    pub async fn refused(&self, new: &New) -> Refusal {
        self.api
            .refused("cloudResources/create", &self.body(new))
            .await
    }

    /// Creates a resource and waits until it is ready.
    pub async fn ready(&self, new: &New) -> Resource {
        let created = self.create(new).await;
        self.wait(created.id(), "ready").await
    }

    // ------------------------------------------------------------------- read

    /// One resource.
    pub async fn get(&self, id: &str) -> Resource {
        Resource(self.api.ok("cloudResources/get", &self.about(id)).await)
    }

    /// All live resources.
    pub async fn list(&self) -> Value {
        self.list_by(json!({})).await
    }

    /// Resources narrowed by these fields.
    pub async fn list_by(&self, fields: Value) -> Value {
        self.api
            .ok("cloudResources/list", &self.input(fields))
            .await
    }

    /// The input that names a resource.
    #[must_use]
    pub fn about(&self, id: &str) -> Value {
        self.input(json!({"resourceId": id}))
    }

    /// Waits for a state; panics when the resource fails instead.
    pub async fn wait(&self, id: &str, state: &str) -> Resource {
        self.wait_for(id, &format!("to be {state}"), |seen| {
            let failed = seen.state() == "error" && state != "error";
            assert!(
                !failed,
                "{id} failed while it was to be {state}: {:#}",
                seen.0
            );
            seen.state() == state
        })
        .await
    }

    /// Waits for a state, through failures.
    pub async fn wait_through(&self, id: &str, state: &str) -> Resource {
        self.wait_for(id, &format!("to be {state}"), |seen| seen.state() == state)
            .await
    }

    /// Waits until what is seen of a resource is as wanted.
    ///
    /// # Panics
    /// When it never is.
    pub async fn wait_for(
        &self,
        id: &str,
        what: &str,
        wanted: impl Fn(&Resource) -> bool,
    ) -> Resource {
        let mut last = None;
        for _ in 0..LOOKS {
            let seen = self.get(id).await;
            if wanted(&seen) {
                return seen;
            }
            last = Some(seen);
            pause().await;
        }
        panic!("waited in vain for {id} {what}; last seen: {last:#?}");
    }

    // ----------------------------------------------------------------- change

    /// Changes the spec.
    pub async fn update(&self, id: &str, spec: Value) -> Resource {
        Resource(
            self.api
                .ok("cloudResources/update", &self.change(id, spec))
                .await,
        )
    }

    /// The input of a change of the spec.
    #[must_use]
    pub fn change(&self, id: &str, spec: Value) -> Value {
        self.input(json!({"resourceId": id, "spec": spec}))
    }

    /// Deletes a resource.
    pub async fn delete(&self, id: &str) -> Resource {
        Resource(self.api.ok("cloudResources/delete", &self.about(id)).await)
    }

    /// Deletes a resource and waits until it is gone.
    pub async fn deleted(&self, id: &str) -> Resource {
        self.delete(id).await;
        self.wait(id, "deleted").await
    }

    // --------------------------------------------------------- adopt and release

    /// The input of an adoption of a PostgreSQL cluster.
    #[must_use]
    pub fn adoption(&self, name: &str, provider_id: &str) -> Value {
        self.input(json!({
            "poolId": self.pool, "kind": "do.database.pg", "providerId": provider_id,
            "name": name, "idempotencyKey": format!("adopt-{name}"),
        }))
    }

    /// Adopts a PostgreSQL cluster.
    pub async fn adopt(&self, name: &str, provider_id: &str) -> Resource {
        let body = self.adoption(name, provider_id);
        Resource(self.api.ok("cloudResources/adopt", &body).await)
    }

    /// Adopts a PostgreSQL cluster and waits until it is ready.
    pub async fn adopted(&self, name: &str, provider_id: &str) -> Resource {
        let recorded = self.adopt(name, provider_id).await;
        self.wait(recorded.id(), "ready").await
    }

    /// Releases a resource.
    pub async fn release(&self, id: &str) -> Resource {
        Resource(self.api.ok("cloudResources/release", &self.about(id)).await)
    }

    /// What there is of a kind on the account of the caller's pool.
    pub async fn discover(&self, kind: &str) -> Vec<Value> {
        let body = self.input(json!({"poolId": self.pool, "kind": kind}));
        let answer = self.api.ok("cloudResources/discover", &body).await;
        answer["items"]
            .as_array()
            .cloned()
            .unwrap_or_else(|| panic!("no items: {answer}"))
    }

    // ------------------------------------------------------- events and secrets

    /// Events about a resource, oldest first.
    pub async fn events(&self, id: &str) -> Vec<Value> {
        let answer = self.api.ok("events/list", &self.about(id)).await;
        answer["items"]
            .as_array()
            .cloned()
            .unwrap_or_else(|| panic!("no items: {answer}"))
    }

    /// What happened to a resource, oldest first, without the common beginning `cloud.resource.`.
    pub async fn happened(&self, id: &str) -> Vec<String> {
        let events = self.events(id).await;
        events
            .iter()
            .map(|event| text(event, "type").replace("cloud.resource.", ""))
            .collect()
    }

    /// Waits until something has happened to a resource so often.
    pub async fn wait_happened(&self, id: &str, what: &str, times: usize) {
        eventually(&format!("{id} was {what} {times} times"), || async {
            let happened = self.happened(id).await;
            (happened.iter().filter(|one| *one == what).count() >= times).then_some(())
        })
        .await;
    }

    /// Writes a secret and tells its reference.
    pub async fn secret(&self, name: &str, value: &str) -> String {
        let body = self.input(json!({"name": name, "value": value}));
        text(&self.api.ok("secrets/put", &body).await, "ref")
    }

    /// The value behind a reference.
    pub async fn reveal(&self, reference: &str) -> String {
        text(
            &self
                .api
                .ok("secrets/reveal", &self.secret_named(reference))
                .await,
            "value",
        )
    }

    /// The input that names the secret behind a reference, as one of this tenant.
    #[must_use]
    pub fn secret_named(&self, reference: &str) -> Value {
        let name = reference
            .strip_prefix("secret://")
            .and_then(|rest| rest.split_once('/'));
        let name = name.map_or_else(|| panic!("`{reference}` is no SecretRef"), |(_, name)| name);
        self.input(json!({"name": name}))
    }
}

/// A text member of an answer.
pub(crate) fn text(answer: &Value, name: &str) -> String {
    let found = answer[name].as_str();
    found.map_or_else(
        || panic!("an answer has no text `{name}`: {answer:#}"),
        str::to_owned,
    )
}
