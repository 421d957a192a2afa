//! What every request passes: content type, size, token, a place among those that run at the same time.

use axum::body::{Body, to_bytes};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use berth_service::{Code, ServiceError};
use bytes::Bytes;

/// The bearer token of a request.
///
/// # Errors
/// `UNAUTHENTICATED`, with what the header should look like.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, ServiceError> {
    let refuse = |text: &str| ServiceError::new(Code::Unauthenticated, text);
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values
        .next()
        .ok_or_else(|| refuse("no token; send `Authorization: Bearer <token>`"))?;
    if values.next().is_some() {
        return Err(refuse(
            "more than one Authorization header; send exactly one",
        ));
    }
    value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty())
        .map(|(_, token)| token.trim())
        .ok_or_else(|| refuse("the Authorization header is not `Bearer <token>`"))
}

/// Refuses what is not JSON by its own word.
///
/// # Errors
/// `INVALID_INPUT` with reason `contentType`.
pub(crate) fn content_type(headers: &HeaderMap) -> Result<(), ServiceError> {
    let found = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("");
    let mime = found.split(';').next().unwrap_or("").trim();
    if mime.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "the content type must be application/json; send the header `Content-Type: application/json`";
    Err(ServiceError::new(Code::InvalidInput, message).reason("contentType"))
}

/// Reads a body up to a limit.
///
/// # Errors
/// `INVALID_INPUT` with reason `bodyLimit`, or `body` when it broke off.
pub(crate) async fn read(body: Body, limit: usize, setting: &str) -> Result<Bytes, ServiceError> {
    let declared = axum::body::HttpBody::size_hint(&body).lower();
    let too_large = || {
        ServiceError::new(Code::InvalidInput, format!("the body is larger than {limit} bytes; send less, or have the operator raise `{setting}`"))
            .reason("bodyLimit")
            .with("limit", limit)
    };
    if declared > limit as u64 {
        return Err(too_large());
    }
    to_bytes(body, limit).await.map_err(|error| {
        let limited = std::error::Error::source(&error)
            .is_some_and(|source| source.to_string().contains("length limit"));
        if limited || error.to_string().contains("length limit") {
            too_large()
        } else {
            ServiceError::new(
                Code::InvalidInput,
                "the body broke off before its end; send it again",
            )
            .reason("body")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_bearer_token_is_taken_in_any_case_of_the_scheme() {
        assert_eq!(bearer(&headers("bearer abc")).unwrap(), "abc");
    }

    #[test]
    fn anything_else_says_what_the_header_should_look_like() {
        for value in ["", "abc", "Basic abc", "Bearer", "Bearer  "] {
            assert!(
                bearer(&headers(value))
                    .unwrap_err()
                    .message
                    .contains("Bearer <token>"),
                "{value}"
            );
        }
        assert_eq!(
            bearer(&HeaderMap::new()).unwrap_err().code,
            Code::Unauthenticated
        );
    }

    #[tokio::test]
    async fn a_body_of_the_limit_passes_and_one_byte_more_names_the_setting() {
        assert_eq!(
            read(Body::from("1234"), 4, "api.bodyLimit")
                .await
                .unwrap()
                .len(),
            4
        );
        let refusal = read(Body::from("12345"), 4, "api.bodyLimit")
            .await
            .unwrap_err();
        assert!(refusal.message.contains("api.bodyLimit") && refusal.message.contains('4'));
        let streamed = Body::from_stream(futures_util::stream::iter([
            Ok::<_, std::io::Error>("123"),
            Ok("45"),
        ]));
        assert!(
            read(streamed, 4, "api.bodyLimit")
                .await
                .unwrap_err()
                .message
                .contains("api.bodyLimit")
        );
    }
}
