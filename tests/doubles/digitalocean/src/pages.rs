//! Pages of lists, as `page` and `per_page` ask for them.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::query;

/// The page that a request asks for.
pub(crate) struct Page {
    number: usize,
    size: usize,
}

/// Items on a page that doesn't say.
const DEFAULT_SIZE: usize = 20;
/// The most items on a page.
const MAX_SIZE: usize = 200;

impl<S: Send + Sync> FromRequestParts<S> for Page {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let read = |name: &str, default: usize, most: usize| match query::get(&parts.uri, name) {
            None => Ok(default),
            Some(text) => match text.parse::<usize>() {
                Ok(number) if (1..=most).contains(&number) => Ok(number),
                _ => Err(ApiError::bad_request(format!(
                    "`{name}` is `{text}`; it must be a whole number from 1 to {most}"
                ))),
            },
        };
        Ok(Self {
            number: read("page", 1, usize::MAX)?,
            size: read("per_page", DEFAULT_SIZE, MAX_SIZE)?,
        })
    }
}

impl Page {
    /// The items on this page.
    pub(crate) fn of<T>(&self, items: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        let before = (self.number - 1).saturating_mul(self.size);
        items.skip(before).take(self.size)
    }

    /// The member `links` of the answer: empty for the only page, without `next` on the last.
    pub(crate) fn links(&self, origin: &str, path: &str, total: usize) -> Value {
        let last = total.div_ceil(self.size).max(1);
        if last == 1 && self.number == 1 {
            return json!({});
        }
        let url = |page: usize| -> Value {
            format!("{origin}{path}?page={page}&per_page={}", self.size).into()
        };
        let mut pages = Map::new();
        if self.number > 1 {
            pages.insert("first".into(), url(1));
            pages.insert("prev".into(), url((self.number - 1).min(last)));
        }
        if self.number < last {
            pages.insert("next".into(), url(self.number + 1));
            pages.insert("last".into(), url(last));
        }
        json!({"pages": pages})
    }
}
