//! The double as a process, and doubles that come and go.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use double_digitalocean::{Config, Double, StartError};
use serde_json::Value;

/// A double in a process of its own; ended by its id when dropped.
struct Process {
    child: Child,
    base_url: String,
}

impl Process {
    fn start(state: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_double-digitalocean"))
            .args(["--token", "t", "--speed", "1000", "--state"])
            .arg(state)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let urls: Value = serde_json::from_str(&line).unwrap();
        let base_url = urls["base_url"].as_str().unwrap().to_owned();
        assert!(
            urls["control_url"]
                .as_str()
                .unwrap()
                .starts_with("http://127.0.0.1:")
        );
        Self { child, base_url }
    }

    /// Asks it to end, and says whether it ended well.
    fn end(mut self) -> bool {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        self.child.wait().unwrap().success()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already where the test went well.
        let _ = self.child.kill();
    }
}

#[tokio::test]
async fn a_process_keeps_its_account_from_one_run_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.json");
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let first = Process::start(&state);
    let url = format!("{}/v2/databases", first.base_url);
    let body = crate::client::cluster("one");
    let created = http
        .post(&url)
        .bearer_auth("t")
        .json(&body)
        .send()
        .await
        .unwrap();
    assert_eq!(created.status(), 201);
    let created: Value = created.json().await.unwrap();
    assert!(first.end());
    let second = Process::start(&state);
    let url = format!("{}/v2/databases?tag_name=env:test", second.base_url);
    let list: Value = http
        .get(&url)
        .bearer_auth("t")
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(list["databases"][0]["id"], created["database"]["id"]);
    assert_eq!(
        list["databases"][0]["connection"]["password"],
        created["database"]["connection"]["password"]
    );
    assert!(second.end());
}

#[tokio::test]
async fn a_stopped_double_frees_its_port() {
    let double = Double::start(Config::default()).await.unwrap();
    let port: u16 = double
        .base_url()
        .rsplit(':')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let taken = Double::start(Config {
        port,
        ..Config::default()
    })
    .await;
    assert!(matches!(taken, Err(StartError::Listen { .. })));
    double.stop().await;
    let again = Double::start(Config {
        port,
        ..Config::default()
    })
    .await
    .unwrap();
    again.stop().await;
}

#[tokio::test]
async fn a_wrong_configuration_is_named() {
    let refused = Double::start(Config {
        speed: f64::NAN,
        ..Config::default()
    })
    .await;
    let Err(error) = refused else {
        panic!("it started")
    };
    assert!(error.to_string().contains("speed"));
}
