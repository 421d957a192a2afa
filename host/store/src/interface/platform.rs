//! Tenants and what belongs to them.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{
    AccountId, OfferId, PolicyId, PoolId, PrincipalId, ProjectId, TenantId, TokenId,
};
use berth_domain::platform::{Account, Offer, Policy, Pool, Principal, Project, Tenant, Token};
use berth_domain::time::Millis;

use super::{Created, NewSecret, Page, SecretChange};
use crate::StoreError;

/// Tenants.
#[async_trait]
pub trait Tenants: Send + Sync {
    /// Stores a new tenant.
    async fn create_tenant(
        &self,
        tenant: &Tenant,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// Replaces title and quotas; `false` if there is no such tenant.
    async fn update_tenant(
        &self,
        tenant: &Tenant,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// One tenant.
    async fn tenant(&self, id: &TenantId) -> Result<Option<Tenant>, StoreError>;
    /// All tenants, in pages.
    async fn tenants(&self, after: Option<&str>, limit: u32) -> Result<Page<Tenant>, StoreError>;
}

/// Projects.
#[async_trait]
pub trait Projects: Send + Sync {
    /// Stores a new project.
    async fn create_project(
        &self,
        project: &Project,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// One project of a tenant.
    async fn project(
        &self,
        tenant: &TenantId,
        id: &ProjectId,
    ) -> Result<Option<Project>, StoreError>;
    /// A tenant's projects, in pages.
    async fn projects(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Project>, StoreError>;
}

/// Principals and their tokens.
#[async_trait]
pub trait Principals: Send + Sync {
    /// Stores a new principal.
    async fn create_principal(
        &self,
        principal: &Principal,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// Replaces title, groups and policies; `false` if the tenant has no such principal.
    async fn update_principal(
        &self,
        principal: &Principal,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// Deletes a principal with its tokens; `false` if the tenant has none such.
    async fn delete_principal(
        &self,
        tenant: &TenantId,
        id: &PrincipalId,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// One principal of a tenant.
    async fn principal(
        &self,
        tenant: &TenantId,
        id: &PrincipalId,
    ) -> Result<Option<Principal>, StoreError>;
    /// A tenant's principals, in pages.
    async fn principals(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Principal>, StoreError>;
    /// Stores a token's record with the hash of its text.
    async fn create_token(
        &self,
        token: &Token,
        hash: &str,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// The token of this hash with its principal, expired and revoked ones too.
    async fn token_by_hash(&self, hash: &str) -> Result<Option<(Token, Principal)>, StoreError>;
    /// Marks a token revoked; `false` if the tenant has none such.
    async fn revoke_token(
        &self,
        tenant: &TenantId,
        id: &TokenId,
        at: Millis,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// A tenant's tokens, in pages.
    async fn tokens(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Token>, StoreError>;
}

/// Policy documents.
#[async_trait]
pub trait Policies: Send + Sync {
    /// Stores a new or changed document of the tenant; `Taken` if the id is another tenant's.
    async fn put_policy(
        &self,
        policy: &Policy,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// Deletes a document and detaches it everywhere; `false` if the tenant has none such.
    async fn delete_policy(
        &self,
        tenant: &TenantId,
        id: &PolicyId,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// One document of a tenant.
    async fn policy(&self, tenant: &TenantId, id: &PolicyId) -> Result<Option<Policy>, StoreError>;
    /// A tenant's documents, in pages.
    async fn policies(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Policy>, StoreError>;
    /// Counts every write of a tenant's documents, principals and attachments: what compiled
    /// policies are cached under.
    async fn policy_version(&self, tenant: &TenantId) -> Result<u64, StoreError>;
}

/// What became of a change of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountChange {
    /// Stored.
    Stored,
    /// The tenant has no such account.
    Missing,
    /// The credential can't be stored as it was sealed; see [`SecretChange`].
    Unsealed(SecretChange),
}

/// Provider accounts.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Stores a new account.
    async fn create_account(
        &self,
        account: &Account,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// Replaces title, regions, previews and egress, and stores a new version of its credential with them.
    async fn update_account(
        &self,
        account: &Account,
        credential: Option<NewSecret>,
        audit: Vec<AuditRow>,
    ) -> Result<AccountChange, StoreError>;
    /// One account, whoever owns it.
    async fn account(&self, id: &AccountId) -> Result<Option<Account>, StoreError>;
    /// Accounts of a tenant, or all, in pages.
    async fn accounts(
        &self,
        tenant: Option<&TenantId>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Account>, StoreError>;
}

/// Pools.
#[async_trait]
pub trait Pools: Send + Sync {
    /// Stores a new pool.
    async fn create_pool(&self, pool: &Pool, audit: Vec<AuditRow>) -> Result<Created, StoreError>;
    /// Replaces title and billing mode; `false` if its owner has no such pool.
    async fn update_pool(&self, pool: &Pool, audit: Vec<AuditRow>) -> Result<bool, StoreError>;
    /// A pool that the tenant owns or is offered, with the offer.
    async fn visible_pool(
        &self,
        tenant: &TenantId,
        id: &PoolId,
    ) -> Result<Option<(Pool, Option<Offer>)>, StoreError>;
    /// One pool, whoever owns it.
    async fn pool(&self, id: &PoolId) -> Result<Option<Pool>, StoreError>;
    /// Pools that a tenant owns or is offered, in pages.
    async fn visible_pools(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Pool>, StoreError>;
}

/// Offers.
#[async_trait]
pub trait Offers: Send + Sync {
    /// Stores a new offer; `Taken` if the pool is offered to the tenant already.
    async fn create_offer(
        &self,
        offer: &Offer,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// Replaces whether it is suspended and which regions it leaves out; `false` if there is none such.
    async fn update_offer(&self, offer: &Offer, audit: Vec<AuditRow>) -> Result<bool, StoreError>;
    /// One offer.
    async fn offer(&self, id: &OfferId) -> Result<Option<Offer>, StoreError>;
    /// Withdraws an offer; `false` if there is none such.
    async fn delete_offer(&self, id: &OfferId, audit: Vec<AuditRow>) -> Result<bool, StoreError>;
    /// Offers of a pool, or to a tenant, or all, in pages.
    async fn offers(
        &self,
        pool: Option<&PoolId>,
        tenant: Option<&TenantId>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Offer>, StoreError>;
}
