//! What the analysis of sessions says: `/v1/consent` and `/v1/signals`. All of it is planted, and
//! read only.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use http::{StatusCode, Uri};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Agents, TEAM};
use crate::clock::wall_ms;
use crate::controls::{Controls, Refused, no_such};
use crate::cursors::EdgePage;
use crate::error::{Answer, ApiError, json as answer};
use crate::merge::merge;
use crate::query;
use crate::times::rfc3339;
use crate::world::Shared;

/// Whether an agent's sessions are analysed.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Consent {
    id: u64,
    enabled: bool,
    updated_at: u64,
}

/// All that the analysis knows.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Signals {
    consents: BTreeMap<String, Consent>,
    /// Sessions that no session stands behind, with their places, by agent.
    odd_sessions: BTreeMap<String, Vec<(u64, Value)>>,
    /// Dialogues with their places, oldest first, by session.
    dialogues: BTreeMap<String, Vec<(u64, Value)>>,
}

/// What the analysis can find.
const TYPES: [&str; 6] = [
    "disengagement_abandonment",
    "disengagement_escalation",
    "disengagement_negative_stance",
    "environment_exhaustion_api_error",
    "execution_failure",
    "execution_looping",
];

/// The types of a dialogue's signals, which are words or objects.
fn types(dialogue: &Value) -> impl Iterator<Item = &str> {
    let signals = dialogue.get("signals").and_then(Value::as_array);
    signals
        .into_iter()
        .flatten()
        .filter_map(|signal| signal.as_str().or_else(|| signal["signal_type"].as_str()))
}

impl Agents {
    /// Refuses what the owner of an agent didn't consent to.
    fn check_consent(&self, agent: &str) -> Result<(), ApiError> {
        match self.signals.consents.get(agent) {
            Some(consent) if consent.enabled => Ok(()),
            _ => Err(ApiError::forbidden(format!(
                "agent {agent} has not consented to the collection of signals"
            ))),
        }
    }

    /// The agent whose session that is.
    fn agent_of(&self, session: &str) -> Option<&str> {
        if let Some(session) = self.sessions.get(session) {
            return Some(&session.config);
        }
        let known = self
            .signals
            .odd_sessions
            .iter()
            .find(|(_, all)| all.iter().any(|(_, node)| node["session_id"] == session));
        known.map(|(agent, _)| agent.as_str())
    }

    /// What is told of an agent's sessions that had dialogues: where each stands, when it began
    /// in milliseconds since the epoch, and the node.
    fn analysed(&self, agent: &str) -> Vec<(u64, Option<u64>, Value)> {
        let sessions = self.sessions.values();
        let mut all: Vec<(u64, Option<u64>, Value)> = sessions
            .filter(|session| session.config == agent)
            .filter_map(|session| {
                let dialogues = self.signals.dialogues.get(&session.id)?;
                let count: usize = dialogues.iter().map(|(_, one)| types(one).count()).sum();
                let node = json!({
                    "session_id": session.id,
                    "signal_count": count,
                    "started_at": rfc3339(session.created_at),
                    "duration_seconds": 300,
                    "total_turns": dialogues.len(),
                });
                Some((session.order, Some(session.created_at), node))
            })
            .collect();
        let odd = self.signals.odd_sessions.get(agent);
        all.extend(
            odd.into_iter()
                .flatten()
                .map(|(place, node)| (*place, None, node.clone())),
        );
        all
    }

    /// Whether a session has a signal of one of these types; of no types: always.
    fn has_signal(&self, session: &str, wanted: &[String]) -> bool {
        let dialogues = self.signals.dialogues.get(session);
        wanted.is_empty()
            || dialogues
                .into_iter()
                .flatten()
                .any(|(_, one)| types(one).any(|found| wanted.iter().any(|one| one == found)))
    }
}

/// `GET /v1/consent`: which agents' sessions are analysed. An agent that isn't there has denied.
pub(crate) async fn consents(State(shared): State<Arc<Shared>>, uri: Uri) -> Answer {
    if let Some(source) = query::get(&uri, "source")
        && source != "agent"
    {
        return Err(ApiError::bad_request(format!(
            "`source` is `{source}`; it must be agent"
        )));
    }
    let world = shared.world();
    let consents: Vec<Value> = world
        .agents
        .signals
        .consents
        .iter()
        .map(|(agent, consent)| {
            json!({
                "id": consent.id,
                "team_id": TEAM,
                "agent_id": agent,
                "source": "agent",
                "enabled": consent.enabled,
                "updated_at": rfc3339(consent.updated_at),
            })
        })
        .collect();
    Ok(answer(
        StatusCode::OK,
        &json!({"team_id": TEAM, "consents": consents}),
    ))
}

/// Seconds since the epoch that a query names.
fn seconds(uri: &Uri, name: &str) -> Result<Option<u64>, ApiError> {
    let Some(text) = query::get(uri, name) else {
        return Ok(None);
    };
    let seconds = text.parse().map_err(|_| {
        ApiError::bad_request(format!(
            "`{name}` is `{text}`; it must be seconds since the epoch"
        ))
    })?;
    Ok(Some(seconds))
}

/// The types of signals that a query names, none for all.
fn wanted_types(uri: &Uri) -> Result<Vec<String>, ApiError> {
    let wanted: Vec<String> = query::pairs(uri)
        .filter(|(name, _)| name == "signal_type")
        .map(|(_, value)| value)
        .collect();
    match wanted.iter().find(|word| !TYPES.contains(&word.as_str())) {
        None => Ok(wanted),
        Some(word) => Err(ApiError::bad_request(format!(
            "`signal_type` is `{word}`, which there is none of"
        ))),
    }
}

/// `GET /v1/signals/agents/{id}/sessions`.
pub(crate) async fn sessions(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    uri: Uri,
    page: EdgePage,
) -> Answer {
    let (from, to) = (seconds(&uri, "start_time")?, seconds(&uri, "end_time")?);
    let wanted = wanted_types(&uri)?;
    let mut world = shared.world();
    world.agents.config(&id)?;
    world.agents.check_consent(&id)?;
    let agents = &world.agents;
    let shown: Vec<(u64, Value)> = agents
        .analysed(&id)
        .into_iter()
        .filter(|(_, began, _)| {
            let began = began.map(|ms| ms / 1000);
            let after = from.zip(began).is_none_or(|(from, began)| began >= from);
            after && to.zip(began).is_none_or(|(to, began)| began < to)
        })
        .filter(|(_, _, node)| {
            let session = node["session_id"].as_str().unwrap_or_default();
            agents.has_signal(session, &wanted)
        })
        .map(|(place, _, node)| (place, node))
        .collect();
    Ok(answer(StatusCode::OK, &page.json(shown)))
}

/// `GET /v1/signals/sessions/{id}/dialogues`.
pub(crate) async fn dialogues(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    uri: Uri,
    page: EdgePage,
) -> Answer {
    let wanted = wanted_types(&uri)?;
    let world = shared.world();
    let agent = world.agents.agent_of(&id).ok_or_else(ApiError::not_found)?;
    world.agents.check_consent(agent)?;
    let all = world.agents.signals.dialogues.get(&id);
    let shown: Vec<(u64, Value)> = all
        .into_iter()
        .flatten()
        .filter(|(_, one)| {
            wanted.is_empty() || types(one).any(|found| wanted.iter().any(|one| one == found))
        })
        .cloned()
        .collect();
    let mut shown = page.json(shown);
    shown["session_id"] = id.into();
    Ok(answer(StatusCode::OK, &shown))
}

/// `GET /v1/signals/exports/options`: what the analysis can find.
pub(crate) async fn options() -> Answer {
    Ok(answer(
        StatusCode::OK,
        &json!({"filters": {"signal_type": TYPES}}),
    ))
}

impl Controls {
    /// Says whether the sessions of an agent are analysed, whether or not there is such an agent.
    pub fn plant_consent(&self, agent: &str, enabled: bool) {
        let mut guard = self.shared.world();
        let consents = &mut guard.agents.signals.consents;
        let id = consents.len() as u64 + 1;
        let consent = consents.entry(agent.to_owned()).or_insert(Consent {
            id,
            enabled,
            updated_at: 0,
        });
        consent.enabled = enabled;
        consent.updated_at = wall_ms();
    }

    /// Adds a dialogue to a session: a finished one without signals, with `patch` (RFC 7396) put
    /// in, such as `{"signals": ["disengagement_escalation"]}`, or in its place if it is no object.
    pub fn plant_dialogue(&self, session: &str, patch: &Value) {
        let mut guard = self.shared.world();
        let agents = &mut guard.agents;
        let place = agents.next_order();
        let all = &mut agents.signals.dialogues;
        let all = all.entry(session.to_owned()).or_default();
        let mut dialogue = json!({
            "id": 900 + place,
            "sequence": all.len() + 1,
            "run_status": "completed",
            "signals": [],
            "user_message": "please look at this",
        });
        merge(&mut dialogue, patch);
        all.push((place, dialogue));
    }

    /// Adds to what is told of an agent's sessions one that no session stands behind, with
    /// `patch` (RFC 7396) put in, or in its place if it is no object.
    pub fn plant_analysed_session(&self, agent: &str, patch: &Value) {
        let mut guard = self.shared.world();
        let world = &mut *guard;
        let mut node = json!({
            "session_id": world.random.uuid(),
            "signal_count": 1,
            "started_at": rfc3339(wall_ms()),
            "duration_seconds": 60,
            "total_turns": 1,
        });
        merge(&mut node, patch);
        let place = world.agents.next_order();
        let all = &mut world.agents.signals.odd_sessions;
        all.entry(agent.to_owned()).or_default().push((place, node));
    }

    /// The plain value of a secret of an agent's manifest, which the provider API never shows.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn agent_secret(&self, agent: &str, name: &str) -> Result<Option<String>, Refused> {
        let mut world = self.shared.world();
        let config = world.agents.any_config(agent);
        let config = config.ok_or_else(|| no_such(agent))?;
        Ok(config.secrets.get(name).cloned())
    }
}
