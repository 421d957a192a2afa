//! `audit/list`: the audit, newest first, of one tenant or, to operators, of all.

use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::{PrincipalId, RequestId, TenantId};
use berth_store::{AuditEntry, AuditFilter};
use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// Most rows that one call looks at for those that pass a filter.
const LOOKED_AT_MAX: u64 = 50_000;
/// Longest text of a filter.
const FILTER_BYTES_MAX: usize = 512;

/// What is asked for. Fields that narrow all hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Of this tenant. Only operators may leave it out.
    #[serde(default, deserialize_with = "given")]
    pub tenant_id: Option<TenantId>,
    /// On this, written as rows have it: `compute-cloud-resource/crs_…`.
    #[serde(default, deserialize_with = "given")]
    pub resource: Option<String>,
    /// This was asked: `compute:secrets:reveal`.
    #[serde(default, deserialize_with = "given")]
    pub action: Option<String>,
    /// By this principal.
    #[serde(default, deserialize_with = "given")]
    pub principal_id: Option<PrincipalId>,
    /// In this request: the `x-request-id` of its answer.
    #[serde(default, deserialize_with = "given")]
    pub request_id: Option<RequestId>,
    /// It ended so.
    #[serde(default, deserialize_with = "given")]
    pub outcome: Option<AuditOutcome>,
    /// At most so many: 1 to 500, 100 if left out.
    #[serde(default, deserialize_with = "given")]
    pub limit: Option<u32>,
    /// Goes on after an earlier answer, or before the `sequence` of a row.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// A row as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditView {
    /// Its place: rises with each row. As text it is a cursor.
    pub sequence: u64,
    /// What it says.
    #[serde(flatten)]
    pub row: AuditRow,
}

impl From<AuditEntry> for AuditView {
    fn from(AuditEntry { sequence, row }: AuditEntry) -> Self {
        Self { sequence, row }
    }
}

/// The rows, newest first. Where few rows pass the filter an answer may have less than `limit`, even nothing,
/// and a cursor all the same.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<AuditView>, ServiceError> {
    let tenant = input.tenant_id.clone().unwrap_or_else(TenantId::root);
    let target = Target::tenant(&tenant);
    let attempt = Attempt::new(caller, &tenant, Action::AuditRead, &target);
    let result = list(service, caller, input, &target).await;
    attempt.settle(service, result).await
}

async fn list(
    service: &Service,
    caller: &Caller,
    input: Input,
    target: &Target,
) -> Result<Items<AuditView>, ServiceError> {
    if input.tenant_id.is_some() {
        service.decide(caller, Action::AuditRead, target).await?;
    } else {
        service
            .decide_as_operator(caller, Action::AuditRead, target)
            .await?;
    }
    let limit = input.limit.unwrap_or(100);
    if !(1..=ITEMS_MAX).contains(&limit) {
        return Err(ServiceError::invalid(
            "/limit",
            format!("expected 1 to {ITEMS_MAX}"),
        ));
    }
    let mut filter = AuditFilter {
        resource: text("/resource", input.resource)?,
        action: text("/action", input.action)?,
        before: place(input.cursor.as_ref())?,
        tenant: input.tenant_id,
        principal: input.principal_id,
        request: input.request_id,
        outcome: input.outcome,
        from: None,
    };
    let narrows = filter.resource.is_some()
        || filter.action.is_some()
        || filter.principal.is_some()
        || filter.request.is_some()
        || filter.outcome.is_some();
    if narrows {
        let end = match filter.before {
            Some(before) => before,
            None => service.store().audit_marks().await?.row + 1,
        };
        filter.before = Some(end);
        filter.from = Some(end.saturating_sub(LOOKED_AT_MAX).max(1));
    }
    let entries = service.store().find_audit(&filter, limit).await?;
    let last = match (entries.last(), filter.from) {
        (Some(last), _) if entries.len() >= limit as usize => Some(last.sequence),
        (_, from) => from,
    };
    Ok(Items {
        items: entries.into_iter().map(AuditView::from).collect(),
        next_cursor: last
            .filter(|last| *last > 1)
            .map(|last| Cursor(last.to_string())),
    })
}

fn text(pointer: &str, filter: Option<String>) -> Result<Option<String>, ServiceError> {
    match filter {
        Some(text) if !(1..=FILTER_BYTES_MAX).contains(&text.len()) => Err(ServiceError::invalid(
            pointer,
            format!("expected 1 to {FILTER_BYTES_MAX} bytes, written as rows of the audit have it"),
        )),
        text => Ok(text),
    }
}

fn place(cursor: Option<&Cursor>) -> Result<Option<u64>, ServiceError> {
    let Some(cursor) = cursor else {
        return Ok(None);
    };
    let place = cursor.as_str().parse().ok().filter(|place| *place > 0);
    place.map(Some).ok_or_else(|| {
        ServiceError::invalid("/cursor", "not a cursor of this list; expected the `nextCursor` of an earlier answer, or a row's `sequence` as text")
    })
}
