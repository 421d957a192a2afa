//! What `instances` and `networks` have in common. Operators record them; a tenant may see its own.

use std::collections::BTreeMap;

use berth_domain::id::{AccountId, TenantId};
use berth_domain::input::Title;
use berth_domain::linked::{Draft, LinkedId, LinkedRow, Plan, Refusal, Registration, Sort};
use berth_domain::platform::Account;
use berth_store::LinkedFilter;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::list::ITEMS_MAX;
use crate::{Caller, Code, Cursor, Items, Service, ServiceError};

/// Longest id of an object at a provider, and longest name of a region.
const OBJECT_BYTES_MAX: usize = 200;
const REGION_BYTES_MAX: usize = 64;

/// The provider's id of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectId(String);

/// The provider's name of a region.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Region(String);

/// Why a text is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected {what}, 1 to {most} visible characters")]
pub struct NameError {
    what: &'static str,
    most: usize,
}

fn visible(text: String, what: &'static str, most: usize) -> Result<String, NameError> {
    let fits = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if fits {
        Ok(text)
    } else {
        Err(NameError { what, most })
    }
}

impl TryFrom<String> for ObjectId {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        visible(text, "the provider's id of the object", OBJECT_BYTES_MAX).map(Self)
    }
}

impl TryFrom<String> for Region {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        visible(text, "the provider's name of a region", REGION_BYTES_MAX).map(Self)
    }
}

impl From<ObjectId> for String {
    fn from(id: ObjectId) -> String {
        id.0
    }
}

impl From<Region> for String {
    fn from(region: Region) -> String {
        region.0
    }
}

/// Whether it can be named in specs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LinkedState {
    /// It can.
    Live,
    /// It was deleted, or was missing when all were told.
    Gone,
}

impl LinkedState {
    pub(crate) fn of(row: &LinkedRow) -> Self {
        match row.gone_at {
            None => Self::Live,
            Some(_) => Self::Gone,
        }
    }
}

/// One to record, as an operator tells it.
pub(crate) struct Told {
    pub(crate) id: Option<LinkedId>,
    pub(crate) title: Option<Title>,
    pub(crate) objects: BTreeMap<Region, ObjectId>,
}

/// Those to record of a tenant on an account.
pub(crate) struct ToldSet {
    pub(crate) tenant: TenantId,
    pub(crate) account: AccountId,
    pub(crate) sort: Sort,
    pub(crate) items: Vec<Told>,
    /// They are all there are. Else there is one, and it is the whole input.
    pub(crate) whole: bool,
}

fn words(sort: Sort) -> (Action, Action, &'static str, &'static str) {
    match sort {
        Sort::Instance => (
            Action::InstancesRead,
            Action::InstancesWrite,
            "instance",
            "instances",
        ),
        Sort::Network => (
            Action::NetworksRead,
            Action::NetworksWrite,
            "network",
            "networks",
        ),
    }
}

/// Records a set: all of it, or nothing.
///
/// # Errors
/// `ACCESS_DENIED` but for operators, `NOT_FOUND` for a tenant or account that is not there,
/// `INVALID_INPUT`, `CONFLICT`.
pub(crate) async fn register(
    service: &Service,
    caller: &Caller,
    set: ToldSet,
) -> Result<Plan, ServiceError> {
    let (_, write, _, _) = words(set.sort);
    let target = Target::tenant(&set.tenant);
    let tenant = set.tenant.clone();
    let attempt = Attempt::new(caller, &tenant, write, &target);
    let result = try_register(service, &attempt, &target, set).await;
    attempt.settle(service, result).await
}

async fn try_register(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    set: ToldSet,
) -> Result<Plan, ServiceError> {
    let (_, write, _, many) = words(set.sort);
    service
        .decide_as_operator(attempt.caller, write, target)
        .await?;
    service.must_have_tenant(&set.tenant).await?;
    let account = usable_account(service, &set.tenant, &set.account).await?;
    check_set(service, &account, &set)?;
    let now = service.now();
    let seed = || service.entropy().id_seed();
    let drafts = set.items.into_iter().map(|told| Draft {
        id: told.id,
        fresh: match set.sort {
            Sort::Instance => {
                LinkedId::Instance(berth_domain::id::InstanceId::generate(now, seed()))
            }
            Sort::Network => LinkedId::Network(berth_domain::id::NetworkId::generate(now, seed())),
        },
        title: told.title,
        objects: told
            .objects
            .into_iter()
            .map(|(region, object)| (region.0, object.0))
            .collect(),
    });
    let registration = Registration {
        drafts: drafts.collect(),
        tenant: set.tenant,
        account: set.account,
        sort: set.sort,
        whole: set.whole,
        at: now,
    };
    let detail =
        json!({"accountId": account.id, "recorded": registration.drafts.len(), "whole": set.whole});
    let Some(audit) = attempt.done(now, detail).pop() else {
        return Err(ServiceError::internal("what is done has an audit row"));
    };
    let stored = service.store().register_linked(registration, audit).await?;
    stored.map_err(|refusal| {
        let at = if set.whole {
            format!("/{many}/{}", refusal.index())
        } else {
            String::new()
        };
        told(&refusal, at)
    })
}

/// The platform's account, or one of the tenant's own: nobody's instances are on another's.
async fn usable_account(
    service: &Service,
    tenant: &TenantId,
    id: &AccountId,
) -> Result<Account, ServiceError> {
    let account = service.store().account(id).await?;
    let usable =
        account.filter(|account| account.tenant_id.is_root() || account.tenant_id == *tenant);
    usable.ok_or_else(|| {
        ServiceError::new(
            Code::NotFound,
            format!("there is no account `{id}` of the platform or of tenant `{tenant}`; `accounts/list` lists those there are"),
        )
        .with("field", "accountId")
    })
}

fn check_set(service: &Service, account: &Account, set: &ToldSet) -> Result<(), ServiceError> {
    let (_, _, _, many) = words(set.sort);
    let limit = service.settings().max_synced;
    if set.items.len() > limit as usize {
        return Err(ServiceError::invalid(
            format!("/{many}"),
            format!(
                "{} {many}; at most {limit} are taken at once (`service.maxSynced`)",
                set.items.len()
            ),
        )
        .with("limit", limit));
    }
    for (index, told) in set.items.iter().enumerate() {
        let at = if set.whole {
            format!("/{many}/{index}")
        } else {
            String::new()
        };
        if told.objects.is_empty() {
            return Err(ServiceError::invalid(
                format!("{at}/vpcs"),
                "expected the provider's id of the network in at least one region",
            ));
        }
        let known =
            |region: &&Region| !account.regions.is_empty() && !account.regions.contains(&region.0);
        if let Some(region) = told.objects.keys().find(known) {
            let place = match set.sort {
                Sort::Instance => format!("{at}/region"),
                Sort::Network => format!("{at}/vpcs/{}", region.0),
            };
            return Err(ServiceError::invalid(
                place,
                format!(
                    "not a region that the account configures; expected one of {}",
                    account.regions.join(", ")
                ),
            ));
        }
    }
    Ok(())
}

fn told(refusal: &Refusal, at: String) -> ServiceError {
    let text = refusal.to_string();
    let conflict = |reason: &str| {
        let field = crate::error::dotted(&at);
        ServiceError::new(Code::Conflict, text.clone())
            .reason(reason)
            .with("field", field)
    };
    match refusal {
        Refusal::Twice { .. } => ServiceError::invalid(at, text).reason("twice"),
        Refusal::IdTaken { .. } => conflict("id"),
        Refusal::ObjectTaken { holder, .. } => conflict("object").with("holderId", holder.as_str()),
        Refusal::Several { one, other, .. } => {
            conflict("several").with("holderIds", vec![one.to_string(), other.to_string()])
        }
    }
}

/// One of a tenant's.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub(crate) async fn get(
    service: &Service,
    caller: &Caller,
    tenant: &TenantId,
    id: LinkedId,
) -> Result<LinkedRow, ServiceError> {
    let (read, _, _, _) = words(id.sort());
    let target = Target::tenant(tenant);
    let attempt = Attempt::new(caller, tenant, read, &target);
    let result = async {
        service.decide(caller, read, &target).await?;
        let found = service.store().linked(std::slice::from_ref(&id)).await?;
        let own = found.into_iter().find(|row| row.tenant == *tenant);
        own.ok_or_else(|| missing(tenant, &id))
    };
    attempt.settle(service, result.await).await
}

/// A tenant's, those that live or all.
///
/// # Errors
/// `ACCESS_DENIED`.
pub(crate) async fn list<T>(
    service: &Service,
    caller: &Caller,
    tenant: &TenantId,
    filter: LinkedFilter,
    cursor: Option<&Cursor>,
    view: impl FnMut(LinkedRow) -> T,
) -> Result<Items<T>, ServiceError> {
    let (read, _, _, _) = words(filter.sort);
    let target = Target::tenant(tenant);
    let attempt = Attempt::new(caller, tenant, read, &target);
    let result = async {
        service.decide(caller, read, &target).await?;
        let after = cursor.map(Cursor::as_str);
        let page = service.store().linked_of(tenant, &filter, after, ITEMS_MAX);
        Ok(Items::of(page.await?, view))
    };
    attempt.settle(service, result.await).await
}

/// Marks one as gone. Nothing happens to it, nor at once to what names it.
///
/// # Errors
/// `ACCESS_DENIED` but for operators, `NOT_FOUND`.
pub(crate) async fn end(
    service: &Service,
    caller: &Caller,
    tenant: &TenantId,
    id: LinkedId,
) -> Result<LinkedRow, ServiceError> {
    let (_, write, _, _) = words(id.sort());
    let target = Target::tenant(tenant);
    let attempt = Attempt::new(caller, tenant, write, &target);
    let result = async {
        service.decide_as_operator(caller, write, &target).await?;
        let now = service.now();
        let audit = attempt.done(now, json!({"gone": id.as_str()}));
        let ended = service.store().end_linked(tenant, &id, now, audit).await?;
        ended.ok_or_else(|| missing(tenant, &id))
    };
    attempt.settle(service, result.await).await
}

fn missing(tenant: &TenantId, id: &LinkedId) -> ServiceError {
    let (_, _, one, many) = words(id.sort());
    ServiceError::new(
        Code::NotFound,
        format!("tenant `{tenant}` has no {one} `{id}`; `{many}/list` lists those it has"),
    )
}
