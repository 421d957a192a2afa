//! What needs attention in managed agents: runs that failed, users who asked for a human, and what
//! DigitalOcean's analysis of dialogues found.
//!
//! Everything here is read. Consent governs all of it: of an environment that does not collect,
//! nothing is told. The number of requests is bounded, and the newest sessions come first.

mod dialogues;
mod title;

use std::collections::{HashMap, HashSet};

use berth_sdk::Host;
use berth_sdk::Kind as _;
use berth_sdk::answers::one_line;
use berth_sdk::http::Api;
use berth_sdk::manifest::{Secrets as _, get};
use berth_sdk::types::{Error, Read, Severity, Signal};
use serde::Deserialize;

use self::dialogues::Analysed;
use super::environment::Environment;
use super::page;
use super::session::{Found, Session, Sessions};
use crate::api::api;
use crate::time::millis;

/// The most signals that a host keeps. Those of all tenants of the account are among them.
const MOST: usize = 5_000;
/// Requests of one call, well below what the API allows in a minute.
const REQUESTS: u32 = 60;
/// Of them, those for the sessions of the account and of its environments.
const FOR_SESSIONS: u32 = 5;
const FOR_ENVIRONMENTS: u32 = 25;
/// The longest detail, in characters.
const DETAIL: usize = 500;
/// What the names of sessions start with that a host of ours made.
const OURS: &str = "bc-r-";

/// What is read for signals. What users wrote, and what agents did with it, is blanked by the host.
pub(crate) fn reads() -> Vec<Read> {
    vec![
        get("/v1/consent"),
        get("/v1/signals/agents/{any}/sessions"),
        get("/v1/signals/sessions/{any}/dialogues")
            .foreign(&["/edges/*/node/user_message", "/edges/*/node/steps"]),
        get("/v2/agents/sessions"),
    ]
}

#[derive(Debug, Deserialize)]
struct Consents {
    consents: Option<Vec<Consent>>,
}

#[derive(Debug, Deserialize)]
struct Consent {
    agent_id: Option<String>,
    enabled: Option<bool>,
}

/// The signals of the account, the newest first.
pub(crate) fn read(host: &dyn Host) -> Result<Vec<Signal>, Error> {
    let mut reader = Reader {
        api: api(host),
        left: REQUESTS,
    };
    let environments = reader.environments()?;
    if environments.is_empty() {
        return Ok(Vec::new());
    }
    let sessions = reader.sessions()?;
    let mut signals: Vec<Signal> = sessions
        .values()
        .filter(|session| session.has_failed())
        .filter_map(|session| failed(session, &environments))
        .collect();
    let mut analysed = reader.analysed(&environments)?;
    // A run may have failed in any session, but those with findings come first.
    analysed.sort_by_key(|session| (!session.has_signals, std::cmp::Reverse(session.started_at)));
    for session in analysed {
        if reader.left == 0 || signals.len() >= MOST {
            break;
        }
        let about = subject(&session, sessions.get(&session.id));
        signals.extend(reader.dialogues(&session, &about)?);
    }
    let mut seen = HashSet::new();
    signals.retain(|signal| seen.insert(signal.id.clone()));
    signals.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.id.cmp(&other.id)));
    signals.truncate(MOST);
    Ok(signals)
}

/// The resource that a signal is about, and what its session is called.
struct Subject {
    kind: &'static str,
    provider_id: String,
    session: String,
}

/// A session that a host of ours made is a resource of its own. Any other was started from an
/// environment, and that is what a tenant knows.
fn subject(session: &Analysed, shown: Option<&Found>) -> Subject {
    let name = shown.and_then(|shown| shown.name.as_deref());
    let label = name.unwrap_or(&session.id).to_owned();
    if name.is_some_and(|name| name.starts_with(OURS)) {
        return Subject {
            kind: Session::ID,
            provider_id: session.id.clone(),
            session: label,
        };
    }
    Subject {
        kind: Environment::ID,
        provider_id: session.environment.clone(),
        session: label,
    }
}

fn failed(session: &Found, environments: &[String]) -> Option<Signal> {
    let environment = session.config_id.as_ref()?;
    if !environments.contains(environment) {
        return None;
    }
    let at = [&session.last_event_at, &session.created_at]
        .into_iter()
        .flatten()
        .find_map(|time| millis(time))?;
    let about = subject(
        &Analysed {
            id: session.session_id.clone(),
            environment: environment.clone(),
            started_at: at,
            has_signals: true,
        },
        Some(session),
    );
    Some(Signal {
        id: format!("{}:failed", session.session_id),
        severity: Severity::Critical,
        title: "A session failed".to_owned(),
        detail: Some(one_line(&format!("session {}", about.session), DETAIL - 1)),
        at,
        kind: about.kind.to_owned(),
        provider_id: about.provider_id,
    })
}

struct Reader<'a> {
    api: Api<'a>,
    /// Requests that may still be sent.
    left: u32,
}

impl Reader<'_> {
    /// Takes one request from the budget.
    fn spend(&mut self) -> bool {
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }

    /// Environments that collect. Not being allowed to ask is not being allowed to know.
    fn environments(&mut self) -> Result<Vec<String>, Error> {
        self.spend();
        let answer = self
            .api
            .get(&["v1", "consent"])
            .query("source", "agent")
            .send()
            .and_then(|answer| answer.json::<Consents>());
        let consents = match answer {
            Ok(answer) => answer.consents.unwrap_or_default(),
            Err(Error::Denied(_) | Error::NotFound(_)) => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(consents
            .into_iter()
            .filter(|consent| consent.enabled == Some(true))
            .filter_map(|consent| consent.agent_id)
            .filter(|id| !id.is_empty())
            .collect())
    }

    /// The account's sessions by their ids, failed ones too, as far as a few pages show them.
    fn sessions(&mut self) -> Result<HashMap<String, Found>, Error> {
        let mut sessions = HashMap::new();
        let mut token: Option<String> = None;
        for _ in 0..FOR_SESSIONS {
            if !self.spend() {
                break;
            }
            let request = self
                .api
                .get(&["v2", "agents", "sessions"])
                .query("status", "SESSION_STATUS_ALL");
            let answer: Sessions = match page(request, token.as_deref())
                .send()
                .and_then(|answer| answer.json())
            {
                Ok(answer) => answer,
                Err(Error::Denied(_) | Error::NotFound(_)) => break,
                Err(error) => return Err(error),
            };
            let shown = answer.sessions.unwrap_or_default();
            sessions.extend(
                shown
                    .into_iter()
                    .map(|session| (session.session_id.clone(), session)),
            );
            token = answer.next_page_token.filter(|token| !token.is_empty());
            if token.is_none() {
                break;
            }
        }
        Ok(sessions)
    }
}
