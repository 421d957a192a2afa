//! An agent's config and its sessions, and how they move through time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::TEAM;
use crate::clusters::members;
use crate::clusters::record::Origin;
use crate::config::Visibility;
use crate::hiding::Hiding;
use crate::times::rfc3339;

/// An environment that sessions are started from. It never changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AgentConfig {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(super) manifest: Value,
    pub(super) credentials: Vec<Value>,
    pub(super) secrets: BTreeMap<String, String>,
    pub(super) content_hash: String,
    /// Milliseconds since the epoch.
    pub(super) created_at: u64,
    pub(crate) hiding: Hiding,
    pub(crate) origin: Origin,
    pub(super) order: u64,
}

impl AgentConfig {
    /// The config as lists show it.
    pub(super) fn summary(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "agentspec_schema_version": "v1alpha1",
            "content_hash": self.content_hash,
            "created_by": "83e3c1f2-0c0a-4b0e-a9ad-5ed5f2c8a3d7",
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.created_at),
        })
    }

    /// The config as a read shows it.
    pub(super) fn json(&self) -> Value {
        let mut object = members(self.summary());
        object.insert("manifest".into(), self.manifest.clone());
        object.insert("credentials".into(), json!(self.credentials));
        object.into()
    }
}

/// What a session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Until then, in virtual milliseconds. It may fail at the end.
    Provisioning {
        until: u64,
        fails: bool,
    },
    Ready,
    Detached,
    Paused,
    Failed,
    /// Until then, in virtual milliseconds.
    Destroying {
        until: u64,
    },
    Destroyed,
}

/// Statuses as words, and the stage that a planted session of each is in.
const STATUSES: [(&str, Stage); 7] = [
    (
        "SESSION_STATUS_PROVISIONING",
        Stage::Provisioning {
            until: u64::MAX,
            fails: false,
        },
    ),
    ("SESSION_STATUS_READY", Stage::Ready),
    ("SESSION_STATUS_DETACHED", Stage::Detached),
    ("SESSION_STATUS_PAUSED", Stage::Paused),
    ("SESSION_STATUS_FAILED", Stage::Failed),
    (
        "SESSION_STATUS_DESTROYING",
        Stage::Destroying { until: u64::MAX },
    ),
    ("SESSION_STATUS_DESTROYED", Stage::Destroyed),
];

impl Stage {
    pub(super) fn of(word: &str) -> Option<Self> {
        let known = STATUSES.iter().find(|(known, _)| *known == word)?;
        Some(known.1)
    }

    pub(super) fn word(self) -> &'static str {
        let [
            provisioning,
            ready,
            detached,
            paused,
            failed,
            destroying,
            destroyed,
        ] = STATUSES;
        let (word, _) = match self {
            Self::Provisioning { .. } => provisioning,
            Self::Ready => ready,
            Self::Detached => detached,
            Self::Paused => paused,
            Self::Failed => failed,
            Self::Destroying { .. } => destroying,
            Self::Destroyed => destroyed,
        };
        word
    }

    /// Whether lists show it that ask for no status.
    pub(super) fn is_listed(self) -> bool {
        !matches!(self, Self::Failed | Self::Destroyed)
    }

    /// Whether it holds its name, and its config in place.
    pub(super) fn is_live(self) -> bool {
        self.is_listed() && !matches!(self, Self::Destroying { .. })
    }
}

/// A sandbox in which an agent works.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) config: String,
    pub(super) stage: Stage,
    /// It goes on by itself when the balance is there again.
    #[serde(default)]
    pub(super) resume_on_topoff: bool,
    /// Milliseconds since the epoch.
    pub(super) created_at: u64,
    pub(super) last_event_at: u64,
    pub(super) events: Vec<Value>,
    pub(crate) hiding: Hiding,
    pub(crate) origin: Origin,
    pub(super) order: u64,
}

impl Session {
    /// Brings the session up to `now`.
    pub(super) fn settle(&mut self, now: u64) {
        self.stage = match self.stage {
            Stage::Provisioning { until, fails } if now >= until => {
                if fails {
                    Stage::Failed
                } else {
                    Stage::Ready
                }
            }
            Stage::Destroying { until } if now >= until => Stage::Destroyed,
            other => other,
        };
    }

    pub(crate) fn status(&self) -> &'static str {
        self.stage.word()
    }

    pub(super) fn json(&self, visibility: &Visibility) -> Value {
        let mut object = members(json!({
            "session_id": self.id,
            "name": self.name,
            "team_id": TEAM,
            "agent_kind": "AGENT_KIND_CLAUDE_CODE",
            "status": self.status(),
            "config_id": self.config,
            "created_at": rfc3339(self.created_at),
            "last_event_at": rfc3339(self.last_event_at),
        }));
        if self.stage == Stage::Paused {
            object.insert("pause_reason".into(), "manual".into());
        }
        if visibility.session_settings_in_reads {
            object.insert("resume_on_topoff".into(), self.resume_on_topoff.into());
        }
        object.into()
    }
}
