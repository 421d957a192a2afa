//! Which headers pass, on the way out and on the way back.

use berth_domain::manifest::Manifest;
use berth_domain::redactor::Redactor;
use http::header::{HeaderMap, HeaderName, HeaderValue};

use super::plan::shown;

/// Most headers of a guest that are looked at, and the longest value.
const HEADERS_MAX: usize = 64;
const VALUE_BYTES_MAX: usize = 4 << 10;

/// Headers of a guest that are sent on, beside `x-*`.
const SENT_ON: [&str; 5] = [
    "accept",
    "content-type",
    "if-match",
    "if-none-match",
    "user-agent",
];

/// `x-*` headers that are not: they carry a credential that is not the account's, or have servers
/// take another method, path or sender than the host checked.
fn is_treacherous(name: &str) -> bool {
    const PARTS: [&str; 11] = [
        "auth",
        "token",
        "key",
        "secret",
        "session",
        "method",
        "forwarded",
        "real-ip",
        "original",
        "rewrite",
        "host",
    ];
    PARTS.iter().any(|part| name.contains(part))
}

/// The guest's headers that are sent on; all others are dropped.
pub(super) fn of_request(headers: &[(String, String)]) -> Result<HeaderMap, String> {
    if headers.len() > HEADERS_MAX {
        return Err(format!(
            "{} headers; at most {HEADERS_MAX} are taken",
            headers.len()
        ));
    }
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        let passes =
            SENT_ON.contains(&name.as_str()) || (name.starts_with("x-") && !is_treacherous(&name));
        if !passes {
            continue;
        }
        let fits = value.len() <= VALUE_BYTES_MAX
            && value
                .bytes()
                .all(|b| b == b'\t' || (b' '..=b'~').contains(&b));
        let (true, Ok(name), Ok(value)) = (
            fits,
            HeaderName::try_from(name.as_str()),
            HeaderValue::try_from(value),
        ) else {
            return Err(format!(
                "the header `{}` can't be sent: printable ASCII of at most {VALUE_BYTES_MAX} bytes",
                shown(&name)
            ));
        };
        kept.insert(name, value);
    }
    Ok(kept)
}

/// Who asks, if the guest does not say.
pub(super) fn user_agent(manifest: &Manifest) -> HeaderValue {
    let text = format!(
        "berth/{} {}/{}",
        env!("CARGO_PKG_VERSION"),
        manifest.provider,
        manifest.version
    );
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("berth"))
}

/// Headers of an answer that the guest may read: no cookies, and nothing that sets a session up.
fn is_shown(name: &str) -> bool {
    const SHOWN: [&str; 8] = [
        "content-type",
        "etag",
        "last-modified",
        "link",
        "location",
        "request-id",
        "retry-after",
        "x-request-id",
    ];
    SHOWN.contains(&name) || name.starts_with("ratelimit-") || name.starts_with("x-ratelimit-")
}

/// The answer's headers as the guest may read them.
pub(super) fn of_response(headers: &HeaderMap, injected: &Redactor) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(name, _)| is_shown(name.as_str()))
        .filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            let value = super::text::without_userinfo(value);
            Some((
                name.as_str().to_owned(),
                injected.scrub_text(&value).into_owned(),
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, value: &str) -> bool {
        !of_request(&[(name.to_owned(), value.to_owned())])
            .unwrap()
            .is_empty()
    }

    #[test]
    fn what_is_not_on_the_list_is_dropped() {
        for name in [
            "authorization",
            "Authorization",
            "proxy-authorization",
            "cookie",
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "upgrade",
            "expect",
            "te",
            "x-auth-token",
            "x-api-key",
            "x-http-method-override",
            "x-method-override",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-original-url",
            "x-rewrite-url",
            "accept-encoding",
        ] {
            assert!(!kept(name, "v"), "{name}");
        }
        for name in [
            "accept",
            "Content-Type",
            "if-match",
            "x-idempotency",
            "user-agent",
        ] {
            assert!(kept(name, "v"), "{name}");
        }
    }

    #[test]
    fn a_header_that_could_split_the_request_is_refused() {
        for value in ["a\r\nauthorization: x", "a\nb", "a\0b", "ü"] {
            assert!(
                of_request(&[("x-note".to_owned(), value.to_owned())]).is_err(),
                "{value:?}"
            );
        }
    }

    #[test]
    fn an_answers_cookies_are_not_shown_and_its_secrets_scrubbed() {
        let mut headers = HeaderMap::new();
        headers.insert("set-cookie", HeaderValue::from_static("session=1"));
        headers.insert(
            "x-request-id",
            HeaderValue::from_static("id-token-canary-1"),
        );
        headers.insert(
            "location",
            HeaderValue::from_static("https://u:p@h.example.com/x"),
        );
        let shown = of_response(&headers, &Redactor::new(["token-canary"]));
        assert_eq!(
            shown,
            [
                ("x-request-id".to_owned(), "id-[redacted]-1".to_owned()),
                ("location".to_owned(), "https://h.example.com/x".to_owned())
            ]
        );
    }
}
