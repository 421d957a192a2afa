//! Runs cargo for the workspace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

/// The workspace that this task was built in.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// A cargo command in the workspace's root, as a person would have typed it: without what
/// `cargo xtask` itself left in the environment, which build scripts would take for a change.
pub fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut cargo = Command::new(program);
    cargo.current_dir(workspace_root());
    for (name, _) in std::env::vars_os() {
        if is_of_the_running_package(&name.to_string_lossy()) {
            cargo.env_remove(name);
        }
    }
    cargo
}

fn is_of_the_running_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "DEP_"]
        .iter()
        .any(|prefix| variable.starts_with(prefix))
        || ["CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR"].contains(&variable)
}

/// Runs a command to its end and fails unless it succeeded.
pub fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let shown = shown(command);
    let status = command
        .status()
        .with_context(|| format!("can't start `{shown}`"))?;
    ensure!(status.success(), "`{shown}` failed ({status})");
    Ok(())
}

/// The command as a person could type it.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![
        program
            .file_name()
            .unwrap_or(program.as_os_str())
            .to_string_lossy(),
    ];
    words.extend(
        command
            .get_args()
            .map(|argument| argument.to_string_lossy()),
    );
    words.join(" ")
}

/// Says on stderr what is done now.
pub fn say(line: &str) {
    eprintln!("xtask: {line}");
}

/// What the workspace declares; asks no registry.
pub fn metadata() -> anyhow::Result<cargo_metadata::Metadata> {
    cargo_metadata::MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .context("can't read the workspace with `cargo metadata`")
}
