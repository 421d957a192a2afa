//! A provider on loopback that says what a test tells it to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

struct Shared {
    says: Mutex<HashMap<String, (StatusCode, String)>>,
    asked: Mutex<Vec<String>>,
    gate: Semaphore,
}

/// The provider; it stops when dropped.
pub(crate) struct Provider {
    pub(crate) base: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let shared = Arc::new(Shared {
            says: Mutex::default(),
            asked: Mutex::default(),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let app = Router::new().fallback(answer).with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.expect("served") });
        Self {
            base,
            shared,
            server,
        }
    }

    /// Answers a path with this from now on.
    pub(crate) fn says(&self, path: &str, status: u16, body: &Value) {
        let status = StatusCode::from_u16(status).expect("a status");
        let mut says = self.shared.says.lock().expect("no panic");
        says.insert(path.to_owned(), (status, body.to_string()));
    }

    /// What it was asked, as `METHOD /path`.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().expect("no panic").clone()
    }

    /// Keeps every answer back until it is let again.
    pub(crate) fn holds_back(&self) {
        self.shared.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    pub(crate) fn lets_go(&self) {
        self.shared.gate.add_permits(Semaphore::MAX_PERMITS);
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> (StatusCode, String) {
    let path = request.uri().path().to_owned();
    let line = format!("{} {path}", request.method());
    shared.asked.lock().expect("no panic").push(line);
    let permit = shared.gate.acquire().await;
    drop(permit);
    let says = shared.says.lock().expect("no panic");
    let nothing = || (StatusCode::NOT_FOUND, "nothing here".to_owned());
    says.get(&path).cloned().unwrap_or_else(nothing)
}
