//! A provider on loopback: answers what a test tells it to, and remembers what arrived.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A request that arrived.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) line: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Bytes,
}

/// What to answer with.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
    delay: Duration,
    /// Ends the connection in the middle of the body.
    cut: bool,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::raw(status, "application/json", body.to_string())
    }

    pub(crate) fn raw(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self {
            status,
            headers,
            body: body.into(),
            delay: Duration::ZERO,
            cut: false,
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub(crate) fn cut(mut self) -> Self {
        self.cut = true;
        self
    }
}

#[derive(Default)]
struct Shared {
    replies: HashMap<String, Reply>,
    arrived: Vec<Arrived>,
}

/// The provider; it stops when dropped.
pub(crate) struct Provider {
    pub(crate) base: String,
    shared: Arc<Mutex<Shared>>,
    server: JoinHandle<()>,
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            base,
            shared,
            server,
        }
    }

    /// Answers `METHOD /path` with this from now on.
    pub(crate) fn on(&self, line: &str, reply: Reply) {
        self.shared
            .lock()
            .unwrap()
            .replies
            .insert(line.to_owned(), reply);
    }

    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.shared.lock().unwrap().arrived.clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.arrived()
            .into_iter()
            .map(|arrived| arrived.line)
            .collect()
    }
}

async fn answer(State(shared): State<Arc<Mutex<Shared>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 16 << 20).await.unwrap();
    let reply = {
        let mut shared = shared.lock().unwrap();
        let headers = parts
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        shared.arrived.push(Arrived {
            line: format!("{} {}", parts.method, parts.uri),
            headers,
            body,
        });
        shared
            .replies
            .get(&format!("{} {}", parts.method, parts.uri.path()))
            .cloned()
    };
    let reply = reply.unwrap_or_else(|| {
        Reply::json(
            404,
            &serde_json::json!({"id": "not_found", "message": "no such thing"}),
        )
    });
    tokio::time::sleep(reply.delay).await;
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    let body = if reply.cut {
        let half = Ok(reply.body.slice(..reply.body.len() / 2));
        Body::from_stream(futures_util::stream::iter([
            half,
            Err(std::io::Error::other("cut")),
        ]))
    } else {
        Body::from(reply.body)
    };
    response.body(body).unwrap()
}
