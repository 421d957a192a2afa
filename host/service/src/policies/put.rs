//! `policies/put`: writes a document, new or in place of an earlier one.

use berth_domain::id::{PolicyId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::Policy;
use berth_policy::{Document, PolicySet};
use berth_store::Created;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{missing, target};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Which one to write anew; absent: a new one.
    #[serde(default, deserialize_with = "given")]
    pub policy_id: Option<PolicyId>,
    /// For people.
    pub title: Title,
    /// The IAM document.
    pub document: Value,
}

/// The policy. It holds from the next decision on.
///
/// # Errors
/// `ACCESS_DENIED`; `INVALID_INPUT` at the place in the document; `NOT_FOUND` for an id that the
/// tenant does not have.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Policy, ServiceError> {
    let target = match &input.policy_id {
        Some(id) => target(&input.tenant_id, id),
        None => Target::tenant(&input.tenant_id),
    };
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PoliciesWrite, &target);
    let result = put(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn put(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Policy, ServiceError> {
    service
        .decide(attempt.caller, Action::PoliciesWrite, target)
        .await?;
    service.must_have_tenant(&input.tenant_id).await?;
    check(&input.document)?;
    let now = service.now();
    let (id, created_at) = match input.policy_id {
        Some(id) => match service.store().policy(&input.tenant_id, &id).await? {
            Some(earlier) => (id, earlier.created_at),
            None => return Err(missing(&input.tenant_id, &id)),
        },
        None => (PolicyId::generate(now, service.entropy().id_seed()), now),
    };
    let policy = Policy {
        id,
        tenant_id: input.tenant_id,
        title: input.title,
        document: input.document,
        created_at,
        updated_at: now,
    };
    let audit = attempt.done(now, json!({"policyId": policy.id}));
    match service.store().put_policy(&policy, audit).await? {
        Created::New => Ok(policy),
        Created::Taken => Err(missing(&policy.tenant_id, &policy.id)),
    }
}

fn check(document: &Value) -> Result<(), ServiceError> {
    let parsed = Document::parse(document).map_err(|error| {
        ServiceError::invalid(
            format!("/document{}", error.path),
            error.problem.to_string(),
        )
    })?;
    PolicySet::compile(&[("new", parsed)])
        .map(|_| ())
        .map_err(|error| ServiceError::invalid("/document", error.to_string()))
}
