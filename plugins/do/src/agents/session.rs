//! `do.agents.session`: a session of an environment, owned by its name.

use berth_sdk::manifest::{get, kind, names, outputs, write};
use berth_sdk::paging;
use berth_sdk::types::{Error, Family, Kind as KindEntry, Operation, Ownership, Phase};
use berth_sdk::{Call, Host, Kind, Listed, Listing, Observed, polling, schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::environment::Environment;
use super::{ID, page};
use crate::api::api;
use crate::named;
use crate::spec::agents::Session as Spec;

/// The kind.
pub(crate) struct Session;

#[derive(Debug, Deserialize)]
struct SessionAnswer {
    session: Found,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sessions {
    pub(super) sessions: Option<Vec<Found>>,
    pub(super) next_page_token: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Found {
    pub(super) session_id: String,
    pub(super) name: Option<String>,
    pub(super) status: Option<String>,
    pub(super) config_id: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) last_event_at: Option<String>,
    agent_kind: Option<String>,
    pause_reason: Option<String>,
    resume_on_topoff: Option<bool>,
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pause_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_event_at: Option<String>,
}

/// The API may not show the setting, so what was applied is remembered.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Memo {
    /// When the session was asked for, or first seen.
    since: u64,
    resume_on_topoff: Option<bool>,
}

impl Memo {
    fn of(call: &Call<'_, Spec>) -> Self {
        call.memo().unwrap_or_else(|| Self {
            since: call.now(),
            resume_on_topoff: None,
        })
    }

    fn written(call: &Call<'_, Spec>) -> Self {
        Self {
            resume_on_topoff: call.spec().resume_on_topoff,
            ..Self::of(call)
        }
    }
}

impl Kind for Session {
    const ID: &'static str = "do.agents.session";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        let session = "/v2/agents/sessions/{id}";
        KindEntry {
            outputs: outputs(&[
                ("id", "The provider's id of the session"),
                ("status", "State at the provider"),
                ("agent_kind", "What runs in it"),
                ("pause_reason", "Why it is paused"),
                ("created_at", "Time of creation"),
                ("last_event_at", "Time of its last event"),
            ]),
            updatable: names(&["resume_on_topoff"]),
            parents: names(&[Environment::ID]),
            preview: true,
            ownership: Ownership::Name,
            id_pattern: ID.to_owned(),
            reads: vec![get(session), get("/v2/agents/configs/{parent}/sessions")],
            writes: vec![
                write(Operation::Create, "POST", "/v2/agents/sessions"),
                write(Operation::Update, "PATCH", session),
                write(Operation::Delete, "DELETE", session),
            ],
            ..kind(
                Self::ID,
                "Session of managed agents",
                Family::Ai,
                schema!("do.agents.session"),
            )
        }
    }

    /// A name may be used again once a session of it ended, so ended ones are passed over; a failed
    /// one is there until it is deleted.
    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        let environment = &call.parent()?.provider_id;
        let all = paging::follow(|token| {
            read_page(call.host(), environment, Some("SESSION_STATUS_ALL"), token)
        })?;
        Ok(all
            .into_iter()
            .find(|session| {
                session.name.as_deref() == Some(call.name()) && phase(session) != Phase::Gone
            })
            .map(|session| observed(session, call, &Memo::of(call))))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let answer: SessionAnswer = api(call.host())
            .get(&["v2", "agents", "sessions", call.provider_id()?])
            .send()?
            .json()?;
        named::told(observed(answer.session, call, &Memo::of(call)))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let mut body = json!({"name": call.name(), "config_id": call.parent()?.provider_id});
        if let Some(resumes) = call.spec().resume_on_topoff {
            body["resume_on_topoff"] = json!(resumes);
        }
        let answer: SessionAnswer = api(call.host())
            .post(&["v2", "agents", "sessions"])
            .body(&body)
            .send()?
            .json()?;
        let created = observed(answer.session, call, &Memo::written(call));
        Ok(named::created(created, call.name()))
    }

    fn update(&self, call: &Call<'_, Spec>, fields: &[String]) -> Result<Observed<Outputs>, Error> {
        if !fields.iter().any(|field| field == "resume_on_topoff") {
            return self.observe(call);
        }
        // Taken out of the spec, it is what the API takes it for by itself.
        let resumes = call.spec().resume_on_topoff.unwrap_or(false);
        let answer: SessionAnswer = api(call.host())
            .patch(&["v2", "agents", "sessions", call.provider_id()?])
            .body(&json!({"resume_on_topoff": resumes}))
            .send()?
            .json()?;
        named::told(observed(answer.session, call, &Memo::written(call)))
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        match api(call.host())
            .delete(&["v2", "agents", "sessions", call.provider_id()?])
            .send()
        {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let environment = &listing.parent()?.provider_id;
        let (sessions, next) = read_page(listing.host(), environment, None, listing.cursor)?;
        let items = named::all_told(sessions.into_iter().map(bare));
        Ok(Listed { items, next })
    }
}

/// Without a status the API leaves out those that ended or failed.
fn read_page(
    host: &dyn Host,
    environment: &str,
    status: Option<&str>,
    token: Option<&str>,
) -> Result<(Vec<Found>, Option<String>), Error> {
    let mut request = api(host).get(&["v2", "agents", "configs", environment, "sessions"]);
    if let Some(status) = status {
        request = request.query("status", status);
    }
    let answer: Sessions = page(request, token).send()?.json()?;
    let next = answer.next_page_token.filter(|next| !next.is_empty());
    Ok((answer.sessions.unwrap_or_default(), next))
}

impl Found {
    pub(super) fn has_failed(&self) -> bool {
        self.status.as_deref() == Some("SESSION_STATUS_FAILED")
    }
}

fn phase(session: &Found) -> Phase {
    match session.status.as_deref().unwrap_or_default() {
        "SESSION_STATUS_READY" | "SESSION_STATUS_DETACHED" | "SESSION_STATUS_PAUSED" => {
            Phase::Ready
        }
        _ if session.has_failed() => {
            Phase::Failed("the session failed at the provider; delete it".to_owned())
        }
        "SESSION_STATUS_DESTROYED" => Phase::Gone,
        // Provisioning, destroying, and whatever comes to be.
        _ => Phase::Converging,
    }
}

fn bare(session: Found) -> Observed<Outputs> {
    let text = |text: Option<String>| text.filter(|text| !text.is_empty());
    let mut observed = Observed::new(
        &session.session_id,
        phase(&session),
        Outputs {
            id: session.session_id.clone(),
            status: text(session.status),
            agent_kind: text(session.agent_kind),
            pause_reason: text(session.pause_reason),
            created_at: text(session.created_at),
            last_event_at: text(session.last_event_at),
        },
    );
    observed.name = session.name;
    observed.spec = session
        .resume_on_topoff
        .map(|resumes| json!({"resume_on_topoff": resumes}));
    observed
}

fn observed(session: Found, call: &Call<'_, Spec>, memo: &Memo) -> Observed<Outputs> {
    let wanted = call.spec().resume_on_topoff;
    let is_applied = wanted.is_none()
        || wanted == session.resume_on_topoff
        || (session.resume_on_topoff.is_none() && wanted == memo.resume_on_topoff);
    let mut observed = bare(session);
    if !is_applied {
        observed.pending = vec!["resume_on_topoff".to_owned()];
    }
    if matches!(observed.phase, Phase::Converging) {
        observed.poll_after = Some(polling::after(memo.since, call.now()));
    }
    observed.memo = Some(json!(memo));
    observed
}
