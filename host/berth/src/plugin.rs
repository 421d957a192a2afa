//! `berth plugin`: installs, shows and activates plugin generations in a running host.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::client::Target;
use crate::log::say;

/// `berth plugin …`.
#[derive(Debug, Args)]
pub(crate) struct PluginCommand {
    #[command(flatten)]
    target: Target,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Uploads a component. It is checked, described and stored; the first of its plugin becomes active.
    Install {
        /// The `.wasm` file.
        component: PathBuf,
        /// Activates it at once.
        #[arg(long)]
        activate: bool,
    },
    /// Lists generations.
    List {
        /// Of this plugin only.
        plugin: Option<String>,
    },
    /// Shows a generation with its manifest.
    Show {
        /// Its digest.
        digest: String,
    },
    /// Makes a generation the one that serves its plugin's kinds.
    Activate {
        /// Its digest.
        digest: String,
        /// Accepts a change that is refused otherwise; named as the refusal names it.
        #[arg(long = "override", value_name = "CHANGE")]
        overrides: Vec<String>,
    },
    /// Makes the generation active again that was active before, and says which.
    Rollback {
        /// Of this plugin.
        plugin: String,
        /// Accepts a change that is refused otherwise; named as the refusal names it.
        #[arg(long = "override", value_name = "CHANGE")]
        overrides: Vec<String>,
    },
}

/// Runs the command.
///
/// # Errors
/// The host's refusal, in its own words.
pub(crate) fn run(command: &PluginCommand) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime")?;
    let answer = runtime.block_on(act(command))?;
    say(&serde_json::to_string_pretty(&answer).context("the answer does not serialise")?);
    Ok(())
}

async fn act(command: &PluginCommand) -> anyhow::Result<Value> {
    let target = &command.target;
    match &command.action {
        Action::Install {
            component,
            activate,
        } => {
            let bytes = std::fs::read(component)
                .with_context(|| format!("can't read {}", component.display()))?;
            let installed = target
                .call(
                    "plugins/install",
                    &json!({"component": BASE64.encode(&bytes)}),
                )
                .await?;
            if !activate || installed.get("active") == Some(&Value::Bool(true)) {
                return Ok(installed);
            }
            let digest = installed
                .get("digest")
                .cloned()
                .context("the host named no digest")?;
            target
                .call("plugins/activate", &json!({"digest": digest}))
                .await
        }
        Action::List { plugin } => {
            let input = plugin
                .as_ref()
                .map_or_else(|| json!({}), |plugin| json!({"plugin": plugin}));
            target.call("plugins/list", &input).await
        }
        Action::Show { digest } => {
            target
                .call("plugins/show", &json!({"digest": digest}))
                .await
        }
        Action::Activate { digest, overrides } => {
            let input = accepting(json!({"digest": digest}), overrides);
            target.call("plugins/activate", &input).await
        }
        Action::Rollback { plugin, overrides } => {
            let input = accepting(json!({"plugin": plugin}), overrides);
            target.call("plugins/rollback", &input).await
        }
    }
}

fn accepting(mut input: Value, overrides: &[String]) -> Value {
    if !overrides.is_empty() {
        input["override"] = json!(overrides);
    }
    input
}
