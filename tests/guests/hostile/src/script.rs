//! What a call is told to do: steps one after another, then an answer.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::bindings::berth::provider::http::{self, HttpError, Request};
use crate::bindings::berth::provider::types::{
    Account, Error, Label, Linked, Observation, Phase, Resource, SecretOutput,
};
use crate::bindings::berth::provider::{clock, log, random};
use crate::misdeeds;

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Script {
    steps: Vec<Step>,
    answer: Answer,
    /// An error to answer with: `unavailable`, `throttled`, `failed`, with its message.
    error: Option<(String, String)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Step {
    /// Sends a request and reports what came back.
    Send(Send),
    /// Computes for ever.
    Spin,
    /// Sends the same request for ever.
    Hammer(Send),
    /// Allocates for ever.
    Allocate,
    /// Recurses for ever.
    Overflow,
    /// Panics with this text, after logging it as a panic hook would.
    Panic(String),
    /// Logs a line so many times.
    Log { text: String, times: u32 },
    /// Draws so many random bytes, so many times.
    Random { bytes: u32, times: u32 },
    /// Reports the time.
    Now,
    /// Hands over a report of so many bytes.
    Bulk(usize),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Send {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    /// Sent as JSON text; a string is sent as it is.
    #[serde(default)]
    body: Option<Value>,
    #[serde(default)]
    timeout: Option<u64>,
}

/// Parts of the answer, where they are to differ from a decent one. `$body` in them stands for the
/// last answer's body, `$pointer:/a/b` for a text in it.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Answer {
    pub(crate) provider_id: Option<String>,
    pub(crate) defaults: Option<String>,
    outputs: Option<String>,
    spec: Option<String>,
    memo: Option<String>,
    name: Option<String>,
    failed: Option<String>,
    label: Option<String>,
    pending: Vec<String>,
    secrets: Vec<(String, String)>,
    pub(crate) instances: Vec<String>,
    pub(crate) networks: Vec<String>,
}

/// A script that was played.
pub(crate) struct Played {
    pub(crate) answer: Answer,
    pub(crate) error: Option<Error>,
    report: Vec<Value>,
    last_body: String,
}

/// The script in a spec.
pub(crate) fn of_spec(spec: &str) -> String {
    let spec: Map<String, Value> = serde_json::from_str(spec).unwrap_or_default();
    spec.get("script")
        .map_or_else(|| "{}".to_owned(), Value::to_string)
}

/// The script in an account's first region, if there is one.
pub(crate) fn of_account(account: &Account) -> Option<&str> {
    let first = account.regions.first()?;
    first.starts_with('{').then_some(first)
}

/// Plays a script. One that can't be read is an error that says so.
pub(crate) fn play(text: &str) -> Played {
    let script: Script = match serde_json::from_str(text) {
        Ok(script) => script,
        Err(error) => Script {
            error: Some(("failed".to_owned(), format!("bad script: {error}"))),
            ..Script::default()
        },
    };
    let mut played = Played {
        answer: script.answer,
        error: None,
        report: Vec::new(),
        last_body: String::new(),
    };
    for step in &script.steps {
        played.step(step);
    }
    played.error = script.error.map(|(code, text)| match code.as_str() {
        "unavailable" => Error::Unavailable(played.filled(&text)),
        "ambiguous" => Error::Ambiguous(played.filled(&text)),
        _ => Error::Failed(played.filled(&text)),
    });
    played
}

impl Played {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Send(send) => {
                let (entry, body) = request(send);
                self.report.push(entry);
                self.last_body = body;
            }
            Step::Spin => misdeeds::spin(),
            Step::Hammer(send) => loop {
                request(send);
            },
            Step::Allocate => misdeeds::allocate(),
            Step::Overflow => misdeeds::overflow(),
            Step::Panic(text) => {
                let text = self.filled(text);
                log::write(log::Level::Error, &text, &[]);
                misdeeds::panic(&text);
            }
            Step::Log { text, times } => {
                let text = self.filled(text);
                for _ in 0..*times {
                    log::write(
                        log::Level::Info,
                        &text,
                        &[log::Field {
                            key: "k".to_owned(),
                            value: text.clone(),
                        }],
                    );
                }
            }
            Step::Random { bytes, times } => {
                for _ in 0..*times {
                    self.report.push(json!(random::bytes(*bytes).len()));
                }
            }
            Step::Now => self.report.push(json!(clock::now())),
            Step::Bulk(bytes) => self.report.push(json!("x".repeat(*bytes))),
        }
    }

    fn filled(&self, text: &str) -> String {
        if let Some(pointer) = text.strip_prefix("$pointer:") {
            let body: Value = serde_json::from_str(&self.last_body).unwrap_or_default();
            return body
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
        }
        text.replace("$body", &self.last_body)
    }

    /// All that came back, as JSON text.
    pub(crate) fn report(&self) -> String {
        Value::Array(self.report.clone()).to_string()
    }

    /// The outcome of a call that answers with nothing.
    pub(crate) fn done(self) -> Result<(), Error> {
        self.error.map_or(Ok(()), Err)
    }

    /// An item of a list.
    pub(crate) fn item(self, kind: &str) -> Result<Observation, Error> {
        let id = self
            .answer
            .provider_id
            .clone()
            .unwrap_or_else(|| "item".to_owned());
        self.observation(id, kind)
    }

    /// The outcome of a call about a resource.
    pub(crate) fn observe(mut self, wanted: &Resource) -> Result<Observation, Error> {
        if !(wanted.instances.is_empty() && wanted.networks.is_empty()) {
            let seen = |links: &[Linked]| {
                let links = links.iter();
                links
                    .map(|link| json!([link.id, link.provider_id, link.region]))
                    .collect::<Vec<_>>()
            };
            self.report.push(
                json!({"instances": seen(&wanted.instances), "networks": seen(&wanted.networks)}),
            );
        }
        let id = self
            .answer
            .provider_id
            .clone()
            .or_else(|| wanted.provider_id.clone())
            .unwrap_or_else(|| wanted.name.clone());
        self.observation(id, &wanted.kind)
    }

    fn observation(self, id: String, _kind: &str) -> Result<Observation, Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let filled = |text: &String| self.filled(text);
        let answer = &self.answer;
        let quoted = |text: &String| Value::String(self.filled(text)).to_string();
        Ok(Observation {
            provider_id: self.filled(&id),
            name: answer.name.as_ref().map(filled),
            phase: answer
                .failed
                .as_ref()
                .map_or(Phase::Ready, |text| Phase::Failed(self.filled(text))),
            labels: answer
                .label
                .iter()
                .map(|text| Label {
                    key: "note".to_owned(),
                    value: self.filled(text),
                })
                .collect(),
            spec: answer
                .spec
                .as_ref()
                .map(|text| format!(r#"{{"note": {}}}"#, quoted(text))),
            pending: answer.pending.clone(),
            outputs: answer
                .outputs
                .as_ref()
                .map_or_else(|| json!({"report": self.report()}).to_string(), filled),
            secret_outputs: answer
                .secrets
                .iter()
                .map(|(name, value)| SecretOutput {
                    name: name.clone(),
                    value: self.filled(value),
                })
                .collect(),
            memo: answer.memo.as_ref().map(quoted),
            poll_after: None,
        })
    }
}

/// Sends a request; what to report of it, and the answer's body.
fn request(send: &Send) -> (Value, String) {
    let body = send.body.as_ref().map(|body| match body {
        Value::String(text) => text.clone().into_bytes(),
        other => other.to_string().into_bytes(),
    });
    let request = Request {
        method: send.method.clone(),
        url: send.url.clone(),
        headers: send.headers.clone(),
        body,
        timeout: send.timeout,
    };
    match http::send(&request) {
        Ok(response) => {
            let text = String::from_utf8_lossy(&response.body).into_owned();
            (
                json!({"status": response.status, "headers": response.headers, "body": text}),
                text,
            )
        }
        Err(error) => {
            let (what, detail) = match error {
                HttpError::Refused(text) => ("refused", text),
                HttpError::Throttled(millis) => ("throttled", millis.to_string()),
                HttpError::Connect(text) => ("connect", text),
                HttpError::Lost(text) => ("lost", text),
                HttpError::TooLarge(limit) => ("tooLarge", limit.to_string()),
            };
            (json!({what: detail}), String::new())
        }
    }
}
