//! Sessions: `/v2/agents/sessions`.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::{StatusCode, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Session;
use super::record::Stage;
use crate::body;
use crate::clock::wall_ms;
use crate::clusters::record::Origin;
use crate::cursors::TokenPage;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::hiding::Hiding;
use crate::query;
use crate::world::{Shared, World};

/// The status by which a list shows everything.
const ALL: &str = "SESSION_STATUS_ALL";

#[derive(Deserialize)]
struct NewSession {
    name: Option<String>,
    config_id: String,
    #[serde(default)]
    resume_on_topoff: bool,
}

/// `POST /v2/agents/sessions`.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewSession = body::AGENT_SESSION_CREATE.read(&bytes)?;
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let fails = world.agents.failing > 0;
    let stage = Stage::Provisioning {
        until: now.saturating_add(world.config.times.session),
        fails,
    };
    let hiding = Hiding::at_first(&world.config.visibility, now);
    let name = wanted
        .name
        .unwrap_or_else(|| format!("session-{}", world.random.word(8)));
    let config = Arc::clone(&world.config);
    let session = world.add_session(&wanted.config_id, name, stage, Origin::Api, now)?;
    session.hiding = hiding;
    session.resume_on_topoff = wanted.resume_on_topoff;
    let shown = session.json(&config.visibility);
    world.agents.failing = world.agents.failing.saturating_sub(1);
    Ok(answer(StatusCode::CREATED, &json!({"session": shown})))
}

impl World {
    /// Adds a session of a config.
    pub(super) fn add_session(
        &mut self,
        config: &str,
        name: String,
        stage: Stage,
        origin: Origin,
        now: u64,
    ) -> Result<&mut Session, ApiError> {
        if !self.agents.configs.contains_key(config) {
            return Err(ApiError::not_found());
        }
        if stage.is_live() {
            self.agents.check_session_name(&name, now)?;
        }
        let id = self.random.uuid();
        let order = self.agents.next_order();
        let created_at = wall_ms();
        self.totals.sessions_made += 1;
        Ok(self
            .agents
            .sessions
            .entry(id.clone())
            .or_insert_with(|| Session {
                id,
                name,
                config: config.to_owned(),
                stage,
                resume_on_topoff: false,
                created_at,
                last_event_at: created_at,
                events: Vec::new(),
                hiding: Hiding::default(),
                origin,
                order,
            }))
    }
}

impl super::Agents {
    /// Refuses a name that a live session has.
    fn check_session_name(&mut self, name: &str, now: u64) -> Result<(), ApiError> {
        self.settle(now);
        let mut all = self.sessions.values();
        if all.any(|other| other.stage.is_live() && other.name == name) {
            return Err(ApiError::conflict(format!(
                "name: a session named `{name}` already exists"
            )));
        }
        Ok(())
    }
}

/// `GET /v2/agents/sessions`, in parts. Failed and destroyed ones are shown if asked for.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, uri: Uri, page: TokenPage) -> Answer {
    listed(&shared, &uri, &page, None)
}

/// `GET /v2/agents/configs/{id}/sessions`.
pub(crate) async fn list_of_config(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    uri: Uri,
    page: TokenPage,
) -> Answer {
    shared.world().agents.config(&id)?;
    listed(&shared, &uri, &page, Some(&id))
}

fn listed(shared: &Shared, uri: &Uri, page: &TokenPage, config: Option<&str>) -> Answer {
    let now = shared.clock.now();
    let status = query::get(uri, "status");
    if let Some(word) = &status
        && word != ALL
        && Stage::of(word).is_none()
    {
        return Err(ApiError::bad_request(format!("`status` is `{word}`")));
    }
    let name = query::get(uri, "name");
    let mut guard = shared.world();
    let world = &mut *guard;
    let remembered = world.config.visibility.destroyed_sessions;
    world.agents.settle(now);
    let shown: Vec<(u64, Value)> = world
        .agents
        .sessions
        .values()
        .filter(|session| remembered || session.stage != Stage::Destroyed)
        .filter(|session| config.is_none_or(|id| session.config == id))
        .filter(|session| match status.as_deref() {
            None => session.stage.is_listed(),
            Some(ALL) => true,
            Some(word) => session.status() == word,
        })
        .filter(|session| name.as_ref().is_none_or(|name| session.name == *name))
        .filter(|session| !session.hiding.hides_in_list(now))
        .map(|session| (session.order, session.json(&world.config.visibility)))
        .collect();
    Ok(answer(StatusCode::OK, &page.json("sessions", shown)))
}

impl World {
    /// A session that can be addressed.
    pub(super) fn shown_session(&mut self, id: &str, now: u64) -> Result<&mut Session, ApiError> {
        let remembered = self.config.visibility.destroyed_sessions;
        let session = self.agents.session(id, now)?;
        if session.stage == Stage::Destroyed && !remembered {
            return Err(ApiError::not_found());
        }
        Ok(session)
    }
}

/// `GET /v2/agents/sessions/{id}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let config = Arc::clone(&world.config);
    let session = world.shown_session(&id, now)?;
    session.hiding.check_read(now)?;
    let shown = session.json(&config.visibility);
    Ok(answer(StatusCode::OK, &json!({"session": shown})))
}

#[derive(Deserialize)]
struct Changes {
    name: Option<String>,
    resume_on_topoff: Option<bool>,
}

/// `PATCH /v2/agents/sessions/{id}`: what is left out stays.
pub(crate) async fn patch(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let old = world.shown_session(&id, now)?.name.clone();
    let wanted: Changes = body::AGENT_SESSION_PATCH.read(&bytes)?;
    if let Some(name) = wanted.name.filter(|name| *name != old) {
        world.agents.check_session_name(&name, now)?;
        world.agents.session(&id, now)?.name = name;
    }
    let session = world.agents.session(&id, now)?;
    if let Some(resumes) = wanted.resume_on_topoff {
        session.resume_on_topoff = resumes;
    }
    let shown = session.json(&world.config.visibility);
    Ok(answer(StatusCode::OK, &json!({"session": shown})))
}

/// `POST /v2/agents/sessions/{id}/pause`.
pub(crate) async fn pause(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    turn(
        &shared,
        &id,
        &[Stage::Ready, Stage::Detached],
        Stage::Paused,
    )
}

/// `POST /v2/agents/sessions/{id}/resume`.
pub(crate) async fn resume(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    turn(&shared, &id, &[Stage::Paused], Stage::Ready)
}

fn turn(shared: &Shared, id: &str, from: &[Stage], to: Stage) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let session = world.shown_session(id, now)?;
    if session.stage != to && !from.contains(&session.stage) {
        return Err(ApiError::conflict(format!(
            "session {id} is {}",
            session.status()
        )));
    }
    session.stage = to;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `DELETE /v2/agents/sessions/{id}`. A session that is going or gone is as good.
pub(crate) async fn delete(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let until = now.saturating_add(world.config.times.session_destroy);
    let session = world.shown_session(&id, now)?;
    if !matches!(session.stage, Stage::Destroying { .. } | Stage::Destroyed) {
        session.stage = Stage::Destroying { until };
        world.totals.sessions_gone += 1;
    }
    Ok(empty(StatusCode::NO_CONTENT))
}
