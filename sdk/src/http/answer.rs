//! An answer that the provider gave in good faith.

use serde::de::DeserializeOwned;

use super::Effect;
use crate::answers::one_line;
use crate::json::{self, Misfit};
use crate::types::{Error, Response};

/// An answer of class 2xx.
#[derive(Debug, Clone)]
pub struct Answer {
    response: Response,
    effect: Effect,
}

impl Answer {
    pub(super) fn new(response: Response, effect: Effect) -> Self {
        Self { response, effect }
    }

    /// The status, 200 to 299.
    pub fn status(&self) -> u16 {
        self.response.status
    }

    /// The first header of that name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.response, name)
    }

    /// The body as `T`. A body that is cut, empty, HTML or of another shape is an answer that says
    /// nothing: after a read `unavailable`, after a write `ambiguous`, since the write went through.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        json::read(&self.response.body).map_err(|misfit| self.unreadable(&misfit))
    }

    /// Says where the body is wrong, never what it holds: it may hold secrets.
    fn unreadable(&self, misfit: &Misfit) -> Error {
        let status = self.response.status;
        let message = if self.response.body.is_empty() {
            format!("the provider answered {status} with an empty body")
        } else {
            use serde_json::error::Category;
            let what = match misfit.error.classify() {
                Category::Data => "has another type than expected",
                Category::Eof => "ends early",
                Category::Syntax | Category::Io => "is not JSON",
            };
            let place = one_line(&misfit.place(), 100);
            format!("the provider answered {status} with a body that {what} at {place}")
        };
        match self.effect {
            Effect::Read => Error::Unavailable(message),
            Effect::Write => Error::Ambiguous(message),
        }
    }
}

pub(super) fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response
        .headers
        .iter()
        .find(|(header, _)| header.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}
