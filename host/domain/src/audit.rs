//! What is written down about a decision or a change.

pub mod chain;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{PrincipalId, RequestId, TenantId};
use crate::time::Millis;

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AuditOutcome {
    /// It was done.
    Done,
    /// It was refused.
    Refused,
}

/// One row of the audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// When.
    pub at: Millis,
    /// In which request; `None` for the reconciler and the start of the host.
    pub request_id: Option<RequestId>,
    /// By whom; `None` for the host itself.
    pub principal_id: Option<PrincipalId>,
    /// In which tenant.
    pub tenant_id: TenantId,
    /// What was asked, such as `compute:cloud-resources:create`.
    pub action: String,
    /// On what, such as `compute-cloud-resource/crs_…`.
    pub resource: String,
    /// How it ended.
    pub outcome: AuditOutcome,
    /// The error code of a refusal, a reason, ids; never a value that was given.
    pub detail: Value,
}
