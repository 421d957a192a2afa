//! Lists that go on from a token instead of a page number: those of agents and of signals.

use axum::extract::FromRequestParts;
use data_encoding::BASE64URL_NOPAD;
use http::Uri;
use http::request::Parts;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::query;

/// A part of a list, as `page_size` and `page_token` ask for it.
pub(crate) struct TokenPage(Part);

/// A part of a list, as `limit` and `after` ask for it.
pub(crate) struct EdgePage(Part);

struct Part {
    size: usize,
    /// The place of the last item that was seen.
    after: Option<u64>,
}

/// The sizes that are allowed, and the usual one.
struct Sizes {
    usual: usize,
    most: usize,
}

const TOKEN_SIZES: Sizes = Sizes {
    usual: 50,
    most: 200,
};
const EDGE_SIZES: Sizes = Sizes {
    usual: 20,
    most: 100,
};

impl Part {
    fn read(uri: &Uri, size: &str, after: &str, sizes: &Sizes) -> Result<Self, ApiError> {
        let wanted = match query::get(uri, size) {
            None => sizes.usual,
            Some(text) => match text.parse::<usize>() {
                Ok(number) if (1..=sizes.most).contains(&number) => number,
                _ => {
                    return Err(ApiError::bad_request(format!(
                        "`{size}` is `{text}`; it must be a whole number from 1 to {}",
                        sizes.most
                    )));
                }
            },
        };
        let after = match query::get(uri, after).filter(|text| !text.is_empty()) {
            None => None,
            Some(text) => Some(read_token(&text).ok_or_else(|| {
                ApiError::bad_request(format!("`{after}` is `{text}`, which no list gave"))
            })?),
        };
        Ok(Self {
            size: wanted,
            after,
        })
    }

    /// The items of this part of a list that goes from high places to low ones, and whether
    /// there are more.
    fn of<T>(&self, items: Vec<(u64, T)>) -> (Vec<(u64, T)>, bool) {
        let mut rest: Vec<(u64, T)> = items
            .into_iter()
            .filter(|(place, _)| self.after.is_none_or(|after| *place < after))
            .collect();
        rest.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
        let more = rest.len() > self.size;
        rest.truncate(self.size);
        (rest, more)
    }
}

fn write_token(place: u64) -> String {
    BASE64URL_NOPAD.encode(format!("place:{place}").as_bytes())
}

fn read_token(text: &str) -> Option<u64> {
    let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.strip_prefix("place:")?.parse().ok()
}

impl<S: Send + Sync> FromRequestParts<S> for TokenPage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        Part::read(&parts.uri, "page_size", "page_token", &TOKEN_SIZES).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for EdgePage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        Part::read(&parts.uri, "limit", "after", &EDGE_SIZES).map(Self)
    }
}

impl TokenPage {
    /// The answer with this part of a list under `name`, the newest items first. The last part
    /// has an empty token.
    pub(crate) fn json(&self, name: &str, items: Vec<(u64, Value)>) -> Value {
        let (shown, more) = self.0.of(items);
        let last = shown.last().map(|(place, _)| *place);
        let token = last.filter(|_| more).map(write_token);
        let shown: Vec<Value> = shown.into_iter().map(|(_, item)| item).collect();
        json!({name: shown, "next_page_token": token.unwrap_or_default()})
    }
}

impl EdgePage {
    /// The members `edges` and `page_info` of the answer, the newest items first.
    pub(crate) fn json(&self, items: Vec<(u64, Value)>) -> Value {
        let (shown, more) = self.0.of(items);
        let end = shown.last().map(|(place, _)| write_token(*place));
        let edges: Vec<Value> = shown
            .into_iter()
            .map(|(place, node)| json!({"cursor": write_token(place), "node": node}))
            .collect();
        json!({"edges": edges, "page_info": {"has_next_page": more, "end_cursor": end}})
    }
}

#[cfg(test)]
mod tests {
    use super::{read_token, write_token};

    #[test]
    fn tokens_are_read_back_and_others_are_refused() {
        assert_eq!(read_token(&write_token(7)), Some(7));
        for wrong in ["", "7", "cGxhY2U6", "äöü", "cGxhY2U6YQ"] {
            assert_eq!(read_token(wrong), None, "{wrong}");
        }
    }
}
