//! What is wrong with an exchange.

use std::fmt;

/// The half of an exchange that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The request.
    Request,
    /// The answer.
    Response,
}

/// One thing that is wrong with an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The half that is wrong.
    pub side: Side,
    /// The method and the path.
    pub request: String,
    /// What is wrong.
    pub what: String,
}

impl Violation {
    pub(crate) fn new(side: Side, method: &str, path: &str, what: String) -> Self {
        Self {
            side,
            request: format!("{method} {path}"),
            what,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Request => "request",
            Side::Response => "answer",
        };
        write!(f, "{} ({side}): {}", self.request, self.what)
    }
}
