//! Sessions that were analysed, and the signals in their dialogues.

use berth_sdk::answers::one_line;
use berth_sdk::types::{Error, Signal};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{DETAIL, FOR_ENVIRONMENTS, Reader, Subject, title};
use crate::time::millis;

/// Items of a page.
const LIMIT: &str = "100";
/// Pages of one environment's sessions, and of one session's dialogues.
const PAGES: u32 = 3;
/// The longest part of an id that the provider gives, in characters: the host takes ids of 200 bytes.
const LONGEST_ID: usize = 64;

/// A session that was analysed.
#[derive(Debug, Clone)]
pub(super) struct Analysed {
    pub(super) id: String,
    pub(super) environment: String,
    pub(super) started_at: u64,
    /// The analysis found something in it.
    pub(super) has_signals: bool,
}

/// A page by cursors. One item that is not as it should be leaves the others readable.
#[derive(Debug, Deserialize)]
struct Connection {
    #[serde(default)]
    edges: Vec<Edge>,
    page_info: Option<PageInfo>,
}

#[derive(Debug, Deserialize)]
struct Edge {
    cursor: Option<String>,
    node: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct PageInfo {
    has_next_page: Option<bool>,
}

impl Connection {
    /// The cursor of the next page: that of the last item, if there is more.
    fn next(&self) -> Option<String> {
        self.page_info
            .as_ref()?
            .has_next_page
            .filter(|has_next| *has_next)?;
        self.edges.last()?.cursor.clone()
    }
}

#[derive(Debug, Deserialize)]
struct SessionNode {
    session_id: Option<String>,
    signal_count: Option<u64>,
    started_at: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Dialogue {
    id: Option<Value>,
    sequence: Option<u64>,
    created_at: Option<String>,
    run_status: Option<String>,
    signals: Option<Vec<Value>>,
}

impl Reader<'_> {
    /// Sessions of these environments.
    pub(super) fn analysed(&mut self, environments: &[String]) -> Result<Vec<Analysed>, Error> {
        let mut analysed = Vec::new();
        let keeps = self.left.saturating_sub(FOR_ENVIRONMENTS);
        for environment in environments {
            let path = ["v1", "signals", "agents", environment, "sessions"];
            let nodes = self.nodes::<SessionNode>(&path, keeps)?;
            analysed.extend(nodes.into_iter().filter_map(|node| {
                Some(Analysed {
                    id: node.session_id.filter(|id| !id.is_empty())?,
                    // One without its count may have some.
                    has_signals: node.signal_count != Some(0),
                    environment: environment.clone(),
                    started_at: node.started_at.as_deref().and_then(millis).unwrap_or(0),
                })
            }));
        }
        Ok(analysed)
    }

    /// Signals of a session's dialogues.
    pub(super) fn dialogues(
        &mut self,
        session: &Analysed,
        about: &Subject,
    ) -> Result<Vec<Signal>, Error> {
        let path = ["v1", "signals", "sessions", &session.id, "dialogues"];
        let dialogues = self.nodes::<Dialogue>(&path, 0)?;
        Ok(dialogues
            .iter()
            .flat_map(|dialogue| dialogue.signals(session, about))
            .collect())
    }

    /// The items of a list, while more than `keeps` requests are left. What is not there, or not to be
    /// seen, has none.
    fn nodes<N: DeserializeOwned>(&mut self, path: &[&str], keeps: u32) -> Result<Vec<N>, Error> {
        let mut nodes = Vec::new();
        let mut after: Option<String> = None;
        for _ in 0..PAGES {
            if self.left <= keeps || !self.spend() {
                break;
            }
            let request = self.api.get(path).query("limit", LIMIT);
            let request = match &after {
                Some(after) => request.query("after", after),
                None => request,
            };
            let answer: Connection = match request.send().and_then(|answer| answer.json()) {
                Ok(answer) => answer,
                Err(Error::Denied(_) | Error::NotFound(_)) => break,
                Err(error) => return Err(error),
            };
            after = answer.next();
            let shown = answer.edges.into_iter().filter_map(|edge| edge.node);
            nodes.extend(shown.filter_map(|node| serde_json::from_value(node).ok()));
            if after.is_none() {
                break;
            }
        }
        Ok(nodes)
    }
}

impl Dialogue {
    fn signals(&self, session: &Analysed, about: &Subject) -> Vec<Signal> {
        let at = self
            .created_at
            .as_deref()
            .and_then(millis)
            .unwrap_or(session.started_at);
        let turn = match (&self.id, self.sequence) {
            (Some(Value::String(id)), _) => id.clone(),
            (Some(Value::Number(id)), _) => id.to_string(),
            (_, Some(sequence)) => format!("turn-{sequence}"),
            _ => return Vec::new(),
        };
        if at == 0 {
            return Vec::new();
        }
        let place = match self.sequence {
            Some(sequence) => format!("turn {sequence} of session {}", about.session),
            None => format!("session {}", about.session),
        };
        let mut found: Vec<&str> = self
            .signals
            .iter()
            .flatten()
            .filter_map(signal_type)
            .collect();
        if self.run_status.as_deref() == Some("failed") && !found.contains(&title::FAILED_RUN) {
            found.push(title::FAILED_RUN);
        }
        found
            .into_iter()
            .map(|name| {
                let (severity, title) = title::of(name);
                Signal {
                    id: [session.id.as_str(), &turn, name].map(short).join(":"),
                    severity,
                    title,
                    detail: Some(one_line(&place, DETAIL - 1)),
                    at,
                    kind: about.kind.to_owned(),
                    provider_id: about.provider_id.clone(),
                }
            })
            .collect()
    }
}

/// A signal is its type, or an object that names it.
fn signal_type(signal: &Value) -> Option<&str> {
    signal
        .as_str()
        .or_else(|| signal.get("signal_type")?.as_str())
        .filter(|name| !name.trim().is_empty())
}

fn short(part: &str) -> String {
    part.chars()
        .filter(|c| c.is_ascii_graphic())
        .take(LONGEST_ID)
        .collect()
}
