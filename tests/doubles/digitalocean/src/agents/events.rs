//! What happened in a session: `/v2/agents/sessions/{id}/events`, as server-sent events.
//!
//! Only what has happened is told: `replay_only=true` must be asked for.

use std::fmt::Write;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderValue, Uri, header};
use serde_json::{Value, json};

use super::TEAM;
use crate::clock::wall_ms;
use crate::controls::{Controls, Refused, no_such};
use crate::error::{Answer, ApiError};
use crate::merge::merge;
use crate::query;
use crate::times::rfc3339;
use crate::world::Shared;

/// `GET /v2/agents/sessions/{id}/events?replay_only=true`.
pub(crate) async fn replay(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Answer {
    if query::get(&uri, "replay_only").as_deref() != Some("true") {
        return Err(ApiError::bad_request(
            "`replay_only` must be true: this double has no live streams",
        ));
    }
    let now = shared.clock.now();
    let mut world = shared.world();
    let session = world.shown_session(&id, now)?;
    let mut text = String::new();
    for event in &session.events {
        let word = |member: &str| event[member].as_str().unwrap_or_default().to_owned();
        // Writing to a string never fails.
        let _ = write!(
            text,
            "id: {}\nevent: {}\ndata: {event}\n\n",
            word("event_id"),
            word("type")
        );
    }
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    Ok(response)
}

impl Controls {
    /// Adds an event to a session: one of the type `kind`, with `patch` (RFC 7396) put in.
    ///
    /// # Errors
    /// When there is no such session.
    pub fn plant_session_event(
        &self,
        session: &str,
        kind: &str,
        patch: &Value,
    ) -> Result<(), Refused> {
        let mut guard = self.shared.world();
        let world = &mut *guard;
        let run = world.random.uuid();
        let place = world.agents.next_order();
        let record = world
            .agents
            .any_session(session)
            .ok_or_else(|| no_such(session))?;
        let mut event = json!({
            "event_id": format!("01J{place:023}"),
            "run_id": run,
            "session_id": session,
            "tenant_id": TEAM.to_string(),
            "timestamp": rfc3339(wall_ms()),
            "seq": record.events.len() + 1,
            "type": kind,
            "data": {},
        });
        merge(&mut event, patch);
        record.events.push(event);
        record.last_event_at = wall_ms();
        Ok(())
    }
}
