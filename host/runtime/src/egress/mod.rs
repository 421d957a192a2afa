//! The one way out: what a plugin asks to be sent, and what of the answer it may read.
//!
//! A request goes through these steps, one file each: [`target`] (whereto, and is that granted),
//! [`permit`] (does the manifest declare it for this operation and this object), [`headers`],
//! [`body`] (own ids, SecretRefs), then the exchange itself, and on the way back [`clean`].

mod address;
mod blank;
mod body;
mod clean;
mod exchange;
mod grant;
mod headers;
mod permit;
mod plan;
mod resolver;
mod secret_members;
mod target;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use berth_domain::manifest::Binding;
use berth_domain::secret::{SecretRef, SecretText};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::bindings::berth::provider::http::{HttpError, Request, Response};
use crate::call::{CallScope, Findings};
use crate::limits::Limits;
use crate::load::Generation;
use crate::ports::{PortError, Ports};

pub use grant::{AccountGrant, GrantConfig, GrantError, GrantedEndpoint};

/// The way out of one call.
pub(crate) struct Egress {
    /// Whose manifest declares what may be sent.
    pub(crate) generation: Arc<Generation>,
    /// What the operator granted.
    pub(crate) grant: Arc<AccountGrant>,
    /// The call.
    pub(crate) scope: CallScope,
    /// What the call's own object is called.
    pub(crate) binding: Binding,
    /// SecretRefs that stand in the row's spec at fields marked secret.
    pub(crate) references: BTreeSet<SecretRef>,
    /// What is found out on the way.
    pub(crate) findings: Arc<Findings>,
    /// The rest of the host.
    pub(crate) ports: Ports,
    /// What a call may use.
    pub(crate) limits: Arc<Limits>,
    /// Where requests are driven: not among the guests, who may spin.
    pub(crate) io: Handle,
    /// When the call must have ended.
    pub(crate) deadline: Instant,
    /// Requests asked for so far.
    pub(crate) requests: AtomicU32,
    /// The row's secrets, opened at the first request.
    pub(crate) opened: OnceCell<BTreeMap<SecretRef, Result<SecretText, PortError>>>,
}

impl Egress {
    /// Sends a request for the guest, or says why not.
    pub(crate) async fn send(self: Arc<Self>, request: Request) -> Result<Response, HttpError> {
        if self.requests.fetch_add(1, Ordering::Relaxed) >= self.limits.http_requests {
            return Err(HttpError::Refused(format!(
                "the call sent {} requests, which is the most (`runtime.limits.httpRequests`)",
                self.limits.http_requests
            )));
        }
        let planned = plan::plan(&self, request).map_err(HttpError::Refused)?;
        let permit = planned.permit.clone();
        let egress = self.clone();
        let mut task = Driven(
            self.io
                .spawn(async move { exchange::run(&egress, planned).await }),
        );
        let raw = match (&mut task.0).await {
            Ok(result) => result?,
            Err(error) => {
                self.findings.blame_host(
                    "the request could not be sent to its end; the operator finds the cause in the host's log",
                    &format_args!("the task of a request failed: {error}"),
                );
                return Err(HttpError::Lost(
                    "the host failed while it sent the request".to_owned(),
                ));
            }
        };
        // Back among the guests: parsing a large answer is this call's own cost.
        Ok(clean::clean(raw, &permit, &self))
    }

    /// The row's secrets by reference, opened once a call, and known to the scrubber from then on:
    /// a provider may echo what an earlier call sent.
    async fn opened(
        &self,
    ) -> Result<&BTreeMap<SecretRef, Result<SecretText, PortError>>, HttpError> {
        self.opened
            .get_or_try_init(|| async {
                let mut opened = BTreeMap::new();
                for reference in &self.references {
                    let value = self.ports.secrets.resolve(&self.scope, reference).await;
                    match &value {
                        Ok(value) => self.findings.inject(value.clone()),
                        Err(PortError::Unavailable(text)) => {
                            self.findings.blame_host(
                                "the secret store can't be reached, so nothing was sent; the operator finds the cause in the host's log",
                                &format_args!("{reference} can't be read: {text}"),
                            );
                            return Err(HttpError::Refused(
                                "the host's secret store can't be reached; nothing was sent"
                                    .to_owned(),
                            ));
                        }
                        // A deleted secret keeps nobody from reading or deleting the object.
                        Err(PortError::NotFound(_) | PortError::Denied(_)) => {}
                    }
                    opened.insert(reference.clone(), value);
                }
                Ok(opened)
            })
            .await
    }
}

/// A request in flight, cut off when the call that waits for it ends.
struct Driven<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Driven<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
