//! What tests store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::{
    AccountId, DeploymentId, EventId, IdSeed, PolicyId, PoolId, PrincipalId, ProjectId, ResourceId,
    TenantId,
};
use berth_domain::input::KindId;
use berth_domain::manifest::Family;
use berth_domain::platform::{
    Account, BillingMode, Egress, Policy, Pool, PoolType, Principal, Project, Tenant,
};
use berth_domain::resource::{
    Desired, EventDraft, EventType, Resource, Schedule, State, Transition, condemn,
};
use berth_domain::time::{Millis, Span};
use berth_store::{
    Claim, ClaimRequest, CreateChange, CreateOutcome, Created, RunChange, Store, StoredResource,
    UpdateChange,
};
use serde_json::json;

/// When tests begin.
pub const START: Millis = Millis(1_700_000_000_000);

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A seed that no other id of this process has.
pub fn seed() -> IdSeed {
    let mut bytes = [0; 10];
    bytes[2..].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    IdSeed(bytes)
}

pub fn event_id() -> EventId {
    EventId::generate(START, seed())
}

pub fn deployment_id() -> DeploymentId {
    DeploymentId::generate(START, seed())
}

pub fn tenant_id(name: &str) -> TenantId {
    name.parse().unwrap()
}

pub fn kind(id: &str) -> KindId {
    id.parse().unwrap()
}

pub fn tenant(name: &str, at: Millis) -> Tenant {
    Tenant {
        id: tenant_id(name),
        title: "A tenant".parse().unwrap(),
        quotas: BTreeMap::from([(kind("x.disk"), 7)]),
        created_at: at,
    }
}

pub fn account(owner: &TenantId, at: Millis) -> Account {
    Account {
        id: AccountId::generate(at, seed()),
        tenant_id: owner.clone(),
        title: "An account".parse().unwrap(),
        provider: "x".to_owned(),
        regions: vec!["north".to_owned(), "south".to_owned()],
        previews: true,
        egress: Egress {
            origins: Some(vec!["https://api.example.com".to_owned()]),
            private_networks: true,
            ..Egress::default()
        },
        created_at: at,
    }
}

pub fn pool(owner: &TenantId, account: &AccountId, at: Millis) -> Pool {
    Pool {
        id: PoolId::generate(at, seed()),
        tenant_id: owner.clone(),
        title: "A pool".parse().unwrap(),
        pool_type: PoolType::Provider,
        account_id: Some(account.clone()),
        billing_mode: BillingMode::PlatformFee,
        created_at: at,
    }
}

pub fn project(owner: &TenantId, at: Millis) -> Project {
    Project {
        id: ProjectId::generate(at, seed()),
        tenant_id: owner.clone(),
        title: "A project".parse().unwrap(),
        created_at: at,
    }
}

pub fn principal(owner: &TenantId, policies: Vec<PolicyId>, at: Millis) -> Principal {
    Principal {
        id: PrincipalId::generate(at, seed()),
        tenant_id: owner.clone(),
        title: "A principal".parse().unwrap(),
        groups: BTreeSet::from(["admins".to_owned(), "ops".to_owned()]),
        policies,
        created_at: at,
    }
}

pub fn policy(owner: &TenantId, at: Millis) -> Policy {
    Policy {
        id: PolicyId::generate(at, seed()),
        tenant_id: owner.clone(),
        title: "A policy".parse().unwrap(),
        document: json!({"Version": "2012-10-17", "Statement": []}),
        created_at: at,
        updated_at: at,
    }
}

pub fn audit(tenant: &TenantId, action: &str) -> AuditRow {
    AuditRow {
        at: START,
        request_id: None,
        principal_id: Some(PrincipalId::generate(START, seed())),
        tenant_id: tenant.clone(),
        action: action.to_owned(),
        resource: "compute-cloud-resource/*".to_owned(),
        outcome: AuditOutcome::Done,
        detail: json!({"reason": "test"}),
    }
}

/// A tenant with all that its resources hang on.
#[derive(Debug, Clone)]
pub struct Home {
    pub tenant: TenantId,
    pub account: AccountId,
    pub pool: PoolId,
    pub owner: PrincipalId,
}

/// Makes a tenant with an account and a pool of its own.
pub async fn home(store: &Arc<dyn Store>, name: &str) -> Home {
    let tenant = tenant(name, START);
    assert_eq!(
        store.create_tenant(&tenant, vec![]).await.unwrap(),
        Created::New
    );
    let account = account(&tenant.id, START);
    assert_eq!(
        store.create_account(&account, vec![]).await.unwrap(),
        Created::New
    );
    guest(store, &tenant.id, &account.id).await
}

/// A pool of an existing tenant on an existing account.
pub async fn guest(store: &Arc<dyn Store>, tenant: &TenantId, account: &AccountId) -> Home {
    let pool = pool(tenant, account, START);
    assert_eq!(
        store.create_pool(&pool, vec![]).await.unwrap(),
        Created::New
    );
    Home {
        tenant: tenant.clone(),
        account: account.clone(),
        pool: pool.id,
        owner: PrincipalId::generate(START, seed()),
    }
}

/// A row with every kind of value in it.
pub fn row(home: &Home, name: &str) -> Resource {
    let id = ResourceId::derive(&home.tenant, &home.owner, name);
    Resource {
        provider_name: id.provider_name(),
        id,
        tenant: home.tenant.clone(),
        project: None,
        pool: home.pool.clone(),
        account: home.account.clone(),
        provider: "x".to_owned(),
        kind: kind("x.disk"),
        family: Family::Storage,
        name: name.parse().unwrap(),
        description: Some("Über \"alles\"\nzwei".parse().unwrap()),
        parent: None,
        identity: None,
        owner: home.owner.clone(),
        region: Some("north".to_owned()),
        input_digest: "ab".repeat(32),
        desired: Desired::Present,
        state: State::Pending,
        message: None,
        version: 1,
        spec: [
            ("size".to_owned(), json!(10)),
            ("ratio".to_owned(), json!(0.1)),
        ]
        .into_iter()
        .collect(),
        defaults: [("tier".to_owned(), json!("basic"))].into_iter().collect(),
        spec_generation: "cd".repeat(32),
        unapplied: BTreeSet::from(["size".to_owned()]),
        given_secrets: BTreeMap::new(),
        provider_id: None,
        accepted_at: None,
        ready_at: None,
        adoption: None,
        named: berth_domain::linked::Named::default(),
        demand: berth_domain::resource::Demand::default(),
        held: BTreeMap::new(),
        metering: BTreeMap::new(),
        outputs: [("address".to_owned(), json!("10.0.0.1"))]
            .into_iter()
            .collect(),
        secret_outputs: BTreeMap::new(),
        memo: Some(json!({"step": 2})),
        drift: serde_json::Map::new(),
        intent: None,
        missing_since: None,
        delete_sent_at: None,
        schedule: Schedule::at_once(START),
        last_run: None,
        last_digest: None,
        created_at: START,
        updated_at: START,
        ended_at: None,
    }
}

/// A change that creates a row, with one event and one audit row.
pub fn creation(row: Resource) -> CreateChange {
    CreateChange {
        events: vec![(event_id(), EventDraft::about(EventType::Created, &row))],
        quota: 1_000,
        default_capacity: 0,
        parent_kinds: Vec::new(),
        audit: vec![audit(&row.tenant, "compute:cloud-resources:create")],
        row,
    }
}

/// A change that creates a row that lives in another.
pub fn child_creation(mut row: Resource, parent: &Resource) -> CreateChange {
    row.kind = kind("x.snapshot");
    row.parent = Some(parent.id.clone());
    CreateChange {
        parent_kinds: vec![parent.kind.clone(), kind("x.other")],
        ..creation(row)
    }
}

/// Creates, and insists that nothing stands against it.
pub async fn create(store: &Arc<dyn Store>, change: CreateChange) -> StoredResource {
    match store.create_resource(change).await.unwrap() {
        CreateOutcome::Created(stored) => *stored,
        other => panic!("not created: {other:?}"),
    }
}

/// A row's write as it is.
pub fn update(stored: &StoredResource) -> UpdateChange {
    UpdateChange {
        row: stored.row.clone(),
        revision: stored.revision,
        books: None,
        spans: Vec::new(),
        events: Vec::new(),
        audit: Vec::new(),
    }
}

/// A row's write that marks it for deletion, with its event.
pub fn condemnation(stored: &StoredResource, now: Millis) -> UpdateChange {
    let Transition { row, .. } = condemn(stored.row.clone(), now);
    UpdateChange {
        events: vec![(event_id(), EventDraft::about(EventType::Deleting, &row))],
        audit: vec![audit(&row.tenant, "compute:cloud-resources:delete")],
        row,
        revision: stored.revision,
        books: None,
        spans: Vec::new(),
    }
}

/// A run's write that changes nothing and ends the run.
pub fn run_end(claim: &Claim, now: Millis) -> RunChange {
    RunChange {
        row: claim.stored.row.clone(),
        revision: claim.stored.revision,
        epoch: claim.epoch,
        keep_lease: false,
        events: Vec::new(),
        spans: Vec::new(),
        secrets: Vec::new(),
        destroy_secrets: false,
        children: Vec::new(),
        wake_children: false,
        wake_parent: false,
        now,
        audit: Vec::new(),
    }
}

/// A claim of whatever is due.
pub fn claim_all(now: Millis) -> ClaimRequest {
    ClaimRequest {
        host: "host-1".to_owned(),
        now,
        lease: Span::seconds(60),
        limit: 1_000,
        per_account: 1_000,
    }
}

/// Claims one row that must be the only one due.
pub async fn claim_one(store: &Arc<dyn Store>, now: Millis) -> Claim {
    let mut claims = store.claim(claim_all(now)).await.unwrap();
    assert_eq!(claims.len(), 1, "exactly one row was to be due");
    claims.remove(0)
}

/// The row as it stands.
pub async fn reread(store: &Arc<dyn Store>, id: &ResourceId) -> StoredResource {
    store.resource(id).await.unwrap().unwrap()
}
