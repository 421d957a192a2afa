//! Managed agents, which are in preview: environments, their sessions, and what needs attention in them.

pub(crate) mod environment;
pub(crate) mod session;
pub(crate) mod signals;

use berth_sdk::http::Request;

/// What an id looks like; the API does not promise more.
const ID: &str = "[A-Za-z0-9_-]{1,64}";
/// How many items a page holds: the most that the API gives.
const PAGE_SIZE: &str = "200";

/// Asks for the page of this token, the first without one.
fn page<'a>(request: Request<'a>, token: Option<&str>) -> Request<'a> {
    let request = request.query("page_size", PAGE_SIZE);
    match token {
        Some(token) => request.query("page_token", token),
        None => request,
    }
}
