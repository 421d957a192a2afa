//! `berth:provider/http`: hands requests to the egress.

use crate::bindings::berth::provider::http::{Host, HttpError, Request, Response};
use crate::call::CallState;

impl Host for CallState {
    async fn send(&mut self, request: Request) -> wasmtime::Result<Result<Response, HttpError>> {
        match self.http.clone() {
            Some(egress) => Ok(egress.send(request).await),
            None => Ok(Err(HttpError::Refused(
                "this call is granted no http: `describe`, `check` and `upgrade-spec` are pure"
                    .to_owned(),
            ))),
        }
    }
}
