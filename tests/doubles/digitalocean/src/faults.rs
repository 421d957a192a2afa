//! Faults on chosen requests.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::pattern::Pattern;

/// What goes wrong, and on which requests.
///
/// ```
/// use double_digitalocean::{Fault, FaultBody};
/// // The second create is carried out, and its answer is lost.
/// Fault::on("POST", "/v2/databases").skip(1).drop_after();
/// // Three reads answer 503 with a page of HTML.
/// Fault::on("GET", "/v2/databases/*").times(3).answer(503, FaultBody::Html);
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The requests that are meant.
    pub on: Pattern,
    /// So many matching requests are spared first.
    #[serde(default)]
    pub skip: u32,
    /// So many matching requests are hit; none: all.
    #[serde(default = "once")]
    pub times: Option<u32>,
    /// Ends after so many virtual milliseconds.
    #[serde(default)]
    pub for_ms: Option<u64>,
    /// What happens to them.
    pub action: Action,
}

fn once() -> Option<u32> {
    Some(1)
}

/// What happens to a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// It is answered with something else.
    Answer {
        /// The status.
        status: u16,
        /// The body.
        #[serde(default)]
        body: FaultBody,
        /// More headers.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// Whether it is carried out first, so that only its answer is lost.
        #[serde(default)]
        acts: bool,
    },
    /// It waits so many real milliseconds before it is carried out.
    Delay {
        /// Milliseconds.
        ms: u64,
    },
    /// The connection closes before anything happened.
    DropBefore,
    /// It is carried out, then the connection closes without an answer.
    DropAfter,
    /// It is never answered and nothing happens.
    HangBefore,
    /// It is carried out and never answered.
    HangAfter,
    /// It waits before it is carried out, until it is released.
    HoldBefore,
    /// It is carried out, then its answer waits until it is released.
    HoldAfter,
}

/// The body of a wrong answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultBody {
    /// An error of the provider's own shape.
    #[default]
    Error,
    /// An error of the provider's own shape with this message.
    Message {
        /// The message.
        text: String,
    },
    /// Any JSON.
    Json {
        /// The value.
        value: Value,
    },
    /// Any text.
    Text {
        /// The content type.
        content_type: String,
        /// The text.
        text: String,
    },
    /// An HTML page, as a proxy at the edge writes it.
    Html,
    /// Nothing.
    Empty,
    /// Half of the true body under a `content-length` of the whole, then the connection closes.
    Truncated,
    /// Bytes that are neither JSON nor UTF-8, called JSON.
    Garbage,
}

impl Fault {
    /// A fault on the next request of that method and path (see [`Pattern`]), which does nothing
    /// until one of the methods below says what goes wrong.
    #[must_use]
    pub fn on(method: &str, path: &str) -> Self {
        Self {
            on: Pattern::new(method, path),
            skip: 0,
            times: once(),
            for_ms: None,
            action: Action::Delay { ms: 0 },
        }
    }

    /// Spares the first `count` requests.
    #[must_use]
    pub fn skip(mut self, count: u32) -> Self {
        self.skip = count;
        self
    }

    /// Hits `count` requests instead of one.
    #[must_use]
    pub fn times(mut self, count: u32) -> Self {
        self.times = Some(count);
        self
    }

    /// Hits every request.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.times = None;
        self
    }

    /// Hits every request for so many virtual milliseconds.
    #[must_use]
    pub fn for_ms(mut self, ms: u64) -> Self {
        self.times = None;
        self.for_ms = Some(ms);
        self
    }

    fn doing(mut self, action: Action) -> Self {
        self.action = action;
        self
    }

    /// Answers with a status and a body; the request isn't carried out.
    #[must_use]
    pub fn answer(self, status: u16, body: FaultBody) -> Self {
        self.doing(Action::Answer {
            status,
            body,
            headers: BTreeMap::new(),
            acts: false,
        })
    }

    /// Carries the request out, then answers with a status and a body.
    #[must_use]
    pub fn act_and_answer(self, status: u16, body: FaultBody) -> Self {
        self.doing(Action::Answer {
            status,
            body,
            headers: BTreeMap::new(),
            acts: true,
        })
    }

    /// Adds a header to a wrong answer.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Action::Answer { headers, .. } = &mut self.action {
            headers.insert(name.to_owned(), value.to_owned());
        }
        self
    }

    /// Waits before the request is carried out.
    #[must_use]
    pub fn delay(self, wait: Duration) -> Self {
        let ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        self.doing(Action::Delay { ms })
    }

    /// Closes the connection before anything happened.
    #[must_use]
    pub fn drop_before(self) -> Self {
        self.doing(Action::DropBefore)
    }

    /// Closes the connection after the request was carried out.
    #[must_use]
    pub fn drop_after(self) -> Self {
        self.doing(Action::DropAfter)
    }

    /// Never answers; nothing happens.
    #[must_use]
    pub fn hang_before(self) -> Self {
        self.doing(Action::HangBefore)
    }

    /// Carries the request out and never answers.
    #[must_use]
    pub fn hang_after(self) -> Self {
        self.doing(Action::HangAfter)
    }

    /// Holds the request before it is carried out.
    #[must_use]
    pub fn hold_before(self) -> Self {
        self.doing(Action::HoldBefore)
    }

    /// Carries the request out and holds its answer.
    #[must_use]
    pub fn hold_after(self) -> Self {
        self.doing(Action::HoldAfter)
    }
}

struct Armed {
    id: u64,
    fault: Fault,
    ends: Option<u64>,
    hits: u32,
}

/// A fault that is armed.
#[derive(Clone, Debug, Serialize)]
pub struct ArmedFault {
    /// Its id, for disarming and releasing it.
    pub id: u64,
    /// How many requests it has hit.
    pub hits: u32,
    /// The fault; `skip` and `times` are what is left of them.
    pub fault: Fault,
}

/// All faults that are armed.
#[derive(Default)]
pub(crate) struct Faults {
    armed: Vec<Armed>,
    last_id: u64,
}

impl Faults {
    /// Arms a fault and tells its id.
    pub(crate) fn arm(&mut self, fault: Fault, now: u64) -> u64 {
        self.last_id += 1;
        let ends = fault.for_ms.map(|ms| now.saturating_add(ms));
        self.armed.push(Armed {
            id: self.last_id,
            fault,
            ends,
            hits: 0,
        });
        self.last_id
    }

    /// Disarms a fault; whether there was one.
    pub(crate) fn disarm(&mut self, id: u64) -> bool {
        let before = self.armed.len();
        self.armed.retain(|armed| armed.id != id);
        self.armed.len() != before
    }

    pub(crate) fn clear(&mut self) {
        self.armed.clear();
    }

    /// What happens to this request: every fault that is about it, oldest first.
    pub(crate) fn take(&mut self, method: &str, path: &str, now: u64) -> Vec<(u64, Action)> {
        if self.armed.is_empty() {
            return Vec::new();
        }
        self.armed
            .retain(|armed| armed.ends.is_none_or(|ends| now < ends));
        let mut taken = Vec::new();
        for armed in &mut self.armed {
            let fault = &mut armed.fault;
            if fault.times == Some(0) || !fault.on.matches(method, path) {
                continue;
            }
            if fault.skip > 0 {
                fault.skip -= 1;
                continue;
            }
            fault.times = fault.times.map(|left| left - 1);
            armed.hits += 1;
            taken.push((armed.id, fault.action.clone()));
        }
        taken
    }

    /// All faults, those that have hit all they should included.
    pub(crate) fn list(&self) -> Vec<ArmedFault> {
        self.armed
            .iter()
            .map(|armed| ArmedFault {
                id: armed.id,
                hits: armed.hits,
                fault: armed.fault.clone(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skip_and_times_are_counted_per_match() {
        let mut faults = Faults::default();
        faults.arm(Fault::on("GET", "/a").skip(1).times(2).drop_before(), 0);
        let hits: Vec<usize> = (0..5).map(|_| faults.take("GET", "/a", 0).len()).collect();
        assert_eq!(hits, [0, 1, 1, 0, 0]);
        assert!(faults.take("GET", "/b", 0).is_empty());
    }

    #[test]
    fn a_fault_for_a_while_ends() {
        let mut faults = Faults::default();
        faults.arm(Fault::on("*", "/a").for_ms(100).drop_before(), 50);
        assert_eq!(faults.take("GET", "/a", 149).len(), 1);
        assert!(faults.take("GET", "/a", 150).is_empty());
    }

    #[test]
    fn a_fault_reads_from_json() {
        let text = r#"{"on": {"method": "GET", "path": "/a"},
            "action": {"kind": "answer", "status": 502, "body": {"kind": "html"}}}"#;
        let fault: Fault = serde_json::from_str(text).unwrap();
        assert_eq!(fault.times, Some(1));
        assert!(matches!(
            fault.action,
            Action::Answer {
                status: 502,
                body: FaultBody::Html,
                ..
            }
        ));
    }
}
