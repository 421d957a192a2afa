//! Environments: `/v2/agents/configs`.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::{StatusCode, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use super::AgentConfig;
use super::manifest::Manifest;
use crate::body;
use crate::clock::wall_ms;
use crate::clusters::record::Origin;
use crate::cursors::TokenPage;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::hiding::Hiding;
use crate::query;
use crate::world::{Shared, World};

#[derive(Deserialize)]
struct NewConfig {
    name: String,
    manifest_yaml: String,
}

/// `POST /v2/agents/configs`.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewConfig = body::AGENT_CONFIG_CREATE.read(&bytes)?;
    let now = shared.clock.now();
    let mut world = shared.world();
    let hiding = Hiding::at_first(&world.config.visibility, now);
    let id = world.add_agent_config(&wanted.name, &wanted.manifest_yaml, hiding, Origin::Api)?;
    let mut shown = world.agents.config(&id)?.json();
    shown["warnings"] = json!([]);
    Ok(answer(StatusCode::CREATED, &json!({"config": shown})))
}

impl World {
    /// Adds a config and tells its id.
    pub(super) fn add_agent_config(
        &mut self,
        name: &str,
        manifest: &str,
        hiding: Hiding,
        origin: Origin,
    ) -> Result<String, ApiError> {
        let manifest = Manifest::read(manifest)?;
        let all = &self.agents.configs;
        if all.values().any(|one| one.name.eq_ignore_ascii_case(name)) {
            return Err(ApiError::conflict(format!(
                "name: an agent config named `{name}` already exists in your team"
            )));
        }
        let id = self.random.uuid();
        let content_hash = (self.random.uuid() + &self.random.uuid()).replace('-', "");
        let config = AgentConfig {
            id: id.clone(),
            name: name.to_owned(),
            manifest: manifest.shown,
            credentials: manifest.credentials,
            secrets: manifest.secrets,
            content_hash,
            created_at: wall_ms(),
            hiding,
            origin,
            order: self.agents.next_order(),
        };
        self.agents.configs.insert(id.clone(), config);
        self.totals.agent_configs_made += 1;
        Ok(id)
    }
}

/// `GET /v2/agents/configs`, in parts, optionally those whose name contains a text.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, uri: Uri, page: TokenPage) -> Answer {
    let now = shared.clock.now();
    let world = shared.world();
    let search = query::get(&uri, "search")
        .unwrap_or_default()
        .to_lowercase();
    let shown: Vec<(u64, Value)> = world
        .agents
        .configs
        .values()
        .filter(|config| !config.hiding.hides_in_list(now))
        .filter(|config| config.name.to_lowercase().contains(&search))
        .map(|config| (config.order, config.summary()))
        .collect();
    Ok(answer(StatusCode::OK, &page.json("configs", shown)))
}

/// `GET /v2/agents/configs/{id}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let config = world.agents.config(&id)?;
    config.hiding.check_read(now)?;
    Ok(answer(StatusCode::OK, &json!({"config": config.json()})))
}

/// `DELETE /v2/agents/configs/{id}`, unless sessions still run from it.
pub(crate) async fn delete(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    world.agents.config(&id)?;
    world.agents.settle(now);
    let mut sessions = world.agents.sessions.values();
    if sessions.any(|session| session.config == id && session.stage.is_live()) {
        return Err(ApiError::conflict("agent config has active sessions"));
    }
    world.agents.remove_config(&id);
    world.totals.agent_configs_gone += 1;
    Ok(empty(StatusCode::NO_CONTENT))
}
