//! What one call, and one host, may use. Each limit has an error that names it and its setting.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How the runtime is set up: the section `runtime` of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RuntimeConfig {
    /// Threads that run guests, apart from those that serve the API.
    pub guest_threads: usize,
    /// Where compiled components are kept; without one each start compiles anew. It must belong to
    /// the host alone: what lies there is executed.
    pub cache_dir: Option<PathBuf>,
    /// What calls may use.
    pub limits: Limits,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self {
            guest_threads: 2,
            cache_dir: None,
            limits: Limits::default(),
        }
    }
}

/// What calls may use: the section `runtime.limits`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Limits {
    /// Time on a processor that a call may take, in milliseconds.
    pub cpu_ms: u64,
    /// Time by the wall clock that a call may take, waiting for the provider included, in milliseconds.
    pub wall_ms: u64,
    /// The same for the calls that stand in a request's path (`check`, `upgrade-spec`), in milliseconds.
    pub check_wall_ms: u64,
    /// Memory that a call's instance may have, in bytes. Also the size of a slot of the pool.
    pub memory_bytes: usize,
    /// Elements that all tables of a call's instance may have together.
    pub table_elements: usize,
    /// What a call may hand to the host at once (an answer, a request, log lines), in bytes.
    pub output_bytes: usize,
    /// A wasm call stack, in bytes.
    pub stack_bytes: usize,
    /// Calls that run at once, all plugins together. The size of the pool.
    pub concurrent_calls: u32,
    /// Calls of one plugin that run at once, so that one plugin can't take every slot.
    pub concurrent_calls_per_plugin: u32,
    /// Calls that may wait for a slot; more are refused at once.
    pub waiting_calls: usize,
    /// How long a call waits for a slot, in milliseconds.
    pub wait_ms: u64,
    /// Requests that a call may send.
    pub http_requests: u32,
    /// A request's body, in bytes.
    pub http_request_bytes: usize,
    /// An answer's body, in bytes.
    pub http_response_bytes: usize,
    /// Time to connect, in milliseconds.
    pub http_connect_ms: u64,
    /// Time for a whole exchange, in milliseconds. A plugin can ask for less, never for more.
    pub http_total_ms: u64,
    /// How long a request waits for the account's rate budget before the plugin is told to come
    /// back later, in milliseconds.
    pub http_rate_wait_ms: u64,
    /// Log text of a call, in bytes; what goes beyond is counted and dropped.
    pub log_bytes: usize,
    /// Log lines of a call.
    pub log_lines: usize,
    /// Random bytes that a call may draw.
    pub random_bytes: usize,
    /// A plugin's own state about one object, in bytes.
    pub memo_bytes: usize,
    /// Applications of an account's catalog that are kept; what goes beyond is logged and dropped.
    pub applications: usize,
    /// Signals of an account that are kept, the newest; older ones are logged and dropped.
    pub signals: usize,
    /// A component's file, in bytes.
    pub component_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu_ms: 2_000,
            wall_ms: 60_000,
            check_wall_ms: 2_000,
            memory_bytes: 64 << 20,
            table_elements: 65_536,
            output_bytes: 8 << 20,
            stack_bytes: 512 << 10,
            concurrent_calls: 64,
            concurrent_calls_per_plugin: 48,
            waiting_calls: 512,
            wait_ms: 5_000,
            http_requests: 256,
            http_request_bytes: 1 << 20,
            http_response_bytes: 8 << 20,
            http_connect_ms: 5_000,
            http_total_ms: 30_000,
            http_rate_wait_ms: 2_000,
            log_bytes: 64 << 10,
            log_lines: 200,
            random_bytes: 64 << 10,
            memo_bytes: 4 << 10,
            applications: 5_000,
            signals: 5_000,
            component_bytes: 64 << 20,
        }
    }
}

impl Limits {
    /// The first limit whose value can't work, as its setting and what would be right.
    pub(crate) fn unusable(&self) -> Option<(&'static str, String)> {
        let at_least = [
            ("cpuMs", self.cpu_ms, 20),
            ("wallMs", self.wall_ms, 100),
            ("checkWallMs", self.check_wall_ms, 20),
            ("memoryBytes", self.memory_bytes as u64, 1 << 20),
            ("tableElements", self.table_elements as u64, 100),
            ("outputBytes", self.output_bytes as u64, 64 << 10),
            ("stackBytes", self.stack_bytes as u64, 64 << 10),
            ("concurrentCalls", u64::from(self.concurrent_calls), 1),
            (
                "concurrentCallsPerPlugin",
                u64::from(self.concurrent_calls_per_plugin),
                1,
            ),
            ("httpRequests", u64::from(self.http_requests), 1),
            ("httpTotalMs", self.http_total_ms, 100),
            ("memoBytes", self.memo_bytes as u64, 64),
        ];
        if let Some((setting, value, least)) =
            at_least.into_iter().find(|(_, value, least)| value < least)
        {
            return Some((setting, format!("{value} is too little: at least {least}")));
        }
        if self.stack_bytes > 8 << 20 {
            return Some((
                "stackBytes",
                format!("{} is too much: at most {}", self.stack_bytes, 8 << 20),
            ));
        }
        if self.concurrent_calls > 10_000 {
            return Some((
                "concurrentCalls",
                format!("{} is too much: at most 10000", self.concurrent_calls),
            ));
        }
        (self.memory_bytes > 4 << 30).then(|| {
            (
                "memoryBytes",
                "a guest can't address more than 4 GiB".to_owned(),
            )
        })
    }

    pub(crate) fn cpu(&self) -> Duration {
        Duration::from_millis(self.cpu_ms)
    }

    pub(crate) fn wait(&self) -> Duration {
        Duration::from_millis(self.wait_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_usable_and_nonsense_is_named() {
        assert_eq!(Limits::default().unusable(), None);
        let (setting, text) = Limits {
            memory_bytes: 5,
            ..Limits::default()
        }
        .unusable()
        .unwrap();
        assert_eq!(
            (setting, text.as_str()),
            ("memoryBytes", "5 is too little: at least 1048576")
        );
    }

    #[test]
    fn a_wrong_setting_is_refused() {
        assert!(serde_json::from_str::<RuntimeConfig>(r#"{"limits": {"cpuMs": 50}}"#).is_ok());
        assert!(serde_json::from_str::<RuntimeConfig>(r#"{"limits": {"cpu": 50}}"#).is_err());
    }
}
