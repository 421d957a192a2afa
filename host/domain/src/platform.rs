//! Who uses the platform, and what it offers them: tenants, projects, principals, tokens, policies,
//! accounts, pools, offers.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AccountId, OfferId, PolicyId, PoolId, PrincipalId, ProjectId, TenantId, TokenId};
use crate::input::{CapacityName, KindId, Title};
use crate::time::Millis;

/// A customer of the platform, or the platform itself (`root`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tenant {
    /// Chosen by the operator.
    pub id: TenantId,
    /// For people.
    pub title: Title,
    /// Quotas that differ from the host's `maxPerKind`, by kind.
    pub quotas: BTreeMap<KindId, u32>,
    /// When it was recorded.
    pub created_at: Millis,
}

/// A group of a tenant's resources, for policies and bills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// Whose.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// When it was recorded.
    pub created_at: Millis,
}

/// Someone or something that calls the API for a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Principal {
    /// Its id.
    pub id: PrincipalId,
    /// Whose.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// Groups that policies may name.
    pub groups: BTreeSet<String>,
    /// Policies attached to it.
    pub policies: Vec<PolicyId>,
    /// When it was recorded.
    pub created_at: Millis,
}

/// A bearer token's record. Its text is shown once and never stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Its id.
    pub id: TokenId,
    /// Whom it stands for.
    pub principal_id: PrincipalId,
    /// Whose.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// After it the token is refused; `None`: never.
    pub expires_at: Option<Millis>,
    /// Since when it is refused.
    pub revoked_at: Option<Millis>,
    /// When it was recorded.
    pub created_at: Millis,
}

/// A policy document of a tenant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// Its id.
    pub id: PolicyId,
    /// Whose.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// The document as written.
    pub document: Value,
    /// When it was recorded.
    pub created_at: Millis,
    /// When it was last written.
    pub updated_at: Millis,
}

/// A credential at a provider, and how it may be used. The credential itself is a sealed secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Who owns it: `root` for the platform's own.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// The provider's short name.
    pub provider: String,
    /// Regions that may be used; empty: any.
    pub regions: Vec<String>,
    /// Preview kinds may be used.
    pub previews: bool,
    /// How requests may leave.
    pub egress: Egress,
    /// When it was recorded.
    pub created_at: Millis,
}

/// How requests of an account may leave the host. The operator's to set, never a tenant's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Egress {
    /// Where an origin of the manifest is really reached, such as a proxy or a double:
    /// `{"https://api.example.com": "http://127.0.0.1:4000"}`.
    pub base_urls: BTreeMap<String, String>,
    /// Origins of the manifest that are granted; `None`: all that the active plugin wants.
    pub origins: Option<Vec<String>>,
    /// Plain http is taken.
    pub plain_http: bool,
    /// Private, loopback and link-local addresses are taken.
    pub private_networks: bool,
    /// Extra certificate authorities, PEM.
    pub ca_pem: Option<String>,
}

/// How the use of a pool is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BillingMode {
    /// Hours and meters.
    #[default]
    Metered,
    /// A fee an hour; the provider bills the rest.
    PlatformFee,
    /// Nothing.
    None,
}

/// What a pool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PoolType {
    /// On a provider account.
    Provider,
    /// Machines of the platform's own, which serve no cloud resources.
    Machines,
}

/// A place where resources are created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pool {
    /// Its id.
    pub id: PoolId,
    /// Who owns it.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// What it is.
    pub pool_type: PoolType,
    /// The account of a provider pool.
    pub account_id: Option<AccountId>,
    /// How it is charged.
    pub billing_mode: BillingMode,
    /// When it was recorded.
    pub created_at: Millis,
}

/// The right of a tenant to use a pool of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// Its id.
    pub id: OfferId,
    /// The pool that is offered.
    pub pool_id: PoolId,
    /// To whom.
    pub tenant_id: TenantId,
    /// Nothing new is created under it.
    pub suspended: bool,
    /// Regions of the pool that it leaves out.
    pub excluded_regions: Vec<String>,
    /// When it was recorded.
    pub created_at: Millis,
}

/// How much of a capacity a tenant may book on a pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CapacityQuota {
    /// Whose.
    pub tenant_id: TenantId,
    /// On which pool.
    pub pool_id: PoolId,
    /// Of what.
    pub capacity: CapacityName,
    /// How much.
    pub amount: u64,
    /// When it was last set.
    pub updated_at: Millis,
}

/// A plugin generation: an immutable component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GenerationRecord {
    /// SHA-256 of the component, in hex.
    pub digest: String,
    /// The plugin's name: its provider.
    pub plugin: String,
    /// The plugin's own version.
    pub version: String,
    /// What it says of itself.
    pub manifest: crate::manifest::Manifest,
    /// Whether it is the one in force.
    pub active: bool,
    /// Size of the component in bytes.
    pub size: u64,
    /// When it was installed.
    pub installed_at: Millis,
    /// When it was last activated.
    pub activated_at: Option<Millis>,
}

/// A secret as its owner may see it: never its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretInfo {
    /// `secret://tenant/name`.
    #[serde(rename = "ref")]
    pub reference: crate::secret::SecretRef,
    /// Counts writes, from 1.
    pub version: u64,
    /// The resource that it is an output of.
    pub resource_id: Option<crate::id::ResourceId>,
    /// When it was first written.
    pub created_at: Millis,
    /// When it was last written.
    pub updated_at: Millis,
}
