//! What an operator can set about the API.

use serde::{Deserialize, Serialize};

/// Settings of the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ApiSettings {
    /// Largest body of a request in bytes.
    pub body_limit: usize,
    /// Largest body of `plugins/install` in bytes: a component in base64.
    pub install_body_limit: usize,
    /// Requests at the same time; one more is told to come back.
    pub concurrency: usize,
    /// Longest time for one request in milliseconds.
    pub request_timeout_ms: u64,
}

impl Default for ApiSettings {
    fn default() -> Self {
        Self { body_limit: 1024 * 1024, install_body_limit: 64 * 1024 * 1024, concurrency: 512, request_timeout_ms: 30_000 }
    }
}
