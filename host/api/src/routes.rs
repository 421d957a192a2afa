//! From a request to an answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{HeaderValue, Method as HttpMethod, Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use berth_domain::id::RequestId;
use berth_service::{Caller, Code, Service, ServiceError};
use bytes::Bytes;
use serde_json::Value;
use tracing::Instrument;

use crate::answer::respond;
use crate::methods::Method;
use crate::places::{Places, TenantPlace};
use crate::settings::ApiSettings;
use crate::{guard, methods};

#[derive(Clone)]
struct Shared {
    service: Arc<Service>,
    settings: Arc<ApiSettings>,
    places: Places,
}

/// A request that is whole: who calls what, with which body.
struct Whole {
    method: &'static Method,
    caller: Caller,
    bytes: Bytes,
    place: TenantPlace,
}

/// The whole API over a service.
pub fn router(service: Arc<Service>, settings: ApiSettings) -> Router {
    let shared = Shared {
        service,
        places: Places::new(&settings),
        settings: Arc::new(settings),
    };
    Router::new()
        .route("/api/compute/{module}/{method}", any(call))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .fallback(unknown)
        .with_state(shared)
}

async fn ready(State(shared): State<Shared>) -> impl IntoResponse {
    match shared.service.ready().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "not ready: the store takes no write; the host's log says why\n",
        ),
    }
}

async fn unknown(State(shared): State<Shared>) -> Response<Body> {
    respond(&shared.service.new_request_id(), Err(no_such_path()))
}

fn no_such_path() -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        "there is nothing at this path; methods are at `POST /api/compute/{module}/{method}`",
    )
    .reason("path")
}

async fn call(
    State(shared): State<Shared>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response<Body> {
    let id = shared.service.new_request_id();
    let Ok(Path((module, name))) = path else {
        return respond(&id, Err(no_such_path()));
    };
    if request.method() != HttpMethod::POST {
        let error = ServiceError::new(
            Code::InvalidInput,
            "methods are called by POST with a JSON body",
        )
        .reason("httpMethod");
        let mut response = respond(&id, Err(error));
        response
            .headers_mut()
            .insert(axum::http::header::ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let span = tracing::info_span!("request", %id, module, method = name);
    let result = async {
        // Until the request is whole it ends with its connection.
        let whole = take_in(&shared, &id, &module, &name, request).await?;
        run(&shared, whole).await
    };
    let result = result.instrument(span).await;
    respond(&id, result)
}

/// Authenticates, then reads: a body is only waited for, and only as large, as its caller may send.
async fn take_in(
    shared: &Shared,
    id: &RequestId,
    module: &str,
    name: &str,
    request: Request,
) -> Result<Whole, ServiceError> {
    let (parts, body) = request.into_parts();
    let method = methods::find(module, name)?;
    let peer = parts
        .extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map(|info| info.0.ip());
    let caller = shared
        .service
        .authenticate(guard::bearer(&parts.headers)?, id.clone(), peer)
        .await?;
    guard::content_type(&parts.headers)?;
    let place = shared.places.of_tenant(&caller.principal.tenant_id)?;
    let settings = &shared.settings;
    let installs = (method.module, method.name) == ("plugins", "install") && caller.is_operator();
    let _install = if installs {
        Some(shared.places.of_install()?)
    } else {
        None
    };
    let (limit, setting) = if installs {
        (settings.install_body_limit, "api.installBodyLimit")
    } else {
        (settings.body_limit, "api.bodyLimit")
    };
    let patience = Duration::from_millis(settings.body_timeout_ms);
    let bytes = tokio::time::timeout(patience, guard::read(body, limit, setting))
        .await
        .map_err(|_| {
            ServiceError::new(
                Code::InvalidInput,
                "the body did not come within `api.bodyTimeoutMs`; send it again, faster",
            )
            .reason("bodyTimeout")
        })??;
    Ok(Whole {
        method,
        caller,
        bytes,
        place,
    })
}

/// Runs a method in a task of its own: a client that hangs up does not stop what has begun, and a
/// panic stays here. The task keeps its places until it really ends.
async fn run(shared: &Shared, whole: Whole) -> Result<Value, ServiceError> {
    let permit = shared.places.of_method()?;
    let service = shared.service.clone();
    let work = async move {
        let Whole {
            method,
            caller,
            bytes,
            place,
        } = whole;
        let result = (method.call)(service, caller, bytes).await;
        drop((permit, place));
        result
    };
    let task = tokio::spawn(work.in_current_span());
    match tokio::time::timeout(
        Duration::from_millis(shared.settings.request_timeout_ms),
        task,
    )
    .await
    {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(ServiceError::internal(format!(
            "a method panicked: {panic}"
        ))),
        Err(_) => Err(ServiceError::new(
            Code::Unavailable,
            "the request took longer than `api.requestTimeoutMs`; what it began may still be recorded: look before you try again, with the same idempotencyKey",
        )),
    }
}
