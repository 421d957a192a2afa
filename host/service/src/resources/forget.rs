//! `resources/forget`: ends the row of a resource that can't end otherwise. The provider is not asked.

use berth_domain::id::{ResourceId, TenantId};
use berth_domain::input::Grounds;
use berth_domain::metering::MeterSpan;
use berth_domain::resource::{Effect, ForgetRefusal, Resource, forget};
use berth_store::{StoredResource, UpdateChange, UpdateOutcome};
use serde::Deserialize;
use serde_json::json;

use crate::attempt::Attempt;
use crate::cloud_resources::{ResourceView, find};
use crate::decision::{Action, Target, must_be_operator};
use crate::{Caller, Code, Service, ServiceError};

/// How often it is decided anew because somebody else wrote the row meanwhile.
const TRIES: u32 = 8;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose resource.
    pub tenant_id: TenantId,
    /// Which one.
    pub resource_id: ResourceId,
    /// Why, for the audit.
    pub reason: Grounds,
}

/// The resource, `deleted`. What may still be at the provider stays there: the answer and the audit say how it
/// is called.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`; `INVALID_STATE` for what nobody asked to delete, has live children, or may
/// end by itself.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<ResourceView, ServiceError> {
    let target = Target::unknown(&input.tenant_id, &input.resource_id);
    let action = Action::CloudResourcesForget;
    let attempt = Attempt::new(caller, &input.tenant_id, action, &target);
    let result = async {
        must_be_operator(caller, action, &target)?;
        until_stored(service, &attempt, &input).await
    };
    Ok(attempt.settle(service, result.await).await?.into())
}

async fn until_stored(
    service: &Service,
    attempt: &Attempt<'_>,
    input: &Input,
) -> Result<Resource, ServiceError> {
    let _turn = service.turns.of(&input.resource_id).await;
    for _ in 0..TRIES {
        let stored = find(
            service,
            attempt.caller,
            attempt.action,
            &input.tenant_id,
            &input.resource_id,
        )
        .await?;
        if let Some(row) = try_forget(service, attempt, &input.reason, stored).await? {
            return Ok(row);
        }
    }
    Err(ServiceError::new(
        Code::Unavailable,
        "the resource kept changing while it was to be forgotten; nothing was changed: try again",
    )
    .with("retryAfterMs", 1_000))
}

/// `None`: somebody else wrote first.
async fn try_forget(
    service: &Service,
    attempt: &Attempt<'_>,
    reason: &Grounds,
    stored: StoredResource,
) -> Result<Option<Resource>, ServiceError> {
    let StoredResource { row, revision } = stored;
    let now = service.now();
    let children = service.store().children(&row.id).await?;
    let live = children.iter().filter(|child| child.row.is_live()).count();
    let shown: Vec<&ResourceId> = children
        .iter()
        .map(|child| &child.row.id)
        .take(20)
        .collect();
    let detail = json!({
        "reason": reason,
        "state": row.state,
        "message": row.message.as_ref().map(|message| message.reason),
        "accountId": row.account,
        "providerId": row.provider_id,
        "providerName": row.provider_name,
        "mayExist": row.may_exist(),
    });
    let ended = forget(row, u32::try_from(live).unwrap_or(u32::MAX), now)
        .map_err(|refusal| refused(&refusal, &shown))?;
    let row = ended.row.clone();
    let change = UpdateChange {
        spans: spans(&ended.effects),
        events: service.events_of(ended.effects, now),
        row: ended.row,
        revision,
        // What it held is free with its end.
        books: None,
        audit: attempt.done(now, detail),
    };
    match service.store().end_resource(change).await? {
        UpdateOutcome::Stored(_) => {
            tracing::warn!(resource = %row.id, tenant = %row.tenant, provider_name = row.provider_name, "a row was forgotten; what may be at the provider stays there");
            service.waker().notify_one();
            Ok(Some(row))
        }
        UpdateOutcome::Changed(_) => Ok(None),
        UpdateOutcome::CapacityExceeded(_) => {
            Err(ServiceError::internal("a row that ends books nothing"))
        }
    }
}

/// The meters that end with the row.
fn spans(effects: &[Effect]) -> Vec<MeterSpan> {
    let span = |effect: &Effect| match effect {
        Effect::Meter(span) => Some(span.clone()),
        _ => None,
    };
    effects.iter().filter_map(span).collect()
}

fn refused(refusal: &ForgetRefusal, children: &[&ResourceId]) -> ServiceError {
    let error = ServiceError::new(Code::InvalidState, refusal.to_string());
    match refusal {
        ForgetRefusal::Ended(_) => error.reason("ended"),
        ForgetRefusal::NotCondemned => error.reason("notDeleting"),
        ForgetRefusal::Children(_) => error
            .reason("children")
            .with("resourceIds", json!(children)),
        ForgetRefusal::UnderWay => error.reason("underWay"),
    }
}
