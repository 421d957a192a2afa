//! What an account lets a generation reach, built once and kept with its connections.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use berth_domain::id::AccountId;
use berth_domain::platform::{Account, Egress};
use berth_domain::resource::{CallError, CallFault};
use berth_runtime::{AccountGrant, Generation, Limits};

use crate::accounts::grant_config;

/// Most accounts whose grants are kept.
const KEPT_MAX: usize = 1_024;

struct Kept {
    digest: String,
    egress: Egress,
    grant: Arc<AccountGrant>,
}

/// Grants by account. One is built anew when the account's egress or the generation changed.
#[derive(Default)]
pub(crate) struct Grants {
    kept: Mutex<HashMap<AccountId, Kept>>,
}

impl Grants {
    pub(crate) fn of(
        &self,
        account: &Account,
        generation: &Generation,
        limits: &Limits,
    ) -> Result<Arc<AccountGrant>, CallError> {
        let digest = generation.digest().as_str();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept
            .get(&account.id)
            .filter(|found| found.digest == digest && found.egress == account.egress)
        {
            return Ok(found.grant.clone());
        }
        let manifest = generation.manifest();
        let grant = AccountGrant::build(manifest, &grant_config(&account.egress, manifest), limits)
            .map_err(|error| {
                tracing::warn!(account = %account.id, %error, "the egress of an account can't be used; mend it with `accounts/update`");
                CallError {
                    fault: CallFault::Host(
                        "the account's egress can't be used; the operator finds the cause in the host's log"
                            .to_owned(),
                    ),
                    wrote: false,
                }
            })?;
        let grant = Arc::new(grant);
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(
            account.id.clone(),
            Kept {
                digest: digest.to_owned(),
                egress: account.egress.clone(),
                grant: grant.clone(),
            },
        );
        Ok(grant)
    }
}
