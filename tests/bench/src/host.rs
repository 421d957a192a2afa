//! A host as a process, driven over HTTP.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::Value;

/// A running host that ends with this value.
pub(crate) struct Host {
    child: Child,
    /// `http://127.0.0.1:port`.
    pub(crate) origin: String,
    /// From exec until `/readyz` said yes.
    pub(crate) started_in: Duration,
    client: reqwest::Client,
    token: String,
}

impl Host {
    /// Starts a host on a data directory and waits until it is ready.
    pub(crate) async fn start(
        berth: &Path,
        data: &Path,
        settings: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        // A fixed token of the right shape: the benchmark's database lives as long as the benchmark.
        let token = format!("brt_{}", "7".repeat(64));
        let address_file = data.join("address");
        let _ = std::fs::remove_file(&address_file);
        let begun = Instant::now();
        let child = Command::new(berth)
            .arg("serve")
            .env("BERTH_DATA_DIR", data)
            .env("BERTH_LISTEN", "127.0.0.1:0")
            .env("BERTH_LOG__FILTER", "error")
            .env("BERTH_ROOT_TOKEN", &token)
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| format!("can't start {}", berth.display()))?;
        let client = reqwest::Client::builder()
            .no_proxy()
            .pool_max_idle_per_host(256)
            .build()?;
        let mut host = Self {
            child,
            origin: String::new(),
            started_in: Duration::ZERO,
            client,
            token,
        };
        let address = loop {
            if let Some(status) = host.child.try_wait()? {
                anyhow::bail!("the host ended at its start: {status}");
            }
            match std::fs::read_to_string(&address_file) {
                Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
                _ if begun.elapsed() > Duration::from_secs(60) => {
                    anyhow::bail!("the host did not start within a minute")
                }
                _ => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        };
        host.origin = format!("http://{address}");
        while !host
            .client
            .get(format!("{}/readyz", host.origin))
            .send()
            .await
            .is_ok_and(|answer| answer.status().is_success())
        {
            anyhow::ensure!(
                begun.elapsed() < Duration::from_secs(60),
                "the host was not ready within a minute"
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        host.started_in = begun.elapsed();
        Ok(host)
    }

    /// Calls a method as root.
    pub(crate) async fn call(&self, method: &str, input: &Value) -> anyhow::Result<Value> {
        let response = self
            .client
            .post(format!("{}/api/compute/{method}", self.origin))
            .bearer_auth(&self.token)
            .json(input)
            .send()
            .await?;
        let status = response.status();
        let answer: Value = response.json().await?;
        anyhow::ensure!(status.is_success(), "{method}: {answer}");
        Ok(answer)
    }

    /// Resident memory in MB.
    pub(crate) fn resident_mb(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .context("no VmRSS")?;
        let kilobytes: f64 = line
            .split_whitespace()
            .nth(1)
            .context("no figure")?
            .parse()?;
        Ok(kilobytes / 1024.0)
    }

    /// Asks it to stop and waits.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()?;
        for _ in 0..1_000 {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        anyhow::bail!("the host did not stop within ten seconds")
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
