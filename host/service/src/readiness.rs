//! Whether the host can do its work: its store makes writes durable.
//!
//! One proof serves all who ask within `service.readiness.keep`, and there is never more than one under
//! way: a flood of questions costs nothing, and a disk that hangs is not asked again and again.

use std::sync::Arc;

use berth_domain::time::Millis;
use tokio::sync::Mutex;

use crate::{Code, Service, ServiceError};

/// The last proof.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    last: Arc<Mutex<Option<Proof>>>,
}

#[derive(Debug)]
struct Proof {
    at: Millis,
    proven: Result<(), ServiceError>,
}

impl Service {
    /// Whether the host can serve: what it records becomes durable.
    ///
    /// # Errors
    /// `UNAVAILABLE` while the store takes no write, or takes longer than `service.readiness.wait`.
    pub async fn ready(&self) -> Result<(), ServiceError> {
        let wait = std::time::Duration::from_millis(self.settings().readiness.wait.0);
        match tokio::time::timeout(wait, self.proof()).await {
            Ok(proven) => proven,
            Err(_) => {
                tracing::warn!(
                    "not ready: the store made no write durable within `service.readiness.wait`"
                );
                Err(ServiceError::new(
                    Code::Unavailable,
                    "the store made no write durable within `service.readiness.wait`; look at its disk",
                ))
            }
        }
    }

    async fn proof(&self) -> Result<(), ServiceError> {
        let mut last = self.readiness.last.clone().lock_owned().await;
        let now = self.now();
        let keep = self.settings().readiness.keep;
        if let Some(proof) = &*last
            && (proof.at..proof.at + keep).contains(&now)
        {
            return proof.proven.clone();
        }
        let store = self.store().clone();
        // A task of its own: who asked may hang up, and the next one must not begin another proof.
        let proof = tokio::spawn(async move {
            let proven = match store.prove_writable(now).await {
                Ok(_) => Ok(()),
                Err(error) => {
                    tracing::warn!(%error, "not ready: the store takes no write");
                    Err(ServiceError::from(error))
                }
            };
            *last = Some(Proof {
                at: now,
                proven: proven.clone(),
            });
            proven
        });
        proof
            .await
            .unwrap_or_else(|error| Err(ServiceError::internal(format!("no proof: {error}"))))
    }
}
