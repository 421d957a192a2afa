//! Sends one planned request: budget, credential, journal, wire.

use std::time::Duration;

use berth_domain::id::EntryId;
use berth_domain::manifest::CredentialType;
use berth_domain::time::Span;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::Egress;
use super::plan::Planned;
use super::resolver::NotGranted;
use crate::bindings::berth::provider::http::HttpError;
use crate::ports::{Budget, Exchange, JournalEntry, RateHeaders};

/// An answer as it came.
pub(super) struct Raw {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

pub(super) async fn run(egress: &Egress, planned: Planned) -> Result<Raw, HttpError> {
    let opened = egress.opened().await?;
    let canonical = !planned.permit.own_ids.is_empty();
    let body = planned.body.to_send(opened, canonical).map_err(|unsent| {
        if let Some(cause) = unsent.cause {
            egress.findings.note_cause(cause);
        }
        HttpError::Refused(unsent.text)
    })?;
    let credential = if planned.credential {
        credential(egress).await?
    } else {
        None
    };
    wait_for_budget(egress).await?;

    let mut request = egress
        .grant
        .client()
        .request(planned.method.clone(), planned.url.clone())
        .headers(planned.headers.clone())
        .timeout(planned.timeout);
    if let Some(credential) = credential {
        request = request.header(header::AUTHORIZATION, credential);
    }
    if !body.is_empty() {
        request = request.body(body);
    }
    if !planned.permit.write {
        return send(egress, request).await.map_err(|failed| failed.error);
    }

    let entry = journal(egress, &planned).await?;
    let wrote_before = egress.findings.set_wrote(true);
    let sent = send(egress, request).await;
    let end = match &sent {
        Ok(raw) => Exchange::Answered(raw.status.as_u16()),
        Err(failed) => failed.end,
    };
    match end {
        Exchange::Answered(_) => {}
        Exchange::Lost => egress.findings.set_lost(),
        Exchange::NotSent => {
            egress.findings.set_wrote(wrote_before);
        }
    }
    if let Err(error) = egress
        .ports
        .journal
        .after_write(&egress.scope, &entry, end)
        .await
    {
        // An entry without an end counts as lost, which is safe, only slower.
        tracing::warn!(entry = %entry, %error, "the end of a write could not be journalled");
    }
    sent.map_err(|failed| failed.error)
}

/// What whoever sees the resource is told of a credential that fails.
const CREDENTIAL: &str = "the account's credential can't be used, so nothing was sent; the operator finds the cause in the host's log";

/// The `authorization` header of the account.
async fn credential(egress: &Egress) -> Result<Option<HeaderValue>, HttpError> {
    match egress.generation.manifest().credential {
        CredentialType::None => Ok(None),
        CredentialType::Bearer => {
            let token = egress
                .ports
                .secrets
                .credential(&egress.scope.account)
                .await
                .map_err(|error| {
                    egress.findings.blame_host(
                        CREDENTIAL,
                        &format_args!("the account's credential can't be opened: {error}"),
                    );
                    HttpError::Refused(
                        "the host can't open the account's credential; nothing was sent".to_owned(),
                    )
                })?;
            let mut value = HeaderValue::try_from(format!("Bearer {}", token.expose())).map_err(|_| {
                egress.findings.blame_host(
                    CREDENTIAL,
                    &"the account's credential has characters that no header can carry; set it anew",
                );
                HttpError::Refused("the account's credential can't be sent; nothing was sent".to_owned())
            })?;
            value.set_sensitive(true);
            egress.findings.inject(token);
            Ok(Some(value))
        }
    }
}

/// Waits a little for the account's budget, then has the plugin come back later.
async fn wait_for_budget(egress: &Egress) -> Result<(), HttpError> {
    let patience = Duration::from_millis(egress.limits.http_rate_wait_ms);
    let until = egress.deadline.min(Instant::now() + patience);
    loop {
        match egress
            .ports
            .rate
            .take(&egress.scope.account, egress.scope.priority)
        {
            Budget::Go => return Ok(()),
            Budget::WaitFor(span) => {
                let wait = Duration::from_millis(span.0.max(1));
                if Instant::now() + wait > until {
                    return Err(HttpError::Throttled(span.0));
                }
                tokio::time::sleep(wait).await;
            }
        }
    }
}

async fn journal(egress: &Egress, planned: &Planned) -> Result<EntryId, HttpError> {
    let body = planned.body.as_written().clone();
    let entry = JournalEntry {
        method: planned.method.to_string(),
        origin: planned.origin.clone(),
        path: planned.path.clone(),
        body_sha256: format!("{:x}", Sha256::digest(&body)),
        body,
    };
    egress
        .ports
        .journal
        .before_write(&egress.scope, entry)
        .await
        .map_err(|error| {
            egress.findings.blame_host(
                "a write could not be journalled, so it was not sent; the operator finds the cause in the host's log",
                &format_args!("a write could not be journalled: {error}"),
            );
            HttpError::Refused("the host could not journal the write; nothing was sent".to_owned())
        })
}

/// What the guest is told, and how the exchange ended.
struct Failed {
    error: HttpError,
    end: Exchange,
}

async fn send(egress: &Egress, request: reqwest::RequestBuilder) -> Result<Raw, Failed> {
    let mut response = request
        .send()
        .await
        .map_err(|error| failed(egress, &error))?;
    let status = response.status();
    let headers = std::mem::take(response.headers_mut());
    egress
        .ports
        .rate
        .observe(&egress.scope.account, &rate_headers(status, &headers));
    let limit = egress.limits.http_response_bytes;
    let mut body = BytesMut::new();
    loop {
        match response.chunk().await {
            Ok(None) => {
                return Ok(Raw {
                    status,
                    headers,
                    body: body.freeze(),
                });
            }
            Ok(Some(chunk)) if body.len().saturating_add(chunk.len()) > limit => {
                let error = HttpError::TooLarge(limit as u64);
                return Err(Failed {
                    error,
                    end: Exchange::Lost,
                });
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Err(error) => {
                let text = format!("the answer ({status}) was cut: {}", root(&error));
                return Err(Failed {
                    error: HttpError::Lost(text),
                    end: Exchange::Lost,
                });
            }
        }
    }
}

fn failed(egress: &Egress, error: &reqwest::Error) -> Failed {
    if let Some(refused) = not_granted(error) {
        // Where the operator's addresses lead is not for the guest, whose error a tenant may read.
        egress.findings.blame_host(
            "the account's grant does not reach the provider, so nothing was sent; the operator finds the cause in the host's log",
            refused,
        );
        return Failed {
            error: HttpError::Refused(
                "the account's grant does not reach the address that the host's name leads to; nothing was sent"
                    .to_owned(),
            ),
            end: Exchange::NotSent,
        };
    }
    // Nothing else is certain to have kept the request from the provider.
    if error.is_connect() || error.is_dns() || error.is_builder() {
        return Failed {
            error: HttpError::Connect(root(error)),
            end: Exchange::NotSent,
        };
    }
    let text = if error.is_timeout() {
        "no answer came in time (`runtime.limits.httpTotalMs` is the longest)".to_owned()
    } else {
        root(error)
    };
    Failed {
        error: HttpError::Lost(text),
        end: Exchange::Lost,
    }
}

fn causes<'e>(
    error: &'e reqwest::Error,
) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |error| {
        error.source()
    })
}

fn not_granted(error: &reqwest::Error) -> Option<&NotGranted> {
    causes(error).find_map(|cause| cause.downcast_ref::<NotGranted>())
}

/// The innermost cause: it has no URL in it, whose query might say too much.
fn root(error: &reqwest::Error) -> String {
    causes(error)
        .last()
        .map_or_else(String::new, ToString::to_string)
}

fn rate_headers(status: StatusCode, headers: &HeaderMap) -> RateHeaders {
    let number = |names: [&str; 2]| {
        names.iter().find_map(|name| {
            headers
                .get(*name)?
                .to_str()
                .ok()?
                .trim()
                .parse::<u64>()
                .ok()
        })
    };
    RateHeaders {
        status: status.as_u16(),
        limit: number(["ratelimit-limit", "x-ratelimit-limit"]),
        remaining: number(["ratelimit-remaining", "x-ratelimit-remaining"]),
        reset: number(["ratelimit-reset", "x-ratelimit-reset"]),
        retry_after: number(["retry-after", "retry-after"])
            .map(|seconds| Span(seconds.saturating_mul(1_000))),
    }
}
