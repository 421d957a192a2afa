//! Environments and sessions made, and broken, by someone else than the client.

use serde::Deserialize;
use serde_json::{Value, json};

use super::record::Stage;
use crate::body;
use crate::clusters::record::Origin;
use crate::controls::{Controls, Refused, no_such};
use crate::hiding::Hiding;

/// An environment that someone else made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedAgentConfig {
    /// Its name.
    pub name: String,
    /// Its manifest; none: a small one.
    #[serde(default)]
    pub manifest: Option<Value>,
}

impl PlantedAgentConfig {
    /// An environment with a small manifest.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            manifest: None,
        }
    }
}

/// A session that someone else started. It began now, and stays as it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedSession {
    /// The environment that it is of.
    pub config: String,
    /// Its name.
    pub name: String,
    /// Its status, such as `SESSION_STATUS_FAILED`.
    #[serde(default = "ready")]
    pub status: String,
    /// When it began, in milliseconds since the epoch; none: now.
    #[serde(default)]
    pub created_at: Option<u64>,
}

fn ready() -> String {
    "SESSION_STATUS_READY".into()
}

impl PlantedSession {
    /// A session that is ready.
    #[must_use]
    pub fn of(config: &str, name: &str) -> Self {
        Self {
            config: config.to_owned(),
            name: name.to_owned(),
            status: ready(),
            created_at: None,
        }
    }

    /// Sets its status.
    #[must_use]
    pub fn status(mut self, status: &str) -> Self {
        self.status = status.to_owned();
        self
    }
}

impl Controls {
    /// Adds an environment that someone else made and tells its id.
    ///
    /// # Errors
    /// When the provider would refuse it: its name is taken, its manifest wrong.
    pub fn plant_agent_config(&self, planted: PlantedAgentConfig) -> Result<String, Refused> {
        let manifest = planted
            .manifest
            .unwrap_or_else(|| json!({"name": planted.name, "agent": "claude-code"}))
            .to_string();
        let request = json!({"name": planted.name, "manifest_yaml": manifest});
        body::AGENT_CONFIG_CREATE.check(&request)?;
        let mut world = self.shared.world();
        let hiding = Hiding::default();
        Ok(world.add_agent_config(&planted.name, &manifest, hiding, Origin::Planted)?)
    }

    /// Adds a session that someone else started and tells its id.
    ///
    /// # Errors
    /// When there is no such environment or status, or its name is taken.
    pub fn plant_session(&self, planted: PlantedSession) -> Result<String, Refused> {
        let now = self.shared.clock.now();
        let stage = Stage::of(&planted.status).ok_or_else(|| no_such(&planted.status))?;
        let mut world = self.shared.world();
        let session =
            world.add_session(&planted.config, planted.name, stage, Origin::Planted, now)?;
        if let Some(at) = planted.created_at {
            session.created_at = at;
            session.last_event_at = at;
        }
        Ok(session.id.clone())
    }

    /// A session has failed now, whatever it was doing.
    ///
    /// # Errors
    /// When there is no such session.
    pub fn fail_session(&self, id: &str) -> Result<(), Refused> {
        let mut world = self.shared.world();
        let session = world.agents.any_session(id).ok_or_else(|| no_such(id))?;
        session.stage = Stage::Failed;
        Ok(())
    }

    /// The next `count` sessions fail instead of becoming ready.
    pub fn fail_next_sessions(&self, count: u32) {
        self.shared.world().agents.failing = count;
    }
}
