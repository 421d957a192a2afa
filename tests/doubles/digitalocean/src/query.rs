//! Query strings, strictly: a parameter that the endpoint doesn't have is refused.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::Uri;

use crate::error::ApiError;

/// The parameters of each path that has any.
fn known(path: &str) -> &'static [&'static str] {
    match path {
        "/v2/1-clicks" => &["type"],
        "/v2/databases" => &["tag_name"],
        "/v2/apps" => &["page", "per_page", "with_projects"],
        "/v2/apps/{id}" => &["name"],
        "/v2/apps/{id}/deployments" => &["page", "per_page", "deployment_types"],
        "/v1/consent" => &["source"],
        "/v1/signals/agents/{id}/sessions" => {
            &["limit", "after", "start_time", "end_time", "signal_type"]
        }
        "/v1/signals/sessions/{id}/dialogues" => &["limit", "after", "signal_type"],
        "/v2/agents/configs" => &["page_size", "page_token", "search"],
        "/v2/agents/configs/{id}/sessions" | "/v2/agents/sessions" => {
            &["page_size", "page_token", "status", "name"]
        }
        "/v2/agents/sessions/{id}/events" => &["replay_only"],
        "/v2/agents/triggers" => &["page_size", "page_token", "kind", "status"],
        "/v2/agents/triggers/{id}/executions" => &["page_size", "page_token", "status"],
        "/v2/dedicated-inferences" => &["page", "per_page", "region"],
        "/v2/dedicated-inferences/{id}/accelerators" => &["page", "per_page", "slug"],
        "/v2/dedicated-inferences/{id}/tokens" => &["page", "per_page"],
        "/v2/vpcs" => &["page", "per_page"],
        "/v2/vpcs/{id}/members" => &["resource_type", "page", "per_page"],
        "/v2/tags" => &["page", "per_page"],
        _ => &[],
    }
}

/// Refuses a request with a parameter that its path doesn't know, or on anything but a read.
pub(crate) async fn check(path: MatchedPath, request: Request, next: Next) -> Response {
    let known = if request.method().is_safe() {
        known(path.as_str())
    } else {
        &[]
    };
    let unknown = pairs(request.uri())
        .map(|(name, _)| name)
        .find(|name| !known.contains(&name.as_str()));
    if let Some(name) = unknown {
        return ApiError::bad_request(format!(
            "`{name}` is no query parameter of {} {}",
            request.method(),
            path.as_str()
        ))
        .into_response();
    }
    next.run(request).await
}

/// The value of the first parameter of that name.
pub(crate) fn get(uri: &Uri, wanted: &str) -> Option<String> {
    pairs(uri)
        .find(|(name, _)| name == wanted)
        .map(|(_, value)| value)
}

/// Names and values, decoded.
pub(crate) fn pairs(uri: &Uri) -> impl Iterator<Item = (String, String)> + '_ {
    uri.query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut ahead = rest.clone();
                let digit = |byte: Option<u8>| byte.and_then(|b| char::from(b).to_digit(16));
                match (digit(ahead.next()), digit(ahead.next())) {
                    (Some(high), Some(low)) => {
                        bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                        rest = ahead;
                    }
                    _ => bytes.push(byte),
                }
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn pairs_are_decoded() {
        let uri = "/v2/databases?tag_name=a%3Ab+c%zz&x".parse().unwrap();
        let all: Vec<_> = pairs(&uri).collect();
        assert_eq!(
            all,
            [
                ("tag_name".into(), "a:b c%zz".into()),
                (String::from("x"), String::new())
            ]
        );
    }
}
