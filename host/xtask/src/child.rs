//! Processes that a task starts, and ends by their ids.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, bail};

/// How long a process may take to end by itself once it was asked to.
const PATIENCE: Duration = Duration::from_secs(5);
const STEP: Duration = Duration::from_millis(50);

/// A running process that ends with this value, whatever happens to the task.
#[derive(Debug)]
pub struct Process {
    name: &'static str,
    child: Child,
}

impl Process {
    /// Starts a program; what it says goes to `log`.
    pub fn start(name: &'static str, command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        let open = || {
            std::fs::File::options()
                .create(true)
                .append(true)
                .open(log)
                .with_context(|| format!("can't write {}", log.display()))
        };
        let child = command
            .stdin(Stdio::null())
            .stdout(open()?)
            .stderr(open()?)
            .spawn()
            .with_context(|| format!("can't start {name} ({})", command.get_program().display()))?;
        Ok(Self { name, child })
    }

    /// Fails if it has ended.
    pub fn still_runs(&mut self) -> anyhow::Result<()> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => bail!("{} has ended ({status})", self.name),
            Err(error) => Err(error).with_context(|| format!("can't look at {}", self.name)),
        }
    }

    /// Asks it to end, waits a while, then makes it.
    fn end(&mut self) {
        if self.still_runs().is_err() {
            return;
        }
        let asked = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        let mut waited = Duration::ZERO;
        while asked && waited < PATIENCE {
            if self.still_runs().is_err() {
                return;
            }
            sleep(STEP);
            waited += STEP;
        }
        // It may have ended just now; then there is nothing to kill and nothing to say.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(id: u32) -> bool {
        let asked = Command::new("kill")
            .args(["-0", &id.to_string()])
            .stderr(Stdio::null())
            .status();
        asked.is_ok_and(|status| status.success())
    }

    #[test]
    fn a_process_ends_with_its_value() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut process = Process::start("sleep", Command::new("sleep").arg("600"), &log).unwrap();
        let id = process.child.id();
        process.still_runs().unwrap();
        assert!(runs(id));
        drop(process);
        assert!(!runs(id));
    }

    #[test]
    fn a_process_that_ended_is_told_with_its_name_and_its_words_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut command = Command::new("sh");
        command.args(["-c", "echo what is wrong >&2; exit 3"]);
        let mut process = Process::start("the host", &mut command, &log).unwrap();
        process.child.wait().unwrap();
        let told = process.still_runs().unwrap_err().to_string();
        assert_eq!(told, "the host has ended (exit status: 3)");
        assert_eq!(std::fs::read_to_string(log).unwrap(), "what is wrong\n");
    }
}
