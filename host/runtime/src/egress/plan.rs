//! From what a guest asks for to what may be sent; nothing here waits or sends.

use std::time::Duration;

use berth_domain::manifest::RequestPath;
use http::{HeaderMap, Method};
use tokio::time::Instant;
use url::Url;

use super::permit::{self, Permit};
use super::{Egress, body, headers, target};
use crate::bindings::berth::provider::http::Request;

/// A request that every rule lets through.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) method: Method,
    /// Where it is sent: the operator's base in place of the manifest's origin.
    pub(super) url: Url,
    /// The manifest's origin.
    pub(super) origin: String,
    /// The path as the guest wrote it.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: body::Body,
    /// The account's credential goes on it.
    pub(super) credential: bool,
    pub(super) permit: Permit,
    pub(super) timeout: Duration,
}

pub(super) fn plan(egress: &Egress, request: Request) -> Result<Planned, String> {
    let method = match request.method.as_str() {
        "GET" => Method::GET,
        "HEAD" => Method::HEAD,
        "POST" => Method::POST,
        "PUT" => Method::PUT,
        "PATCH" => Method::PATCH,
        "DELETE" => Method::DELETE,
        other => {
            return Err(format!(
                "`{}` is no method that can be sent: GET, HEAD, POST, PUT, PATCH and DELETE are",
                shown(other)
            ));
        }
    };
    let url = target::parse(&request.url)?;
    let manifest = egress.generation.manifest();
    let reached = egress.grant.reach(manifest, &url)?;
    let path: RequestPath = url
        .path()
        .parse()
        .map_err(|error| format!("{error}: `{}`", shown(url.path())))?;
    let mut headers = headers::of_request(&request.headers)?;
    let body = body::Body::read(request.body, &egress.limits)?;
    if !body.is_empty() && matches!(method, Method::GET | Method::HEAD) {
        return Err(format!("a {method} carries no body"));
    }
    let asked = permit::Asked {
        kind: egress
            .scope
            .kind
            .as_deref()
            .and_then(|kind| manifest.kind(kind)),
        endpoint: reached.endpoint,
        operation: egress.scope.operation,
        method: method.as_str(),
        path: &path,
        shown: url.path(),
        binding: &egress.binding,
        body: body.json(),
    };
    let permit = permit::judge(&asked)?;
    body.check_references(&egress.references, permit.write)?;
    if !permit.own_ids.is_empty() {
        // What was checked is what the provider must read.
        headers.insert(
            http::header::CONTENT_TYPE,
            http::HeaderValue::from_static("application/json"),
        );
    }
    headers
        .entry(http::header::USER_AGENT)
        .or_insert(headers::user_agent(manifest));
    let left = egress.deadline.saturating_duration_since(Instant::now());
    let wished = request.timeout.map_or(Duration::MAX, Duration::from_millis);
    Ok(Planned {
        method,
        origin: reached.endpoint.origin.clone(),
        path: url.path().to_owned(),
        url: reached.url,
        headers,
        body,
        credential: reached.endpoint.credential,
        permit,
        timeout: left
            .min(wished)
            .min(Duration::from_millis(egress.limits.http_total_ms)),
    })
}

/// A guest's text as it may stand in a message: short, on one line.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .take(200)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
