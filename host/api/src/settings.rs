//! What an operator can set about the API.

use serde::{Deserialize, Serialize};

/// Settings of the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ApiSettings {
    /// Largest body of a request in bytes.
    pub body_limit: usize,
    /// Largest body of `plugins/install` in bytes: a component in base64. Operators only.
    pub install_body_limit: usize,
    /// Methods that run at the same time; one more is told to come back.
    pub concurrency: usize,
    /// Requests of one tenant at the same time, those whose bodies are still coming included.
    pub concurrency_per_tenant: usize,
    /// Components that are taken in at the same time.
    pub concurrent_installs: usize,
    /// Connections at the same time; further ones wait to be accepted. Keep it below the process's
    /// limit of open files.
    pub connections: usize,
    /// Longest wait for a request's head in milliseconds, idle time of a kept connection included.
    pub head_timeout_ms: u64,
    /// Longest wait for a request's body in milliseconds.
    pub body_timeout_ms: u64,
    /// Longest time for one method in milliseconds.
    pub request_timeout_ms: u64,
}

impl Default for ApiSettings {
    fn default() -> Self {
        Self {
            body_limit: 1024 * 1024,
            install_body_limit: 64 * 1024 * 1024,
            concurrency: 512,
            concurrency_per_tenant: 128,
            concurrent_installs: 2,
            connections: 800,
            head_timeout_ms: 30_000,
            body_timeout_ms: 20_000,
            request_timeout_ms: 30_000,
        }
    }
}

impl ApiSettings {
    /// The first setting that can't work, and what would.
    ///
    /// # Errors
    /// Its key and the values that are taken.
    pub fn check(&self) -> Result<(), String> {
        let sizes = [
            ("bodyLimit", self.body_limit, 1_024, 1 << 30),
            (
                "installBodyLimit",
                self.install_body_limit,
                self.body_limit,
                1 << 30,
            ),
            ("concurrency", self.concurrency, 1, 1 << 20),
            (
                "concurrencyPerTenant",
                self.concurrency_per_tenant,
                1,
                1 << 20,
            ),
            ("concurrentInstalls", self.concurrent_installs, 1, 1 << 10),
            ("connections", self.connections, 1, 1 << 20),
        ];
        let times = [
            ("headTimeoutMs", self.head_timeout_ms),
            ("bodyTimeoutMs", self.body_timeout_ms),
            ("requestTimeoutMs", self.request_timeout_ms),
        ];
        if let Some((key, value, least, most)) = sizes
            .into_iter()
            .find(|(_, value, least, most)| value < least || value > most)
        {
            return Err(format!(
                "`api.{key}` is {value}; {least} to {most} are taken"
            ));
        }
        match times
            .into_iter()
            .find(|(_, value)| !(100..=3_600_000).contains(value))
        {
            Some((key, value)) => Err(format!(
                "`api.{key}` is {value}; 100 to 3600000 (an hour) are taken"
            )),
            None => Ok(()),
        }
    }
}
