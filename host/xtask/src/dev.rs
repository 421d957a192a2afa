//! `cargo xtask dev`: a host, a DigitalOcean to talk to, and a tenant, on one machine.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use crate::api::Api;
use crate::built::{Built, FIRST_PARTY, Purpose};
use crate::cargo::say;
use crate::child::Process;
use crate::demo::{Demo, Provider};
use crate::stop::Stop;

/// How much faster than the real one the double's time passes: a cluster takes four seconds, not four minutes.
const SPEED: &str = "60";
/// How often a started program is asked whether it is there, and how often at most: 30 seconds.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOKS: u32 = 600;
/// Lines of a log that a failure shows.
const LOG_TAIL: usize = 25;

/// How to run.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Make a database, wait until it is ready, resize it, delete it, and end.
    #[arg(long)]
    once: bool,
    /// Build optimised.
    #[arg(long)]
    release: bool,
    /// Keep everything in this folder; a later run with it goes on. Without, it is gone at the end.
    #[arg(long)]
    data: Option<PathBuf>,
}

/// Runs until ctrl-c, or with `--once` until the database is gone again.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let purpose = Purpose::Run {
        release: options.release,
    };
    let built = Built::make(purpose, &FIRST_PARTY)?;
    let stop = Stop::listen()?;
    let temporary;
    let folder = match &options.data {
        Some(folder) => folder.clone(),
        None => {
            temporary = tempfile::tempdir().context("can't make a folder for the data")?;
            temporary.path().to_path_buf()
        }
    };
    fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
    let folder = folder
        .canonicalize()
        .context("can't find the data folder")?;

    match stay(options, &built, &folder, &stop) {
        Err(_) if stop.asked() => {
            say("stopped");
            Ok(())
        }
        Err(error) => {
            show_tail(&folder.join("berth.log"));
            show_tail(&folder.join("double.log"));
            Err(error)
        }
        Ok(()) => Ok(()),
    }
}

fn stay(options: &Options, built: &Built, folder: &Path, stop: &Stop) -> anyhow::Result<()> {
    let mut session = Session::open(folder)?;
    let mut double = start_double(built, folder, &session)?;
    wait_for_port(session.double_port, &mut double, stop)?;
    let port = session.port;
    let mut host = start_host(built, folder, &session, port)?;
    wait_for_port(port, &mut host, stop)?;

    let origin = format!("http://127.0.0.1:{port}");
    let root = Api::new(&origin, &session.root_token);
    let demo = match session.demo.take() {
        Some(demo) => demo,
        None => {
            let provider = Provider {
                origin: format!("http://127.0.0.1:{}", session.double_port),
                token: session.provider_token.clone(),
            };
            let demo = Demo::register(&root, &provider)?;
            session.demo = Some(demo.clone());
            session.save(folder)?;
            demo
        }
    };

    if options.once {
        demo.live_once(&root, &random_token("once-")?, stop)?;
        say("made, resized and deleted a database");
        return Ok(());
    }
    let kept = if options.data.is_some() {
        "kept there"
    } else {
        "gone at the end; `--data FOLDER` keeps them"
    };
    println!(
        "Berth is at {origin}, its data and logs in {}, {kept}",
        folder.display()
    );
    println!(
        "A double of DigitalOcean is at http://127.0.0.1:{}, its control port is {}\n",
        session.double_port, session.control_port
    );
    println!(
        "the root token, for operators' methods: {}\n",
        session.root_token
    );
    demo.print_calls(&root);
    println!("ctrl-c ends both");
    loop {
        stop.pause(LOOK_EVERY)?;
        host.still_runs()?;
        double.still_runs()?;
    }
}

fn start_double(built: &Built, folder: &Path, session: &Session) -> anyhow::Result<Process> {
    say("starting the DigitalOcean double");
    let mut command = Command::new(built.program("double-digitalocean"));
    command
        .args(["--port", &session.double_port.to_string()])
        .args(["--control-port", &session.control_port.to_string()])
        .args(["--token", &session.provider_token])
        .args(["--speed", SPEED])
        .arg("--state")
        .arg(folder.join("double.json"));
    Process::start(
        "the DigitalOcean double",
        &mut command,
        &folder.join("double.log"),
    )
}

fn start_host(
    built: &Built,
    folder: &Path,
    session: &Session,
    port: u16,
) -> anyhow::Result<Process> {
    say("starting the host");
    let mut command = Command::new(built.program("berth"));
    command
        .arg("serve")
        .current_dir(folder)
        .env("BERTH_DATA_DIR", folder.join("data"))
        .env("BERTH_LISTEN", format!("127.0.0.1:{port}"))
        .env("BERTH_ROOT_TOKEN", &session.root_token)
        // The double's minutes are seconds; a person should not wait half of one between two looks.
        .env("BERTH_SERVICE__RECONCILE__TIMING__CONVERGING", "1000")
        .env(
            "BERTH_PLUGINS",
            format!("[{:?}]", built.components().join("do.wasm")),
        );
    Process::start("the host", &mut command, &folder.join("berth.log"))
}

/// What a data folder keeps of its runs, in a file that only its owner can read.
struct Session {
    root_token: String,
    provider_token: String,
    port: u16,
    double_port: u16,
    control_port: u16,
    demo: Option<Demo>,
}

impl Session {
    const FILE: &str = "dev.json";

    fn open(folder: &Path) -> anyhow::Result<Self> {
        let file = folder.join(Self::FILE);
        if file.exists() {
            let text = fs::read_to_string(&file)
                .with_context(|| format!("can't read {}", file.display()))?;
            return Self::from_json(&serde_json::from_str(&text).unwrap_or_default()).with_context(
                || {
                    format!(
                        "{} is not of a run of `dev`: use another folder",
                        file.display()
                    )
                },
            );
        }
        let session = Self {
            root_token: random_token("brt_")?,
            provider_token: random_token("dop_v1_")?,
            port: free_port()?,
            double_port: free_port()?,
            control_port: free_port()?,
            demo: None,
        };
        session.save(folder)?;
        Ok(session)
    }

    fn from_json(json: &Value) -> Option<Self> {
        let text = |name: &str| json.get(name)?.as_str().map(str::to_owned);
        let port = |name: &str| u16::try_from(json.get(name)?.as_u64()?).ok();
        Some(Self {
            root_token: text("rootToken")?,
            provider_token: text("providerToken")?,
            port: port("port")?,
            double_port: port("doublePort")?,
            control_port: port("controlPort")?,
            demo: json.get("demo").and_then(Demo::from_json),
        })
    }

    fn save(&self, folder: &Path) -> anyhow::Result<()> {
        let file = folder.join(Self::FILE);
        let json = json!({
            "rootToken": self.root_token,
            "providerToken": self.provider_token,
            "port": self.port,
            "doublePort": self.double_port,
            "controlPort": self.control_port,
            "demo": self.demo.as_ref().map(Demo::to_json),
        });
        fs::File::options()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&file)
            .and_then(|mut open| write!(open, "{json:#}"))
            .with_context(|| format!("can't write {}", file.display()))
    }
}

fn random_token(prefix: &str) -> anyhow::Result<String> {
    let mut bytes = [0u8; 32];
    fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .context("can't make a token")?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{prefix}{digits}"))
}

/// A port that nobody uses now.
fn free_port() -> anyhow::Result<u16> {
    let taken =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("can't get a port on loopback")?;
    Ok(taken
        .local_addr()
        .context("can't get a port on loopback")?
        .port())
}

/// Waits until the program answers on its port, or has ended.
fn wait_for_port(port: u16, program: &mut Process, stop: &Stop) -> anyhow::Result<()> {
    for _ in 0..LOOKS {
        program.still_runs()?;
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(());
        }
        stop.pause(LOOK_EVERY)?;
    }
    bail!(
        "nothing answers on port {port} after {:?}",
        LOOK_EVERY * LOOKS
    )
}

fn show_tail(log: &Path) {
    let Ok(text) = fs::read_to_string(log) else {
        return;
    };
    let lines: Vec<&str> = text.lines().collect();
    eprintln!("--- the end of {}", log.display());
    for line in lines.iter().skip(lines.len().saturating_sub(LOG_TAIL)) {
        eprintln!("{line}");
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_data_folder_keeps_its_tokens_and_ports_where_only_the_owner_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let first = Session::open(folder.path()).unwrap();
        let second = Session::open(folder.path()).unwrap();
        assert_eq!(first.root_token, second.root_token);
        assert_eq!(first.port, second.port);
        assert_eq!(first.double_port, second.double_port);
        let file = fs::metadata(folder.path().join(Session::FILE)).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_folder_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(Session::FILE), "{}").unwrap();
        let told = Session::open(folder.path()).err().unwrap().to_string();
        assert!(told.ends_with("is not of a run of `dev`: use another folder"));
    }
}
