//! Every request that came in, and what it was answered.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::config::LogLimits;
use crate::pattern::Pattern;

/// What a request's `authorization` header was. The header itself is never kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authorization {
    /// There was none.
    Absent,
    /// The right bearer token.
    Right,
    /// Anything else.
    Wrong,
}

/// One request and its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Rises by one with every request.
    pub number: u64,
    /// When it came, in milliseconds since the epoch.
    pub at: u64,
    /// The method.
    pub method: String,
    /// The path, without its query.
    pub path: String,
    /// The query, undecoded.
    pub query: Option<String>,
    /// All headers but `authorization`, in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// What the `authorization` header was.
    pub authorization: Authorization,
    /// The body, as text.
    pub body: String,
    /// The faults that hit it.
    pub faults: Vec<u64>,
    /// Whether it was carried out: it reached the endpoint.
    pub acted: bool,
    /// The status of the answer; none while there is no answer, or when there never was one.
    pub status: Option<u16>,
    /// The body of the answer as text, unless it was too large to keep.
    pub answer: Option<String>,
}

impl Entry {
    /// Path and query as they were asked for.
    #[must_use]
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The newest requests, as many as the limits say.
pub(crate) struct Log {
    limits: LogLimits,
    entries: VecDeque<Entry>,
    next: u64,
}

impl Log {
    pub(crate) fn new(limits: LogLimits) -> Self {
        Self {
            limits,
            entries: VecDeque::new(),
            next: 1,
        }
    }

    pub(crate) fn set_limits(&mut self, limits: LogLimits) {
        self.limits = limits;
    }

    /// Adds an entry and tells its number.
    pub(crate) fn open(&mut self, mut entry: Entry) -> u64 {
        let number = self.next;
        self.next += 1;
        entry.number = number;
        while self.entries.len() >= self.limits.entries.max(1) {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
        number
    }

    /// Notes what became of a request.
    pub(crate) fn close(&mut self, number: u64, acted: bool, answer: Option<(u16, &[u8])>) {
        let keep = self.limits.answer_bytes;
        let Some(entry) = self.entry(number) else {
            return;
        };
        entry.acted = acted;
        if let Some((status, body)) = answer {
            entry.status = Some(status);
            entry.answer = (body.len() <= keep).then(|| String::from_utf8_lossy(body).into_owned());
        }
    }

    /// Numbers rise by one, so that an entry's place follows from that of the first.
    fn entry(&mut self, number: u64) -> Option<&mut Entry> {
        let first = self.entries.front()?.number;
        let place = usize::try_from(number.checked_sub(first)?).ok()?;
        self.entries.get_mut(place)
    }

    /// Entries from a number on.
    pub(crate) fn since(&self, number: u64) -> Vec<Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.number >= number)
            .cloned()
            .collect()
    }

    /// How many requests a pattern matches.
    pub(crate) fn count(&self, pattern: &Pattern) -> usize {
        self.entries
            .iter()
            .filter(|entry| pattern.matches(&entry.method, &entry.path))
            .count()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }
}
