//! An attempt: what a caller tries to do. It ends in the audit, done or refused.

use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::TenantId;
use berth_domain::time::Millis;
use serde_json::{Map, Value};

use crate::decision::Action;
use crate::{Caller, Code, Service, ServiceError};

/// Details of a refusal that may stand in the audit: they are ours, never what the caller wrote.
const AUDITED_DETAILS: [&str; 3] = ["reason", "limit", "resourceId"];

/// What a caller tries to do, on what, in which tenant.
#[derive(Debug, Clone)]
pub(crate) struct Attempt<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) tenant: TenantId,
    pub(crate) action: Action,
    /// What it is done to, such as `compute-tenant/acme`.
    pub(crate) resource: String,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(
        caller: &'a Caller,
        tenant: &TenantId,
        action: Action,
        resource: impl ToString,
    ) -> Self {
        Self {
            caller,
            tenant: tenant.clone(),
            action,
            resource: resource.to_string(),
        }
    }

    /// The audit row of an attempt that succeeds, to be stored with what it does.
    pub(crate) fn done(&self, now: Millis, detail: Value) -> Vec<AuditRow> {
        vec![self.row(now, AuditOutcome::Done, detail)]
    }

    /// Writes down an attempt that was allowed and changed nothing: a retry, or what was so already. Like a
    /// refusal it goes through even if the store can't take the row.
    pub(crate) async fn unchanged(&self, service: &Service) {
        let row = self.row(
            service.now(),
            AuditOutcome::Done,
            serde_json::json!({"unchanged": true}),
        );
        self.append(service, row).await;
    }

    /// Hands a result on; a refusal is written to the audit first.
    pub(crate) async fn settle<T>(
        &self,
        service: &Service,
        result: Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        if let Err(refusal) = &result {
            self.audit_refusal(service, refusal).await;
        }
        result
    }

    async fn audit_refusal(&self, service: &Service, refusal: &ServiceError) {
        if matches!(refusal.code, Code::Unavailable | Code::Internal) {
            return;
        }
        let mut detail = Map::new();
        detail.insert("code".into(), serde_json::json!(refusal.code));
        for name in AUDITED_DETAILS {
            if let Some(value) = refusal.details.get(name) {
                detail.insert(name.into(), value.clone());
            }
        }
        let mut row = self.row(service.now(), AuditOutcome::Refused, Value::Object(detail));
        if !self.caller.is_operator() && self.tenant != self.caller.principal.tenant_id {
            // Nobody writes into the audit of a tenant that he can't act in.
            row.tenant_id = self.caller.principal.tenant_id.clone();
        }
        self.append(service, row).await;
    }

    async fn append(&self, service: &Service, row: AuditRow) {
        let outcome = row.outcome;
        if let Err(error) = service.store().append_audit(vec![row]).await {
            tracing::error!(request = %self.caller.request, action = %self.action, ?outcome, %error, "an attempt that changed nothing could not be audited");
        }
    }

    fn row(&self, at: Millis, outcome: AuditOutcome, detail: Value) -> AuditRow {
        AuditRow {
            at,
            request_id: Some(self.caller.request.clone()),
            principal_id: Some(self.caller.principal.id.clone()),
            tenant_id: self.tenant.clone(),
            action: self.action.to_string(),
            resource: self.resource.clone(),
            outcome,
            detail,
        }
    }
}
