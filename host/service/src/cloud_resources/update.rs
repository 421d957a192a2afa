//! `cloudResources/update`: a merge patch laid over the spec, or new words about the resource.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_domain::id::{ResourceId, TenantId};
use berth_domain::input::Description;
use berth_domain::manifest::Kind;
use berth_domain::metering::Billing;
use berth_domain::platform::BillingMode;
use berth_domain::resource::{
    Accepted, Amendment, Demand, Resource, State, UpdateRefusal, amend, amendable, exceeds,
};
use berth_domain::secret::SecretRef;
use berth_domain::spec::{Spec, merge_patch, secret_refs};
use berth_runtime::Generation;
use berth_store::{StoredResource, UpdateChange, UpdateOutcome};
use serde::Deserialize;
use serde_json::json;

use super::ResourceView;
use super::capacity::over_capacity;
use super::find::find;
use super::reach::check_named;
use super::references::check_secrets;
use super::spec::{Judged, ask_plugin, judge_shape, region_within};
use super::terms::check_region;
use crate::attempt::Attempt;
use crate::budgets::check_budgets;
use crate::decision::{Action, Target};
use crate::given::{given, given_or_null};
use crate::{Caller, Code, Service, ServiceError};

/// How often a decision is made anew because somebody else wrote the row meanwhile.
const TRIES: u32 = 8;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose resource.
    pub tenant_id: TenantId,
    /// Which one.
    pub resource_id: ResourceId,
    /// A JSON merge patch of the spec.
    #[serde(default, deserialize_with = "given")]
    pub spec: Option<Spec>,
    /// New words for people; `null` takes them away.
    #[serde(default, deserialize_with = "given_or_null")]
    pub description: Option<Option<Description>>,
}

/// The resource as it now is.
///
/// # Errors
/// Everything that the contract names; nothing changes then.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<ResourceView, ServiceError> {
    let target = Target::unknown(&input.tenant_id, &input.resource_id);
    let attempt = Attempt::new(
        caller,
        &input.tenant_id,
        Action::CloudResourcesUpdate,
        &target,
    );
    let result = update(service, &attempt, &input).await;
    Ok(attempt.settle(service, result).await?.into())
}

async fn update(
    service: &Service,
    attempt: &Attempt<'_>,
    input: &Input,
) -> Result<Resource, ServiceError> {
    if input.spec.is_none() && input.description.is_none() {
        return Err(ServiceError::invalid(
            "",
            "nothing to change: give `spec`, `description`, or both",
        )
        .reason("empty"));
    }
    let _turn = service.turns.of(&input.resource_id).await;
    for _ in 0..TRIES {
        let action = Action::CloudResourcesUpdate;
        let stored = find(
            service,
            attempt.caller,
            action,
            &input.tenant_id,
            &input.resource_id,
        )
        .await?;
        if let Some(row) = try_update(service, attempt, input, stored).await? {
            service.waker().notify_one();
            return Ok(row);
        }
    }
    Err(ServiceError::new(
        Code::Unavailable,
        "the resource kept changing while the update was decided; nothing was changed: try again",
    )
    .with("retryAfterMs", 1_000))
}

/// Decides and stores; `None`: somebody else wrote first.
async fn try_update(
    service: &Service,
    attempt: &Attempt<'_>,
    input: &Input,
    stored: StoredResource,
) -> Result<Option<Resource>, ServiceError> {
    let StoredResource { row, revision } = stored;
    amendable(&row, false).map_err(refusal)?;
    let generation = service.generation_of(&row.provider).await?;
    let kind = generation.manifest().kind(row.kind.as_str()).ok_or_else(|| {
        ServiceError::new(
            Code::Unsupported,
            format!("the active plugin of provider `{}` no longer knows kind `{}`; ask the operator for a version that does", row.provider, row.kind),
        )
        .reason("kind")
    })?;
    let merged = input
        .spec
        .as_ref()
        .map(|patch| merge_patch(&row.spec, patch))
        .filter(|merged| *merged != row.spec);
    amendable(&row, merged.is_some()).map_err(refusal)?;
    let spec = match merged {
        Some(merged) => {
            let judged = judge(service, attempt.caller, &row, kind, &generation, &merged).await?;
            check_growth(service, &row, &judged.demand).await?;
            Some(Accepted {
                spec: merged,
                defaults: judged.defaults,
                named: judged.reach.named,
                demand: judged.demand,
            })
        }
        None => None,
    };
    let amendment = Amendment {
        spec,
        generation: generation.digest().to_string(),
        description: input.description.clone(),
    };
    let now = service.now();
    let held_before = row.held.clone();
    let amended = amend(row, amendment, Some(kind), now).map_err(refusal)?;
    let row = amended.row;
    let change = UpdateChange {
        audit: attempt.done(now, json!({"version": row.version, "state": row.state})),
        events: service.events_of(amended.effects, now),
        books: exceeds(&row.held, &held_before).then_some(service.settings().default_capacity),
        spans: Vec::new(),
        row: row.clone(),
        revision,
    };
    match service.store().update_resources(vec![change]).await? {
        UpdateOutcome::Stored(_) => Ok(Some(row)),
        UpdateOutcome::Changed(_) => Ok(None),
        UpdateOutcome::CapacityExceeded(shortage) => Err(over_capacity(&shortage)),
    }
}

/// A spent budget stands against a spec that books more than the one before or runs a billed meter faster, and
/// never against another: a tenant can always spend less.
async fn check_growth(
    service: &Service,
    row: &Resource,
    wanted: &Demand,
) -> Result<(), ServiceError> {
    if *wanted == row.demand {
        return Ok(());
    }
    let pool = service.store().pool(&row.pool).await?;
    let mode = pool.map_or(BillingMode::None, |pool| pool.billing_mode);
    let billing = Billing::of(mode, &service.settings().kind_meters);
    if !wanted.costs_more_than(&row.demand, billing) {
        return Ok(());
    }
    check_budgets(service, &row.tenant, row.project.as_ref(), mode).await
}

/// The checks of create for what the merged spec brings in.
async fn judge(
    service: &Service,
    caller: &Caller,
    row: &Resource,
    kind: &Kind,
    generation: &Arc<Generation>,
    merged: &Spec,
) -> Result<Judged, ServiceError> {
    let account = service
        .store()
        .account(&row.account)
        .await?
        .ok_or_else(|| {
            ServiceError::internal(format!(
                "resource {} is on account {}, which is gone",
                row.id, row.account
            ))
        })?;
    let judge = service.judge(caller).await?;
    // Policies see the region: whoever moves a resource must be allowed at both ends.
    let region = region_within(merged, kind);
    if region != row.region {
        let seen = service.store().visible_pool(&row.tenant, &row.pool).await?;
        let offer = seen.and_then(|(_, offer)| offer);
        judge.require(
            Action::CloudResourcesUpdate,
            &Target::recorded(row).in_region(region.clone()),
        )?;
        check_region(offer.as_ref(), region.as_deref())?;
    }
    let references = judge_shape(merged, kind, generation, &account)?;
    let had: BTreeSet<SecretRef> = secret_refs(&row.spec)
        .into_iter()
        .map(|(_, reference)| reference)
        .collect();
    let fresh: Vec<_> = references
        .into_iter()
        .filter(|(_, reference)| !had.contains(reference))
        .collect();
    check_secrets(service, &judge, &row.tenant, &fresh).await?;
    let parent_kind = match &row.parent {
        Some(parent) => service
            .store()
            .resource(parent)
            .await?
            .map(|stored| stored.row.kind.to_string()),
        None => None,
    };
    let judged = ask_plugin(
        service,
        generation,
        &account,
        kind,
        merged,
        parent_kind.as_deref(),
    )
    .await?;
    let mut before = row.named.clone();
    if region != row.region {
        // A network is another object in another region.
        before.networks.clear();
    }
    let reach = &judged.reach;
    check_named(
        service,
        &row.tenant,
        &account,
        region.as_deref(),
        reach,
        &before,
    )
    .await?;
    Ok(judged)
}

fn refusal(refusal: UpdateRefusal) -> ServiceError {
    let error = ServiceError::new(Code::InvalidState, refusal.to_string());
    match refusal {
        UpdateRefusal::Going(State::Released) => error.reason("released"),
        UpdateRefusal::Going(_) => error.reason("deleting"),
        UpdateRefusal::Releasing => error.reason("releasing"),
        UpdateRefusal::Adopting => error.reason("adopting"),
        UpdateRefusal::ReplaceRequired(fields) => {
            error.reason("replaceRequired").with("fields", fields)
        }
    }
}
