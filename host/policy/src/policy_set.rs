//! Compiled policies and the decisions they make.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use cedar_policy::{
    Authorizer, Context as CedarContext, Entities, Entity, EntityUid, PolicyId,
    PolicySet as CedarPolicySet, Request as CedarRequest, Response, RestrictedExpression,
};

use crate::compile::{Compiled, Names, RESOURCE_ID, Source, compile};
use crate::document::Network;
use crate::{
    Action, AllowedBy, CompileError, Context, DEFAULT_MAX_STATEMENTS_A_PRINCIPAL, Decision,
    DenyReason, Document, Key, Principal, Reach, Request, Resource, ResourceType,
};

/// All policies that hold for one principal, compiled. Cheap to clone, meant to be cached.
#[derive(Clone)]
pub struct PolicySet(Arc<Index>);

struct Index {
    /// The policies that a decision has to look at. Cedar looks at every policy that it is
    /// given, so each gets as few as can matter; equal selections are one set.
    matching: HashMap<(Action, ResourceType), Arc<CedarPolicySet>>,
    sources: HashMap<PolicyId, (usize, Source)>,
    authorizer: Authorizer,
}

/// A policy set with one caller and one call, to decide about many resources.
#[derive(Clone)]
pub struct Decider {
    index: Arc<Index>,
    caller: Result<Caller, String>,
    id: String,
    tenant: String,
    reach: Reach,
}

#[derive(Clone)]
struct Caller {
    uid: EntityUid,
    entities: Entities,
    context: CedarContext,
}

impl std::fmt::Debug for PolicySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PolicySet({} policies)", self.0.sources.len())
    }
}

impl PolicySet {
    /// Compiles documents under the default limit of
    /// [`DEFAULT_MAX_STATEMENTS_A_PRINCIPAL`].
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn compile(documents: &[(&str, Document)]) -> Result<Self, CompileError> {
        Self::compile_within(documents, DEFAULT_MAX_STATEMENTS_A_PRINCIPAL)
    }

    /// Compiles documents that have at most `max_statements` statements together.
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn compile_within(
        documents: &[(&str, Document)],
        max_statements: usize,
    ) -> Result<Self, CompileError> {
        let found = documents.iter().map(|(_, d)| d.statements().len()).sum();
        if found > max_statements {
            return Err(CompileError::TooManyStatements {
                found,
                allowed: max_statements,
            });
        }
        Self::index(compile(documents)?)
    }

    fn index(compiled: Vec<Compiled>) -> Result<Self, CompileError> {
        let mut selections: BTreeMap<(Action, ResourceType), Vec<usize>> = BTreeMap::new();
        for (place, each) in compiled.iter().enumerate() {
            for action in &each.actions {
                selections
                    .entry((*action, each.on))
                    .or_default()
                    .push(place);
            }
        }
        let mut sets: HashMap<Vec<usize>, Arc<CedarPolicySet>> = HashMap::new();
        let mut matching = HashMap::new();
        for (target, selection) in selections {
            let set = match sets.get(&selection) {
                Some(set) => Arc::clone(set),
                None => {
                    let policies = selection.iter().filter_map(|place| compiled.get(*place));
                    let policies = policies.map(|each| each.policy.clone());
                    let set = CedarPolicySet::from_policies(policies)
                        .map_err(|error| CompileError::Schema(error.to_string()))?;
                    let set = Arc::new(set);
                    sets.insert(selection, Arc::clone(&set));
                    set
                }
            };
            matching.insert(target, set);
        }
        let sources = compiled.into_iter().enumerate();
        Ok(Self(Arc::new(Index {
            matching,
            sources: sources
                .map(|(place, each)| (each.policy.id().clone(), (place, each.source)))
                .collect(),
            authorizer: Authorizer::new(),
        })))
    }

    /// Decides one request.
    #[must_use]
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        self.prepare(&request.principal, &request.context)
            .decide(request.action, &request.resource)
    }

    /// Does what is the same for every resource that one call is decided about.
    #[must_use]
    pub fn prepare(&self, principal: &Principal<'_>, context: &Context<'_>) -> Decider {
        Decider {
            index: Arc::clone(&self.0),
            caller: Caller::new(principal, context),
            id: principal.id.to_owned(),
            tenant: principal.tenant.to_owned(),
            reach: principal.reach,
        }
    }
}

impl Decider {
    /// Decides whether the caller may do this to that.
    #[must_use]
    pub fn decide(&self, action: Action, resource: &Resource<'_>) -> Decision {
        if self.reach == Reach::OwnTenant && resource.tenant != self.tenant {
            return Decision::Deny {
                reason: DenyReason::OtherTenant,
            };
        }
        let Some(policies) = self.index.matching.get(&(action, resource.kind)) else {
            return self.without_policy(action, resource);
        };
        match self.evaluate(policies, action, resource) {
            Ok(response) => self.read(&response, action, resource),
            Err(message) => Decision::failed(None, message),
        }
    }

    fn evaluate(
        &self,
        policies: &CedarPolicySet,
        action: Action,
        resource: &Resource<'_>,
    ) -> Result<Response, String> {
        let caller = self.caller.as_ref().map_err(Clone::clone)?;
        let entity = resource_entity(resource)?;
        let request = CedarRequest::new(
            caller.uid.clone(),
            Names::get()?
                .action(action)
                .ok_or("the action has no name")?,
            entity.uid(),
            caller.context.clone(),
            None,
        )
        .map_err(text)?;
        let entities = caller.entities.clone();
        let entities = entities.add_entities([entity], None).map_err(text)?;
        Ok(self
            .index
            .authorizer
            .is_authorized(&request, policies, &entities))
    }

    /// Turns Cedar's answer into ours. Cedar skips a policy that fails, which would turn a
    /// denial that fails into an allowance; here any failure denies.
    fn read(&self, response: &Response, action: Action, resource: &Resource<'_>) -> Decision {
        if let Some(error) = response.diagnostics().errors().next() {
            let cedar_policy::AuthorizationError::PolicyEvaluationError(failed) = error;
            let policy = self.index.sources.get(failed.policy_id());
            return Decision::failed(policy.map(|(_, source)| source.policy.clone()), failed);
        }
        let first = response
            .diagnostics()
            .reason()
            .filter_map(|id| self.index.sources.get(id))
            .min_by_key(|(place, _)| *place);
        let (policy, sid) = match first {
            Some((_, source)) => (source.policy.clone(), source.sid.clone()),
            None => return self.without_policy(action, resource),
        };
        match response.decision() {
            cedar_policy::Decision::Allow => Decision::Allow {
                by: AllowedBy::Policy { policy, sid },
            },
            cedar_policy::Decision::Deny => Decision::Deny {
                reason: DenyReason::ExplicitDeny { policy, sid },
            },
        }
    }

    fn without_policy(&self, action: Action, resource: &Resource<'_>) -> Decision {
        let owned = resource.kind == ResourceType::CloudResource
            && resource.tenant == self.tenant
            && resource.owner == Some(self.id.as_str());
        if owned && action.open_to_owner() {
            Decision::Allow {
                by: AllowedBy::Owner,
            }
        } else {
            Decision::Deny {
                reason: DenyReason::NoAllow,
            }
        }
    }
}

impl Caller {
    fn new(principal: &Principal<'_>, context: &Context<'_>) -> Result<Self, String> {
        let uid = Names::get()?.caller(principal.id);
        let mut attributes = HashMap::from([
            attribute(Key::PrincipalId, string(principal.id)),
            attribute(Key::PrincipalTenantId, string(principal.tenant)),
        ]);
        attributes.extend(
            principal
                .name
                .map(|name| attribute(Key::PrincipalName, string(name))),
        );
        if !principal.groups.is_empty() {
            let groups = principal.groups.iter().map(|group| string(group));
            let groups = RestrictedExpression::new_set(groups);
            attributes.extend([attribute(Key::PrincipalGroups, groups)]);
        }
        let entity = Entity::new(uid.clone(), attributes, HashSet::new()).map_err(text)?;
        Ok(Self {
            uid,
            entities: Entities::from_entities([entity], None).map_err(text)?,
            context: cedar_context(context)?,
        })
    }
}

fn cedar_context(context: &Context<'_>) -> Result<CedarContext, String> {
    let number = RestrictedExpression::new_long;
    let address = |ip| RestrictedExpression::new_ip(Network::of(ip).to_string());
    let keys = [
        (Key::ContextRequestTime, context.request_time.map(number)),
        (Key::ContextSourceIp, context.source_ip.map(address)),
        (Key::ContextMethod, context.method.map(string)),
        (Key::ContextTokenName, context.token_name.map(string)),
        (
            Key::ContextTokenAgeSeconds,
            context.token_age_seconds.map(number),
        ),
        (
            Key::ContextSecureTransport,
            context.secure_transport.map(RestrictedExpression::new_bool),
        ),
    ];
    let pairs = keys
        .into_iter()
        .filter_map(|(key, value)| Some(attribute(key, value?)));
    CedarContext::from_pairs(pairs).map_err(text)
}

fn resource_entity(resource: &Resource<'_>) -> Result<Entity, String> {
    let mut attributes = HashMap::with_capacity(12);
    attributes.insert(RESOURCE_ID.to_owned(), string(resource.id));
    for (key, value) in resource.keys() {
        if !key.is_on(resource.kind) {
            // Policies were compiled on the promise that it can't be there.
            return Err(format!("a {} has no {key}", resource.kind));
        }
        attributes.extend([attribute(key, string(value))]);
    }
    let uid = Names::get()?
        .resource(resource.kind, resource.id)
        .ok_or("the resource type has no name")?;
    Entity::new(uid, attributes, HashSet::new()).map_err(text)
}

fn attribute(key: Key, value: RestrictedExpression) -> (String, RestrictedExpression) {
    (key.attribute().to_owned(), value)
}

fn string(text: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(text.to_owned())
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cedar_policy::Policy;
    use serde_json::json;

    /// A policy that no document compiles to: it reads an attribute without asking for it.
    fn unguarded(effect: &str, place: usize) -> Compiled {
        let region = json!({".": {"left": {"Var": "resource"}, "attr": "region"}});
        let body = json!({"==": {"left": region, "right": {"Value": "nyc1"}}});
        let json = json!({
            "effect": effect,
            "principal": {"op": "All"}, "action": {"op": "All"}, "resource": {"op": "All"},
            "conditions": [{"kind": "when", "body": body}],
        });
        Compiled {
            policy: Policy::from_json(Some(PolicyId::new(place.to_string())), json).unwrap(),
            source: Source {
                policy: format!("pol_{place}"),
                statement: 0,
                sid: None,
            },
            on: ResourceType::CloudResource,
            actions: vec![Action::CloudResourcesRead],
        }
    }

    fn decide(failing: &str, region: Option<&str>) -> Decision {
        let administrator = crate::ManagedPolicy::Administrator.document();
        let mut compiled = compile(&[("pol_admin", administrator)]).unwrap();
        compiled.push(unguarded(failing, compiled.len()));
        let mut resource = Resource::new(ResourceType::CloudResource, "acme", "crs_1");
        resource.owner = Some("prn_1");
        resource.attributes.region = region;
        PolicySet::index(compiled).unwrap().decide(&Request {
            principal: Principal {
                id: "prn_1",
                tenant: "acme",
                reach: Reach::OwnTenant,
                name: None,
                groups: &[],
            },
            action: Action::CloudResourcesRead,
            resource,
            context: Context::default(),
        })
    }

    #[test]
    fn a_policy_that_fails_denies_even_the_administrator_and_the_owner() {
        for effect in ["forbid", "permit"] {
            let Decision::Deny {
                reason: DenyReason::EvaluationError { policy, message },
            } = decide(effect, None)
            else {
                panic!("a failing {effect} must deny");
            };
            assert!(policy.is_some_and(|policy| policy.starts_with("pol_")));
            assert!(message.contains("region"), "{message}");
            assert!(decide(effect, Some("ams3")).is_allowed());
        }
    }

    #[test]
    fn what_cedar_would_only_warn_of_is_refused() {
        let misspelt = json!({"has": {"left": {"Var": "resource"}, "attr": "regoin"}});
        let mut compiled = unguarded("permit", 0);
        let json = json!({
            "effect": "forbid",
            "principal": {"op": "All"}, "action": {"op": "All"}, "resource": {"op": "All"},
            "conditions": [{"kind": "when", "body": misspelt}],
        });
        compiled.policy = Policy::from_json(Some(PolicyId::new("0")), json).unwrap();
        let refused = crate::compile::validate(&[compiled]).unwrap_err();
        assert!(
            matches!(refused, CompileError::Statement { .. }),
            "{refused}"
        );
        let refused = crate::compile::validate(&[unguarded("permit", 0)]).unwrap_err();
        assert!(
            matches!(refused, CompileError::Statement { .. }),
            "{refused}"
        );
    }
}
