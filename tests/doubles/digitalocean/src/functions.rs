//! Functions namespaces: `/v2/functions/namespaces`. They have neither tags nor changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::body;
use crate::clock::wall_ms;
use crate::clusters::catalog;
use crate::clusters::record::Origin;
use crate::controls::{Controls, Refused};
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::hiding::Hiding;
use crate::times::rfc3339;
use crate::world::{Shared, World};

/// A namespace of functions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Namespace {
    /// `fn-` and a UUID: what paths call it.
    pub(crate) id: String,
    uuid: String,
    pub(crate) label: String,
    pub(crate) region: String,
    pub(crate) key: String,
    /// Milliseconds since the epoch.
    created_at: u64,
    pub(crate) hiding: Hiding,
    pub(crate) origin: Origin,
    order: u64,
}

impl Namespace {
    /// The namespace as every answer shows it, key included.
    fn json(&self) -> Value {
        json!({
            "api_host": format!("https://faas-{}.doserverless.co", self.region),
            "namespace": self.id,
            "uuid": self.uuid,
            "label": self.label,
            "region": self.region,
            "key": self.key,
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.created_at),
        })
    }
}

/// All namespaces.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Namespaces {
    by_id: BTreeMap<String, Namespace>,
    next: u64,
}

impl Namespaces {
    pub(crate) fn any_mut(&mut self, id: &str) -> Option<&mut Namespace> {
        self.by_id.get_mut(id)
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Namespace> {
        self.by_id.remove(id)
    }

    /// In the order of creation.
    pub(crate) fn all(&self) -> Vec<&Namespace> {
        let mut all: Vec<&Namespace> = self.by_id.values().collect();
        all.sort_by_key(|namespace| namespace.order);
        all
    }
}

#[derive(Deserialize)]
struct NewNamespace {
    region: String,
    label: String,
}

impl World {
    fn add_namespace(
        &mut self,
        wanted: NewNamespace,
        key: Option<String>,
        hiding: Hiding,
        origin: Origin,
    ) -> Result<&Namespace, ApiError> {
        catalog::region(&wanted.region)?;
        let all = &self.namespaces.by_id;
        if all.values().any(|other| other.label == wanted.label) {
            return Err(ApiError::unprocessable(format!(
                "label: a namespace with the label `{}` already exists",
                wanted.label
            )));
        }
        if all.len() >= self.config.limits.namespaces {
            return Err(ApiError::unprocessable("Limit Reached"));
        }
        let uuid = self.random.uuid();
        let id = format!("fn-{uuid}");
        let prefix = &self.config.secrets.password_prefix;
        let key = key.unwrap_or_else(|| format!("{prefix}{}", self.random.word(64)));
        self.namespaces.next += 1;
        self.totals.namespaces_made += 1;
        let namespace = Namespace {
            id: id.clone(),
            uuid: self.random.uuid(),
            label: wanted.label,
            region: wanted.region,
            key,
            created_at: wall_ms(),
            hiding,
            origin,
            order: self.namespaces.next,
        };
        Ok(self.namespaces.by_id.entry(id).or_insert(namespace))
    }
}

/// `POST /v2/functions/namespaces` answers 200.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewNamespace = body::NAMESPACE_CREATE.read(&bytes)?;
    let now = shared.clock.now();
    let mut world = shared.world();
    let hiding = Hiding::at_first(&world.config.visibility, now);
    let namespace = world.add_namespace(wanted, None, hiding, Origin::Api)?;
    Ok(answer(
        StatusCode::OK,
        &json!({"namespace": namespace.json()}),
    ))
}

/// `GET /v2/functions/namespaces`, unpaged.
pub(crate) async fn list(State(shared): State<Arc<Shared>>) -> Answer {
    let now = shared.clock.now();
    let world = shared.world();
    let shown: Vec<Value> = world
        .namespaces
        .all()
        .into_iter()
        .filter(|namespace| !namespace.hiding.hides_in_list(now))
        .map(Namespace::json)
        .collect();
    Ok(answer(StatusCode::OK, &json!({"namespaces": shown})))
}

/// `GET /v2/functions/namespaces/{id}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let namespace = world
        .namespaces
        .any_mut(&id)
        .ok_or_else(ApiError::not_found)?;
    namespace.hiding.check_read(now)?;
    Ok(answer(
        StatusCode::OK,
        &json!({"namespace": namespace.json()}),
    ))
}

/// `DELETE /v2/functions/namespaces/{id}`: functions and triggers go with it.
pub(crate) async fn delete(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let mut world = shared.world();
    world
        .namespaces
        .remove(&id)
        .ok_or_else(ApiError::not_found)?;
    world.totals.namespaces_gone += 1;
    Ok(empty(StatusCode::NO_CONTENT))
}

impl Controls {
    /// Adds a namespace that someone else made and tells its id; `key` may be a canary.
    ///
    /// # Errors
    /// When the provider would refuse it: its label is taken, its region unknown.
    pub fn plant_namespace(
        &self,
        label: &str,
        region: &str,
        key: Option<&str>,
    ) -> Result<String, Refused> {
        let wanted = NewNamespace {
            region: region.to_owned(),
            label: label.to_owned(),
        };
        let key = key.map(str::to_owned);
        let mut world = self.shared.world();
        let namespace = world.add_namespace(wanted, key, Hiding::default(), Origin::Planted)?;
        Ok(namespace.id.clone())
    }
}
