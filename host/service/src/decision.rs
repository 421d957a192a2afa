//! Who may do what: the caller's policies asked about one action on one thing.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use berth_domain::id::{PolicyId, PrincipalId, ResourceId, TenantId};
use berth_domain::manifest::Kind;
use berth_domain::platform::{Account, Policy, Pool};
use berth_domain::resource::Resource;
use berth_policy::{
    Attributes, Context, Decider, Decision, DenyReason, Document, PolicySet, Principal, Reach,
    ResourceType,
};

pub(crate) use berth_policy::Action;

use crate::{Caller, Code, Service, ServiceError};

/// Most compiled policy sets that are kept.
const KEPT_MAX: usize = 4_096;

/// What a decision is about: a thing of a tenant, with the attributes that policies see.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    resource_type: ResourceType,
    id: String,
    tenant: TenantId,
    owner: Option<PrincipalId>,
    name: Option<String>,
    placing: Placing,
}

/// Where a cloud resource is, and what it is.
#[derive(Debug, Clone, Default)]
struct Placing {
    kind: Option<String>,
    family: Option<&'static str>,
    provider: Option<String>,
    account: Option<String>,
    pool: Option<String>,
    region: Option<String>,
    project: Option<String>,
}

impl Target {
    /// A tenant as a whole: listings, and what belongs to a tenant.
    pub(crate) fn tenant(id: &TenantId) -> Self {
        Self::new(ResourceType::Tenant, id, id.as_str())
    }

    /// A thing of a tenant that has no attributes of its own.
    pub(crate) fn new(resource_type: ResourceType, tenant: &TenantId, id: &str) -> Self {
        Self {
            resource_type,
            id: id.to_owned(),
            tenant: tenant.clone(),
            owner: None,
            name: None,
            placing: Placing::default(),
        }
    }

    /// A cloud resource of which nothing is known: it is missing, or another tenant's.
    pub(crate) fn unknown(tenant: &TenantId, id: &ResourceId) -> Self {
        Self::new(ResourceType::CloudResource, tenant, id.as_str())
    }

    /// A recorded cloud resource. Once it has ended it has no owner.
    pub(crate) fn recorded(row: &Resource) -> Self {
        Self {
            owner: row.is_live().then(|| row.owner.clone()),
            name: Some(row.name.to_string()),
            placing: Placing {
                kind: Some(row.kind.to_string()),
                family: Some(row.family.as_str()),
                provider: Some(row.provider.clone()),
                account: Some(row.account.to_string()),
                pool: Some(row.pool.to_string()),
                region: row.region.clone(),
                project: row.project.as_ref().map(ToString::to_string),
            },
            ..Self::unknown(&row.tenant, &row.id)
        }
    }

    /// A cloud resource that does not exist yet.
    pub(crate) fn wished(
        tenant: &TenantId,
        id: &ResourceId,
        kind: &Kind,
        pool: &Pool,
        account: &Account,
    ) -> Self {
        Self {
            placing: Placing {
                kind: Some(kind.id.clone()),
                family: Some(kind.family.as_str()),
                provider: Some(account.provider.clone()),
                account: Some(account.id.to_string()),
                pool: Some(pool.id.to_string()),
                region: None,
                project: None,
            },
            ..Self::unknown(tenant, id)
        }
    }

    pub(crate) fn named(mut self, name: impl ToString) -> Self {
        self.name = Some(name.to_string());
        self
    }

    pub(crate) fn in_region(mut self, region: Option<String>) -> Self {
        self.placing.region = region;
        self
    }

    pub(crate) fn in_project(mut self, project: Option<impl ToString>) -> Self {
        self.placing.project = project.map(|project| project.to_string());
        self
    }

    fn attributes(&self) -> Attributes<'_> {
        Attributes {
            kind: self.placing.kind.as_deref(),
            family: self.placing.family,
            provider: self.placing.provider.as_deref(),
            provider_account_id: self.placing.account.as_deref(),
            pool_id: self.placing.pool.as_deref(),
            region: self.placing.region.as_deref(),
            project_id: self.placing.project.as_deref(),
            name: self.name.as_deref(),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.resource_type, self.id)
    }
}

/// Policy sets, compiled: one a principal, as long as nothing of its tenant's policies was written.
#[derive(Debug, Default)]
pub(crate) struct PolicyCache {
    sets: Mutex<HashMap<PrincipalId, (u64, PolicySet)>>,
}

impl PolicyCache {
    fn get(&self, principal: &PrincipalId, version: u64) -> Option<PolicySet> {
        let sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.get(principal)
            .filter(|(of, _)| *of == version)
            .map(|(_, set)| set.clone())
    }

    fn put(&self, principal: PrincipalId, version: u64, set: PolicySet) {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() >= KEPT_MAX {
            sets.clear();
        }
        sets.insert(principal, (version, set));
    }
}

/// A caller with its policies at hand: for one decision, or many of one request.
pub(crate) struct Judge<'a> {
    caller: &'a Caller,
    decider: Decider,
}

impl Judge<'_> {
    /// Whether the caller may.
    pub(crate) fn allows(&self, action: Action, target: &Target) -> bool {
        self.ask(action, target).is_allowed()
    }

    /// # Errors
    /// `ACCESS_DENIED`, with what is refused and whom to ask.
    pub(crate) fn require(&self, action: Action, target: &Target) -> Result<(), ServiceError> {
        match self.ask(action, target) {
            Decision::Allow { .. } => Ok(()),
            Decision::Deny { reason } => Err(self.refusal(action, target, &reason)),
        }
    }

    /// Whether the caller acts in the target's tenant at all, whatever its policies say. For what
    /// must come before the decision proper.
    ///
    /// # Errors
    /// `ACCESS_DENIED`.
    pub(crate) fn require_reach(
        &self,
        action: Action,
        target: &Target,
    ) -> Result<(), ServiceError> {
        let reaches = match reach(self.caller) {
            Reach::EveryTenant => true,
            Reach::OwnTenant => self.caller.principal.tenant_id == target.tenant,
        };
        if reaches {
            Ok(())
        } else {
            Err(self.refusal(action, target, &DenyReason::OtherTenant))
        }
    }

    fn ask(&self, action: Action, target: &Target) -> Decision {
        self.decider.decide(
            action,
            &berth_policy::Resource {
                kind: target.resource_type,
                id: &target.id,
                tenant: target.tenant.as_str(),
                owner: target.owner.as_ref().map(PrincipalId::as_str),
                attributes: target.attributes(),
            },
        )
    }

    fn refusal(&self, action: Action, target: &Target, reason: &DenyReason) -> ServiceError {
        let tenant = &target.tenant;
        let next = match reason {
            DenyReason::NoAllow => format!(
                "no policy of yours allows it; ask an administrator of tenant `{}` for a policy that allows this action",
                self.caller.principal.tenant_id
            ),
            DenyReason::OtherTenant => {
                format!("your token does not act in tenant `{tenant}`; use a token of that tenant")
            }
            DenyReason::ExplicitDeny { .. } => format!(
                "{reason}; ask an administrator of tenant `{}` to change that policy",
                self.caller.principal.tenant_id
            ),
            DenyReason::EvaluationError { policy, message } => {
                tracing::warn!(principal = %self.caller.principal.id, policy = policy.as_deref().unwrap_or("-"), %message, "a decision failed and was denied");
                "a policy of yours could not be evaluated, and what can't be decided is denied; ask an administrator to look at the host's log".to_owned()
            }
        };
        ServiceError::new(
            Code::AccessDenied,
            format!("`{action}` on `{target}` is refused: {next}"),
        )
    }
}

/// Operators' policies count in every tenant; what they allow there is for the policies to say.
fn reach(caller: &Caller) -> Reach {
    if caller.is_operator() {
        Reach::EveryTenant
    } else {
        Reach::OwnTenant
    }
}

impl Service {
    /// The caller's policies, ready to be asked.
    pub(crate) async fn judge<'a>(&self, caller: &'a Caller) -> Result<Judge<'a>, ServiceError> {
        let set = self.policy_set(caller).await?;
        Ok(Judge {
            decider: self.prepare(&set, caller),
            caller,
        })
    }

    fn prepare(&self, set: &PolicySet, caller: &Caller) -> Decider {
        let principal = &caller.principal;
        let token = &caller.token;
        let now = self.now();
        let groups: Vec<String> = principal.groups.iter().cloned().collect();
        let principal = Principal {
            id: principal.id.as_str(),
            tenant: principal.tenant_id.as_str(),
            reach: reach(caller),
            name: Some(principal.title.as_str()),
            groups: &groups,
        };
        let context = Context {
            request_time: Some(now.0),
            source_ip: caller.source_ip,
            method: None,
            token_name: Some(token.title.as_str()),
            token_age_seconds: i64::try_from((now - token.created_at).0 / 1_000).ok(),
            secure_transport: None,
        };
        set.prepare(&principal, &context)
    }

    /// Decides one action on one thing.
    ///
    /// # Errors
    /// `ACCESS_DENIED`; `UNAVAILABLE` where the policies can't be read.
    pub(crate) async fn decide(
        &self,
        caller: &Caller,
        action: Action,
        target: &Target,
    ) -> Result<(), ServiceError> {
        self.judge(caller).await?.require(action, target)
    }

    /// The gate of the operators' modules: only principals of the root tenant, and only as far as
    /// their policies go.
    pub(crate) async fn decide_as_operator(
        &self,
        caller: &Caller,
        action: Action,
        target: &Target,
    ) -> Result<(), ServiceError> {
        must_be_operator(caller, action, target)?;
        self.decide(caller, action, target).await
    }

    async fn policy_set(&self, caller: &Caller) -> Result<PolicySet, ServiceError> {
        let principal = &caller.principal;
        let version = self.store().policy_version(&principal.tenant_id).await?;
        if let Some(set) = self.policies.get(&principal.id, version) {
            return Ok(set);
        }
        // What the caller came with may be older than the version: read the principal again.
        let current = self
            .store()
            .principal(&principal.tenant_id, &principal.id)
            .await?;
        let attached = current.map(|current| current.policies).unwrap_or_default();
        let set = self.compile(&principal.tenant_id, &attached).await?;
        self.policies
            .put(principal.id.clone(), version, set.clone());
        Ok(set)
    }

    /// Puts policies of a tenant into force together.
    ///
    /// # Errors
    /// `ACCESS_DENIED` where one of them does not parse or they are too many: what can't be decided
    /// is denied, for the one that is left out may be the one that denies.
    pub(crate) async fn compile(
        &self,
        tenant: &TenantId,
        policies: &[PolicyId],
    ) -> Result<PolicySet, ServiceError> {
        let mut documents: Vec<(&str, Document)> = Vec::with_capacity(policies.len());
        for id in policies {
            if let Some(policy) = self.store().policy(tenant, id).await? {
                documents.push((id.as_str(), parsed(&policy)?));
            }
        }
        PolicySet::compile(&documents).map_err(|error| undecidable(&error.to_string()))
    }
}

/// The gate alone, where the decision needs what is behind it.
pub(crate) fn must_be_operator(
    caller: &Caller,
    action: Action,
    target: &Target,
) -> Result<(), ServiceError> {
    if !caller.is_operator() {
        return Err(ServiceError::new(
            Code::AccessDenied,
            format!(
                "`{action}` on `{target}` is refused: only operators (principals of tenant `root`) may do this; ask one of them"
            ),
        ));
    }
    Ok(())
}

/// A document that was accepted once is read whatever the limits are by now.
fn parsed(policy: &Policy) -> Result<Document, ServiceError> {
    let unlimited = berth_policy::Limits {
        document_bytes: usize::MAX,
        statements: usize::MAX,
        actions: usize::MAX,
        resources: usize::MAX,
        conditions: usize::MAX,
        values: usize::MAX,
        pattern_bytes: usize::MAX,
    };
    Document::parse_within(&policy.document, &unlimited).map_err(|error| {
        undecidable(&format!(
            "policy `{}` is not understood by this host: {error}",
            policy.id
        ))
    })
}

fn undecidable(error: &str) -> ServiceError {
    tracing::warn!(%error, "policies can't be put into force; their principal is denied everything");
    ServiceError::new(
        Code::AccessDenied,
        format!("the attached policies can't be put into force ({error}), and what can't be decided is denied; ask an administrator of your tenant to attach fewer or to write them again"),
    )
    .reason("policies")
}
