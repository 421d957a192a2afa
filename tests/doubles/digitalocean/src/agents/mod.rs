//! Managed agents: `/v2/agents` and what their analysis says, `/v1/consent` and `/v1/signals`.
//!
//! All of it is in preview and not in the provider's document. The shapes follow the provider's
//! own clients.

pub(crate) mod configs;
pub(crate) mod events;
mod manifest;
mod plant;
pub(crate) mod record;
pub(crate) mod sessions;
pub(crate) mod signals;
pub(crate) mod triggers;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

pub use plant::{PlantedAgentConfig, PlantedSession};
pub(crate) use record::{AgentConfig, Session};

use crate::error::ApiError;
use crate::hiding::Hiding;
use crate::world::Shared;
use signals::Signals;
use triggers::Trigger;

/// The team that everything is of.
const TEAM: u64 = 1_908_192;

/// All agents, their sessions and triggers.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Agents {
    configs: BTreeMap<String, AgentConfig>,
    sessions: BTreeMap<String, Session>,
    triggers: BTreeMap<String, Trigger>,
    signals: Signals,
    next: u64,
    /// So many sessions from now on fail.
    failing: u32,
}

impl Agents {
    /// The place that the next object gets.
    fn next_order(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn config(&mut self, id: &str) -> Result<&mut AgentConfig, ApiError> {
        self.configs.get_mut(id).ok_or_else(ApiError::not_found)
    }

    /// A session as it is now, or the answer 404.
    fn session(&mut self, id: &str, now: u64) -> Result<&mut Session, ApiError> {
        let session = self.sessions.get_mut(id).ok_or_else(ApiError::not_found)?;
        session.settle(now);
        Ok(session)
    }

    fn settle(&mut self, now: u64) {
        for session in self.sessions.values_mut() {
            session.settle(now);
        }
    }

    pub(crate) fn any_config(&mut self, id: &str) -> Option<&mut AgentConfig> {
        self.configs.get_mut(id)
    }

    pub(crate) fn any_session(&mut self, id: &str) -> Option<&mut Session> {
        self.sessions.get_mut(id)
    }

    /// How a config or a session hides.
    pub(crate) fn hiding_of(&mut self, id: &str) -> Option<&mut Hiding> {
        match self.configs.get_mut(id) {
            Some(config) => Some(&mut config.hiding),
            None => self.sessions.get_mut(id).map(|one| &mut one.hiding),
        }
    }

    pub(crate) fn remove_config(&mut self, id: &str) -> bool {
        self.configs.remove(id).is_some()
    }

    pub(crate) fn remove_session(&mut self, id: &str) -> bool {
        self.sessions.remove(id).is_some()
    }

    pub(crate) fn remove_trigger(&mut self, id: &str) -> bool {
        self.triggers.remove(id).is_some()
    }

    /// In the order of creation.
    pub(crate) fn all_configs(&self) -> Vec<&AgentConfig> {
        let mut all: Vec<&AgentConfig> = self.configs.values().collect();
        all.sort_by_key(|config| config.order);
        all
    }

    /// As they are now, in the order of creation.
    pub(crate) fn all_sessions(&mut self, now: u64) -> Vec<&Session> {
        self.settle(now);
        let mut all: Vec<&Session> = self.sessions.values().collect();
        all.sort_by_key(|session| session.order);
        all
    }
}

/// Refuses everything about agents while their preview isn't enabled.
pub(crate) async fn preview(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    if shared.world().config.previews.agents {
        return next.run(request).await;
    }
    refused("Managed Agents")
}

/// Refuses everything about signals while their preview isn't enabled.
pub(crate) async fn signals_preview(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    if shared.world().config.previews.signals {
        return next.run(request).await;
    }
    refused("Signals")
}

fn refused(preview: &str) -> Response {
    ApiError::forbidden(format!(
        "The preview of {preview} is not enabled for your account."
    ))
    .into_response()
}
