//! Calls a running host, for the commands that speak to one.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;

/// Where the host is and who calls it.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// The host's address.
    #[arg(long, env = "BERTH_URL", default_value = "http://127.0.0.1:7311")]
    url: String,
    /// A token of an operator. Better in the environment than on the command line.
    #[arg(long, env = "BERTH_TOKEN", hide_env_values = true)]
    token: String,
}

impl Target {
    /// Calls a method and returns its answer.
    ///
    /// # Errors
    /// When the host can't be reached, or refuses: its own words.
    pub(crate) async fn call(&self, method: &str, input: &Value) -> anyhow::Result<Value> {
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(120))
            .build()
            .context("no HTTP client")?;
        let url = format!("{}/api/compute/{method}", self.url.trim_end_matches('/'));
        let response = client
            .post(&url)
            .bearer_auth(&self.token)
            .json(input)
            .send()
            .await
            .with_context(|| {
                format!(
                    "the host at {} does not answer; is `berth serve` running there?",
                    self.url
                )
            })?;
        let status = response.status();
        let answer: Value = response
            .json()
            .await
            .with_context(|| format!("the host answered {status} without JSON"))?;
        if status.is_success() {
            return Ok(answer);
        }
        let text = |pointer: &str| {
            answer
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or("?")
                .to_owned()
        };
        let details = answer.pointer("/error/details").filter(|details| {
            details
                .as_object()
                .is_some_and(|members| !members.is_empty())
        });
        let details = details.map_or_else(String::new, |details| format!("\n{details:#}"));
        anyhow::bail!(
            "{}: {}{details}",
            text("/error/code"),
            text("/error/message")
        )
    }
}
