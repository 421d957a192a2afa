//! The host as a process.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::patience::{LOOKS, pause};
use crate::programs;

/// A `berth serve` that ends with this value.
pub(crate) struct Host {
    child: Child,
    /// Where it serves.
    pub(crate) origin: String,
}

/// Where a host keeps what it has.
#[derive(Debug, Clone)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Everything that the host stores.
    pub(crate) fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    /// Everything that it said, over all its starts.
    pub(crate) fn log(&self) -> PathBuf {
        self.0.join("host.log")
    }

    fn address(&self) -> PathBuf {
        self.data().join("address")
    }
}

/// `berth` with these arguments and this environment alone.
pub(crate) fn command(
    folder: &Folder,
    arguments: &[&str],
    env: &BTreeMap<String, String>,
) -> Command {
    let mut command = Command::new(programs::berth());
    command
        .args(arguments)
        .current_dir(&folder.0)
        .env_clear()
        .envs(
            ["PATH", "HOME", "TMPDIR"]
                .iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?))),
        )
        .env("RUST_BACKTRACE", "1")
        .envs(env)
        .stdin(Stdio::null());
    command
}

impl Host {
    /// Starts one and waits until it serves.
    pub(crate) async fn start(folder: &Folder, env: &BTreeMap<String, String>) -> Self {
        let mut host = Self::spawn(folder, env);
        for _ in 0..LOOKS {
            if let Some(status) = host.ended() {
                panic!(
                    "the host ended ({status}) before it served:\n{}",
                    tail(&folder.log())
                );
            }
            if let Some(address) = address(&folder.address()) {
                host.origin = format!("http://{address}");
                return host;
            }
            pause().await;
        }
        panic!(
            "the host does not say where it serves:\n{}",
            tail(&folder.log())
        );
    }

    fn spawn(folder: &Folder, env: &BTreeMap<String, String>) -> Self {
        // The address of an earlier start would mislead.
        let _ = fs::remove_file(folder.address());
        let log = || {
            File::options()
                .create(true)
                .append(true)
                .open(folder.log())
                .unwrap_or_else(|error| panic!("can't write the host's log: {error}"))
        };
        let child = command(folder, &["serve"], env)
            .stdout(log())
            .stderr(log())
            .spawn()
            .unwrap_or_else(|error| panic!("can't start the host: {error}"));
        Self {
            child,
            origin: String::new(),
        }
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child
            .try_wait()
            .unwrap_or_else(|error| panic!("can't look at the host: {error}"))
    }

    /// Kills it: nothing of it runs on.
    pub(crate) fn kill(&mut self) {
        // It may have ended just now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends it a signal, as an operator does.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "can't send the host a signal"
        );
    }

    /// Asks it to end, as an operator does, and waits.
    pub(crate) async fn stop(&mut self) -> ExitStatus {
        self.signal("TERM");
        for _ in 0..LOOKS {
            if let Some(status) = self.ended() {
                return status;
            }
            pause().await;
        }
        panic!("the host does not end when it is asked to");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The address that a host wrote, once it is written whole.
fn address(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let address = text.strip_suffix('\n').unwrap_or(&text).trim();
    address
        .parse::<std::net::SocketAddr>()
        .ok()
        .map(|address| address.to_string())
}

/// The last lines of a log.
pub(crate) fn tail(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}
