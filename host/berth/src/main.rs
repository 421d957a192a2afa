//! `berth`: the host and its command line. The only crate that knows all the others.

mod ambient;
mod audit;
mod client;
mod config;
mod log;
mod master_keys;
mod plugin;
mod serve;
mod store_config;
mod vault;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Cloud resources of other clouds, offered to tenants through sandboxed provider plugins.
#[derive(Debug, Parser)]
#[command(name = "berth", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the host: API, store and reconciler.
    Serve(ServeFlags),
    /// Prints the configuration in force, without secrets, and what is wrong with it.
    Config(ServeFlags),
    /// Installs and activates plugins in a running host.
    Plugin(plugin::PluginCommand),
    /// Looks at the audit of a database, without a host or beside one.
    Audit(audit::AuditCommand),
    /// The master key that secrets are sealed with.
    Vault(vault::VaultCommand),
}

/// Flags beat `BERTH_*` variables, which beat the file.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ServeFlags {
    /// Configuration file; without it `berth.toml` of the working directory, if there is one.
    #[arg(long, value_name = "FILE", env = "BERTH_CONFIG")]
    config: Option<PathBuf>,
    /// Where the database, the master key and the compile cache are kept.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<std::net::SocketAddr>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // `FAILPOINTS` of the environment, in builds for tests alone.
    #[cfg(feature = "failpoints")]
    let _points = fail::FailScenario::setup();
    let result = match cli.command {
        Command::Serve(flags) => serve::run(&flags).map(|()| ExitCode::SUCCESS),
        Command::Config(flags) => config::print(&flags).map(|()| ExitCode::SUCCESS),
        Command::Plugin(command) => plugin::run(&command).map(|()| ExitCode::SUCCESS),
        Command::Vault(command) => vault::run(&command).map(|()| ExitCode::SUCCESS),
        Command::Audit(command) => audit::run(&command),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            log::complain(&error);
            ExitCode::FAILURE
        }
    }
}
