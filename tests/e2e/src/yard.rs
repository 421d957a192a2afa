//! A stateful double of the provider that the component `guest-yard` speaks to: cranes and sheds with a
//! size and labels.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, put};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The credential that it takes.
pub const YARD_TOKEN: &str = "yard_canary_5d9f0c7be1a24836";
/// Objects of one page.
const PAGE: usize = 3;

#[derive(Default)]
struct Things {
    /// By kind and id.
    all: BTreeMap<(String, String), Value>,
    made: u32,
    is_slow: bool,
    refuses_changes: bool,
}

type Shared = Arc<Mutex<Things>>;

/// A running yard.
pub struct Yard {
    things: Shared,
    origin: String,
    server: JoinHandle<()>,
}

fn lock(things: &Shared) -> MutexGuard<'_, Things> {
    things.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Yard {
    /// Starts one on a free port of loopback.
    ///
    /// # Panics
    /// When there is none.
    pub async fn start() -> Self {
        let things = Shared::default();
        let routes = Router::new()
            .route("/v1/{kind}", get(list).post(create))
            .route("/v1/{kind}/{id}", get(read).patch(change).delete(remove))
            .route("/v1/{kind}/{id}/labels", put(label))
            .layer(from_fn_with_state(YARD_TOKEN, authorize))
            .with_state(things.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.unwrap_or_else(|error| panic!("no port for a yard: {error}"));
        let address = listener.local_addr();
        let address = address.unwrap_or_else(|error| panic!("a yard has no address: {error}"));
        let server = tokio::spawn(async move {
            // It ends with the test.
            let _ = axum::serve(listener, routes).await;
        });
        Self {
            things,
            origin: format!("http://{address}"),
            server,
        }
    }

    /// Where it is.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// While it is slow, what is asked for is not done.
    pub fn slow(&self, is_slow: bool) {
        let mut things = lock(&self.things);
        things.is_slow = is_slow;
        if !is_slow {
            for thing in things.all.values_mut() {
                finish(thing);
            }
        }
    }

    /// Whether it refuses changes of size.
    pub fn refuse_changes(&self, refuses: bool) {
        lock(&self.things).refuses_changes = refuses;
    }

    /// The objects that are there.
    #[must_use]
    pub fn objects(&self) -> Vec<Value> {
        lock(&self.things).all.values().cloned().collect()
    }

    /// Puts an object of nobody's there; its id.
    #[must_use]
    pub fn plant(&self, kind: &str, name: &str, size: u64) -> String {
        let body = json!({"name": name, "size": size, "labels": {}});
        let made = lock(&self.things).make(kind, &body);
        made["id"].as_str().unwrap_or_default().to_owned()
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn finish(thing: &mut Value) {
    thing["size"] = thing["wanted_size"].clone();
    thing["ready"] = json!(true);
}

impl Things {
    fn make(&mut self, kind: &str, body: &Value) -> Value {
        self.made += 1;
        let id = format!("{}-{}", kind.trim_end_matches('s'), self.made);
        let mut thing = json!({
            "id": id, "name": body["name"], "size": 0, "wanted_size": body["size"],
            "site": body["site"], "ready": false, "labels": body["labels"],
        });
        if !self.is_slow {
            finish(&mut thing);
        }
        self.all.insert((kind.to_owned(), id), thing.clone());
        thing
    }
}

type Answer = Result<Json<Value>, StatusCode>;

async fn authorize(
    State(token): State<&'static str>,
    request: Request,
    next: Next,
) -> Result<Response, StatusCode> {
    let given = request.headers().get(header::AUTHORIZATION);
    let is_right =
        given.is_some_and(|given| given.as_bytes() == format!("Bearer {token}").as_bytes());
    if is_right {
        Ok(next.run(request).await)
    } else {
        Err(StatusCode::UNAUTHORIZED)
    }
}

async fn list(
    State(things): State<Shared>,
    Path(kind): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Json<Value> {
    let things = lock(&things);
    let after = query.get("after").cloned().unwrap_or_default();
    let name = query.get("name");
    let mut items: Vec<&Value> = things
        .all
        .iter()
        .filter(|((of, id), _)| *of == kind && *id > after)
        .map(|(_, thing)| thing)
        .filter(|thing| name.is_none_or(|name| thing["name"] == json!(name)))
        .collect();
    let more = items.len() > PAGE;
    items.truncate(PAGE);
    let next = items
        .last()
        .filter(|_| more)
        .map(|thing| thing["id"].clone());
    Json(json!({"items": items, "next": next}))
}

async fn create(
    State(things): State<Shared>,
    Path(kind): Path<String>,
    Json(body): Json<Value>,
) -> Result<(StatusCode, Json<Value>), StatusCode> {
    if !body["name"].is_string() || !body["size"].is_u64() || !body["labels"].is_object() {
        return Err(StatusCode::UNPROCESSABLE_ENTITY);
    }
    let made = lock(&things).make(&kind, &body);
    Ok((StatusCode::CREATED, Json(made)))
}

async fn read(State(things): State<Shared>, Path(key): Path<(String, String)>) -> Answer {
    let things = lock(&things);
    let thing = things.all.get(&key).ok_or(StatusCode::NOT_FOUND)?;
    Ok(Json(thing.clone()))
}

async fn change(
    State(things): State<Shared>,
    Path(key): Path<(String, String)>,
    Json(body): Json<Value>,
) -> Answer {
    let mut things = lock(&things);
    let (refuses, is_slow) = (things.refuses_changes, things.is_slow);
    let thing = things.all.get_mut(&key).ok_or(StatusCode::NOT_FOUND)?;
    if refuses || !body["size"].is_u64() {
        return Err(StatusCode::UNPROCESSABLE_ENTITY);
    }
    thing["wanted_size"] = body["size"].clone();
    if !is_slow {
        finish(thing);
    }
    Ok(Json(thing.clone()))
}

async fn label(
    State(things): State<Shared>,
    Path(key): Path<(String, String)>,
    Json(body): Json<Value>,
) -> Answer {
    let mut things = lock(&things);
    let thing = things.all.get_mut(&key).ok_or(StatusCode::NOT_FOUND)?;
    thing["labels"] = body["labels"].clone();
    Ok(Json(thing.clone()))
}

async fn remove(
    State(things): State<Shared>,
    Path(key): Path<(String, String)>,
) -> Result<StatusCode, StatusCode> {
    let gone = lock(&things).all.remove(&key);
    gone.map(|_| StatusCode::NO_CONTENT)
        .ok_or(StatusCode::NOT_FOUND)
}
