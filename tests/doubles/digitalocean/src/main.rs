//! The double as a process of its own. See the crate's documentation for its control API.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use double_digitalocean::{Config, Double, RateLimits, Saved};
use serde_json::json;

/// A double of the DigitalOcean API on loopback, for tests and for trying things out.
#[derive(Parser)]
#[command(name = "double-digitalocean", version)]
struct Arguments {
    /// Port of the provider API; 0 lets the system choose.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Port of the control API; 0 lets the system choose.
    #[arg(long, default_value_t = 0)]
    control_port: u16,
    /// The bearer token to accept.
    #[arg(long, default_value = "dop_v1_double")]
    token: String,
    /// Virtual milliseconds in a real one: 60 makes a four-minute create take four seconds.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Seed of ids and passwords.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Applies the provider's rate limits.
    #[arg(long)]
    rate_limits: bool,
    /// Keeps the account in this file: read at the start if it is there, written at the end.
    #[arg(long)]
    state: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let saved = match &arguments.state {
        Some(path) if path.exists() => Some(read(path)?),
        _ => None,
    };
    let config = Config {
        token: arguments.token,
        port: arguments.port,
        control_port: arguments.control_port,
        speed: arguments.speed,
        seed: arguments.seed,
        rate: RateLimits {
            enabled: arguments.rate_limits,
            ..RateLimits::default()
        },
        ..Config::default()
    };
    let double = Double::start_with(config, saved).await?;
    let line = json!({
        "base_url": double.base_url(),
        "control_url": double.control_url(),
        "pid": std::process::id(),
    });
    // Whoever started it may not read its output; that is no reason to end.
    let _ = writeln!(std::io::stdout(), "{line}");
    ended().await?;
    if let Some(path) = &arguments.state {
        std::fs::write(path, double.saved())
            .with_context(|| format!("can't write the state to {}", path.display()))?;
    }
    double.stop().await;
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Saved> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("can't read the state of {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| {
        format!(
            "{} isn't a state of this double; remove it to start anew",
            path.display()
        )
    })
}

/// Waits for SIGTERM or Ctrl-C.
async fn ended() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut term = signal(SignalKind::terminate()).context("can't listen for SIGTERM")?;
        tokio::select! {
            _ = term.recv() => {}
            result = tokio::signal::ctrl_c() => result.context("can't listen for Ctrl-C")?,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c()
        .await
        .context("can't listen for Ctrl-C")?;
    Ok(())
}
