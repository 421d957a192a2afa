//! The way of a request through the double: log, faults, authentication, rate, endpoint, answer.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};
use serde_json::json;
use tower::ServiceExt;

use crate::clock::wall_ms;
use crate::config::Config;
use crate::error::{self, ApiError};
use crate::faults::Action;
use crate::log::{Authorization, Entry};
use crate::sync::locked;
use crate::wire::{self, Sent};
use crate::world::Shared;
use crate::{routes, tags};

/// The connection is to be closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the double drops this connection")]
pub(crate) struct Dropped;

/// Answers requests to the provider API.
#[derive(Clone)]
pub(crate) struct Front {
    shared: Arc<Shared>,
    router: Router,
}

/// What a request is told by, once its body was read.
struct Incoming {
    parts: Parts,
    body: Bytes,
    request_id: String,
    authorization: Authorization,
}

impl Front {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            router: routes::router(Arc::clone(&shared)),
            shared,
        }
    }

    /// Answers one request, or says that its connection is to be dropped.
    pub(crate) async fn answer(&self, request: Request) -> Result<Response, Dropped> {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, self.shared.max_body).await;
        let too_large = body.is_err();
        let incoming = Incoming {
            authorization: authorization(&parts, &self.shared.token),
            request_id: self.shared.request_id(),
            parts,
            body: body.unwrap_or_default(),
        };
        let method = incoming.parts.method.as_str();
        let path = incoming.parts.uri.path();
        let now = self.shared.clock.now();
        let actions = locked(&self.shared.faults).take(method, path, now);
        let hit = actions.iter().map(|(id, _)| *id).collect();
        let number = locked(&self.shared.log).open(entry(&incoming, hit));
        let config = Arc::clone(&self.shared.world().config);
        if too_large {
            let error = ApiError::with_status(413, "The body is too large.");
            return Ok(self.finish(number, false, wire::whole(&error, &incoming.request_id)));
        }
        self.carry_out(number, incoming, &actions, &config).await
    }

    async fn carry_out(
        &self,
        number: u64,
        incoming: Incoming,
        actions: &[(u64, Action)],
        config: &Config,
    ) -> Result<Response, Dropped> {
        for (id, action) in actions {
            match action {
                Action::Delay { ms } => {
                    tokio::time::sleep(std::time::Duration::from_millis(*ms)).await;
                }
                Action::HoldBefore => self.shared.holds.wait(*id).await,
                Action::DropBefore => return Err(Dropped),
                Action::HangBefore => std::future::pending::<()>().await,
                Action::Answer { acts: false, .. } => {
                    let error = ApiError::with_status(500, "A fault.");
                    let whole = wire::whole(&error, &incoming.request_id);
                    return Ok(self.finish(number, false, wire::distort(whole, action)));
                }
                _ => {}
            }
        }
        let (acted, mut sent) = self.act(incoming, config).await;
        locked(&self.shared.log).close(number, acted, None);
        for (id, action) in actions {
            match action {
                Action::HoldAfter => self.shared.holds.wait(*id).await,
                Action::DropAfter => return Err(Dropped),
                Action::HangAfter => std::future::pending::<()>().await,
                Action::Answer { acts: true, .. } => sent = wire::distort(sent, action),
                _ => {}
            }
        }
        Ok(self.finish(number, acted, sent))
    }

    /// Checks what holds for every request, then asks the endpoint. Tells whether it was reached.
    async fn act(&self, incoming: Incoming, config: &Config) -> (bool, Sent) {
        let Incoming {
            parts,
            body,
            request_id,
            authorization,
        } = incoming;
        let echo = wire::Echo::of(config, &parts, &body);
        if authorization != Authorization::Right {
            return (
                false,
                wire::error(&ApiError::unauthorized(), &request_id, &echo),
            );
        }
        let verdict = config
            .rate
            .enabled
            .then(|| locked(&self.shared.rate).take(&config.rate, wall_ms()));
        let refusal = if verdict.as_ref().is_some_and(|verdict| !verdict.allowed) {
            Some(ApiError::too_many_requests())
        } else {
            check_form(&parts, &body).err()
        };
        let acted = refusal.is_none();
        let mut sent = match refusal {
            Some(error) => wire::error(&error, &request_id, &echo),
            None => {
                let nested = config.refusals.nested_agent_errors
                    && parts.uri.path().starts_with("/v2/agents/");
                let request = Request::from_parts(parts, Body::from(body));
                self.ask(request, &request_id, &echo, nested).await
            }
        };
        if let Some(verdict) = verdict {
            verdict.write(&mut sent.headers);
        }
        (acted, sent)
    }

    /// Asks the endpoint. `nested` is the shape of its errors.
    async fn ask(
        &self,
        request: Request,
        request_id: &str,
        echo: &wire::Echo,
        nested: bool,
    ) -> Sent {
        let Ok(response) = self.router.clone().oneshot(request).await;
        let (mut parts, body) = response.into_parts();
        if let Some(mut error) = parts.extensions.remove::<ApiError>() {
            if nested {
                error.id = error::NESTED;
            }
            return wire::error(&error, request_id, echo);
        }
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let status = parts.status;
        if !status.is_success() {
            // axum's own refusals, such as a path that isn't UTF-8.
            let error = ApiError::with_status(status.as_u16(), String::from_utf8_lossy(&body));
            return wire::error(&error, request_id, echo);
        }
        let mut headers = parts.headers;
        if let Ok(value) = HeaderValue::from_str(request_id) {
            headers.insert("x-request-id", value);
        }
        Sent {
            status,
            headers,
            body,
            cut: false,
        }
    }

    fn finish(&self, number: u64, acted: bool, sent: Sent) -> Response {
        let answer = Some((sent.status.as_u16(), sent.body.as_ref()));
        locked(&self.shared.log).close(number, acted, answer);
        sent.into_response()
    }
}

/// Refuses a body where none belongs, and one that isn't called JSON.
fn check_form(parts: &Parts, body: &[u8]) -> Result<(), ApiError> {
    if body.is_empty() {
        return Ok(());
    }
    let path = parts.uri.path();
    let takes_none = match parts.method {
        Method::GET | Method::HEAD => true,
        Method::DELETE => !routes::delete_has_body(path),
        _ => false,
    };
    if takes_none {
        return Err(ApiError::bad_request(format!(
            "{} {path} takes no body.",
            parts.method
        )));
    }
    let kind = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    if kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    Err(ApiError::with_status(
        StatusCode::UNSUPPORTED_MEDIA_TYPE.as_u16(),
        "The content type must be application/json.",
    ))
}

fn authorization(parts: &Parts, token: &str) -> Authorization {
    let mut all = parts.headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = all.next() else {
        return Authorization::Absent;
    };
    let bearer = value
        .to_str()
        .ok()
        .and_then(|text| text.strip_prefix("Bearer "));
    if all.next().is_none() && bearer == Some(token) {
        Authorization::Right
    } else {
        Authorization::Wrong
    }
}

fn entry(incoming: &Incoming, faults: Vec<u64>) -> Entry {
    let parts = &incoming.parts;
    let headers = parts
        .headers
        .iter()
        .filter(|(name, _)| *name != header::AUTHORIZATION)
        .map(|(name, value)| {
            (
                name.to_string(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    Entry {
        number: 0,
        at: wall_ms(),
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().map(str::to_owned),
        headers,
        authorization: incoming.authorization,
        body: String::from_utf8_lossy(&incoming.body).into_owned(),
        faults,
        acted: false,
        status: None,
        answer: None,
    }
}

/// The body of an error in the provider's shape.
pub(crate) fn error_body(error: &ApiError, message: &str, request_id: &str) -> Bytes {
    let value = match error.id {
        tags::ROOT_CAUSE => json!({"error": error.id, "messages": [message], "root_causes": []}),
        error::NESTED => json!({"error": {"code": error.status.as_u16(), "message": message}}),
        id => json!({"id": id, "message": message, "request_id": request_id}),
    };
    value.to_string().into()
}
