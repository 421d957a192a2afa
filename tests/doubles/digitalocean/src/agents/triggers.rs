//! Triggers and their firings: `/v2/agents/triggers`. They are planted, and read only.

use std::sync::Arc;

use axum::extract::{Path, State};
use http::{StatusCode, Uri};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::TEAM;
use crate::clock::wall_ms;
use crate::controls::{Controls, Refused, no_such};
use crate::cursors::TokenPage;
use crate::error::{Answer, ApiError, json as answer};
use crate::merge::merge;
use crate::query;
use crate::times::rfc3339;
use crate::world::Shared;

/// What starts runs by itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Trigger {
    id: String,
    name: String,
    kind: String,
    created_at: u64,
    /// With their places, oldest first.
    executions: Vec<(u64, Value)>,
    order: u64,
}

impl Trigger {
    fn json(&self) -> Value {
        json!({
            "trigger_id": self.id,
            "team_id": TEAM,
            "name": self.name,
            "kind": self.kind,
            "status": "active",
            "session_mode": "fresh",
            "agent_kind": "AGENT_KIND_CLAUDE_CODE",
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.created_at),
        })
    }
}

/// `GET /v2/agents/triggers`, in parts.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, uri: Uri, page: TokenPage) -> Answer {
    let kind = query::get(&uri, "kind");
    let status = query::get(&uri, "status");
    let world = shared.world();
    let shown: Vec<(u64, Value)> = world
        .agents
        .triggers
        .values()
        .filter(|trigger| kind.as_ref().is_none_or(|kind| trigger.kind == *kind))
        .filter(|_| status.as_deref().is_none_or(|status| status == "active"))
        .map(|trigger| (trigger.order, trigger.json()))
        .collect();
    Ok(answer(StatusCode::OK, &page.json("triggers", shown)))
}

/// `GET /v2/agents/triggers/{id}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let world = shared.world();
    let trigger = world.agents.triggers.get(&id);
    let trigger = trigger.ok_or_else(ApiError::not_found)?;
    Ok(answer(StatusCode::OK, &json!({"trigger": trigger.json()})))
}

/// `GET /v2/agents/triggers/{id}/executions`, in parts, optionally those of a status.
pub(crate) async fn executions(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    uri: Uri,
    page: TokenPage,
) -> Answer {
    let status = query::get(&uri, "status");
    if let Some(word) = &status
        && !["pending", "running", "succeeded", "failed"].contains(&word.as_str())
    {
        return Err(ApiError::bad_request(format!(
            "`status` is `{word}`; it must be pending, running, succeeded or failed"
        )));
    }
    let world = shared.world();
    let trigger = world.agents.triggers.get(&id);
    let trigger = trigger.ok_or_else(ApiError::not_found)?;
    let shown: Vec<(u64, Value)> = trigger
        .executions
        .iter()
        .filter(|(_, one)| status.as_ref().is_none_or(|word| one["status"] == **word))
        .cloned()
        .collect();
    Ok(answer(StatusCode::OK, &page.json("executions", shown)))
}

impl Controls {
    /// Adds a trigger of a kind (`cron` or `webhook`) and tells its id.
    #[must_use]
    pub fn plant_trigger(&self, name: &str, kind: &str) -> String {
        let mut guard = self.shared.world();
        let world = &mut *guard;
        let id = world.random.uuid();
        let trigger = Trigger {
            id: id.clone(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            created_at: wall_ms(),
            executions: Vec::new(),
            order: world.agents.next_order(),
        };
        world.agents.triggers.insert(id.clone(), trigger);
        id
    }

    /// Adds a firing to a trigger: one that failed, with `patch` (RFC 7396) put in.
    ///
    /// # Errors
    /// When there is no such trigger.
    pub fn plant_execution(&self, trigger: &str, patch: &Value) -> Result<(), Refused> {
        let mut guard = self.shared.world();
        let world = &mut *guard;
        let mut execution = json!({
            "execution_id": world.random.uuid(),
            "trigger_id": trigger,
            "status": "failed",
            "session_id": world.random.uuid(),
            "run_id": world.random.uuid(),
            "failure_reason": "the model answered with an error",
            "created_at": rfc3339(wall_ms()),
            "updated_at": rfc3339(wall_ms()),
        });
        merge(&mut execution, patch);
        let place = world.agents.next_order();
        let record = world.agents.triggers.get_mut(trigger);
        let record = record.ok_or_else(|| no_such(trigger))?;
        record.executions.push((place, execution));
        Ok(())
    }
}
