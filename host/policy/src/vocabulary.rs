//! The words that documents may use: actions, resource types and condition keys.
//!
//! To add one, add a line here. A new attribute also needs its field in [`crate::Attributes`]
//! or [`crate::Context`], and the compiler says where.

/// Makes an enum whose variants each have a row of facts.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $name:ident: $row:ty {
            $($(#[$word_meta:meta])* $word:ident = $facts:expr,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$word_meta])* $word,)*
        }

        impl $name {
            /// Every word there is.
            pub const ALL: &'static [Self] = &[$(Self::$word,)*];

            fn row(self) -> $row {
                match self {
                    $(Self::$word => $facts,)*
                }
            }

            /// The word as documents write it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                self.row().0
            }

            /// Reads a word, exactly as it is written.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

use ResourceType as On;

words! {
    /// What a decision is about. In documents: the part of a resource before the slash.
    ResourceType: (&'static str, &'static str) {
        /// A cloud resource, by its id; on create the id that it would get.
        CloudResource = ("compute-cloud-resource", "CloudResource"),
        /// A tenant, by its id: for listings and for what belongs to a tenant as a whole.
        Tenant = ("compute-tenant", "Tenant"),
        /// A secret, by its name.
        Secret = ("compute-secret", "Secret"),
        /// A project, by its id.
        Project = ("compute-project", "Project"),
        /// A principal, by its id.
        Principal = ("compute-principal", "Principal"),
        /// A policy, by its id.
        Policy = ("compute-policy", "Policy"),
    }
}

impl ResourceType {
    /// The name of the type in the Cedar schema.
    pub(crate) fn entity_type(self) -> &'static str {
        self.row().1
    }
}

/// On what an action is decided, and whether owning that is enough.
type ActionRow = (&'static str, &'static [ResourceType], Owner);

#[derive(PartialEq, Eq)]
enum Owner {
    May,
    NeedsPolicy,
}

words! {
    /// What a caller wants to do.
    Action: ActionRow {
        /// See cloud resources, kinds, catalogues and signals.
        CloudResourcesRead = ("compute:cloud-resources:read", &[On::Tenant, On::CloudResource], Owner::May),
        /// Create or adopt a cloud resource.
        CloudResourcesCreate = ("compute:cloud-resources:create", &[On::CloudResource], Owner::NeedsPolicy),
        /// Change a cloud resource.
        CloudResourcesUpdate = ("compute:cloud-resources:update", &[On::CloudResource], Owner::May),
        /// Delete or release a cloud resource.
        CloudResourcesDelete = ("compute:cloud-resources:delete", &[On::CloudResource], Owner::May),
        /// End the record of a cloud resource without its provider; operators only.
        CloudResourcesForget = ("compute:cloud-resources:forget", &[On::CloudResource], Owner::NeedsPolicy),
        /// See the names and versions of secrets, never a value.
        SecretsRead = ("compute:secrets:read", &[On::Tenant, On::Secret], Owner::NeedsPolicy),
        /// Write and delete secrets.
        SecretsWrite = ("compute:secrets:write", &[On::Secret], Owner::NeedsPolicy),
        /// Refer to a secret in a spec.
        SecretsUse = ("compute:secrets:use", &[On::Secret], Owner::NeedsPolicy),
        /// See the value of a secret.
        SecretsReveal = ("compute:secrets:reveal", &[On::Secret], Owner::NeedsPolicy),
        /// See policies and where they are attached.
        PoliciesRead = ("compute:policies:read", &[On::Tenant, On::Policy], Owner::NeedsPolicy),
        /// Write, attach and delete policies.
        PoliciesWrite = ("compute:policies:write", &[On::Tenant, On::Policy], Owner::NeedsPolicy),
        /// See principals and their tokens' names.
        PrincipalsRead = ("compute:principals:read", &[On::Tenant, On::Principal], Owner::NeedsPolicy),
        /// Create, change and delete principals and their tokens.
        PrincipalsWrite = ("compute:principals:write", &[On::Tenant, On::Principal], Owner::NeedsPolicy),
        /// See projects.
        ProjectsRead = ("compute:projects:read", &[On::Tenant, On::Project], Owner::NeedsPolicy),
        /// Create, change and delete projects.
        ProjectsWrite = ("compute:projects:write", &[On::Tenant, On::Project], Owner::NeedsPolicy),
        /// See tenants.
        TenantsRead = ("compute:tenants:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Create, change and suspend tenants.
        TenantsWrite = ("compute:tenants:write", &[On::Tenant], Owner::NeedsPolicy),
        /// See the tenant's provider accounts, never a credential.
        AccountsRead = ("compute:accounts:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Register, change and remove provider accounts.
        AccountsWrite = ("compute:accounts:write", &[On::Tenant], Owner::NeedsPolicy),
        /// See pools.
        PoolsRead = ("compute:pools:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Create, change and remove pools.
        PoolsWrite = ("compute:pools:write", &[On::Tenant], Owner::NeedsPolicy),
        /// See what is offered to a tenant.
        OffersRead = ("compute:offers:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Offer pools to tenants.
        OffersWrite = ("compute:offers:write", &[On::Tenant], Owner::NeedsPolicy),
        /// See quotas and what is used of them.
        QuotasRead = ("compute:quotas:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Set quotas.
        QuotasWrite = ("compute:quotas:write", &[On::Tenant], Owner::NeedsPolicy),
        /// See budgets and what is spent of them.
        BudgetsRead = ("compute:budgets:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Set budgets.
        BudgetsWrite = ("compute:budgets:write", &[On::Tenant], Owner::NeedsPolicy),
        /// See prices.
        PricesRead = ("compute:prices:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Set prices.
        PricesWrite = ("compute:prices:write", &[On::Tenant], Owner::NeedsPolicy),
        /// See the tenant's instances.
        InstancesRead = ("compute:instances:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Record and remove instances.
        InstancesWrite = ("compute:instances:write", &[On::Tenant], Owner::NeedsPolicy),
        /// See the tenant's networks.
        NetworksRead = ("compute:networks:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Record and remove networks.
        NetworksWrite = ("compute:networks:write", &[On::Tenant], Owner::NeedsPolicy),
        /// Follow the tenant's events.
        EventsRead = ("compute:events:read", &[On::Tenant], Owner::NeedsPolicy),
        /// See metered usage and invoices.
        UsageRead = ("compute:usage:read", &[On::Tenant], Owner::NeedsPolicy),
        /// See the audit trail.
        AuditRead = ("compute:audit:read", &[On::Tenant], Owner::NeedsPolicy),
        /// See plugins and their generations.
        PluginsRead = ("compute:plugins:read", &[On::Tenant], Owner::NeedsPolicy),
        /// Install and activate plugins.
        PluginsWrite = ("compute:plugins:write", &[On::Tenant], Owner::NeedsPolicy),
    }
}

impl Action {
    /// The resource types that this action is decided on.
    #[must_use]
    pub fn resource_types(self) -> &'static [ResourceType] {
        self.row().1
    }

    /// Whether the owner of a cloud resource may do this to it without any policy.
    #[must_use]
    pub fn open_to_owner(self) -> bool {
        self.row().2 == Owner::May
    }
}

/// What the value of a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Texts,
    Number,
    Moment,
    Bool,
    Address,
}

/// Whose attribute a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bearer {
    Resource(&'static [ResourceType]),
    Principal,
    Context,
}

/// Whether every request has the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Always,
    Sometimes,
}

/// Name, attribute, bearer, shape, presence.
type KeyRow = (&'static str, &'static str, Bearer, Shape, Presence);

const PLACED: Bearer = Bearer::Resource(&[On::CloudResource, On::Tenant]);
const NAMED: Bearer = Bearer::Resource(&[
    On::CloudResource,
    On::Secret,
    On::Project,
    On::Principal,
    On::Policy,
]);

words! {
    /// What a condition may ask about.
    ///
    /// A tenant has the placing attributes (kind, family, provider, account, pool, region,
    /// project) where the call that is decided on it names them.
    Key: KeyRow {
        /// The kind, such as `do.database.pg`.
        ResourceKind = ("resource.kind", "kind", PLACED, Shape::Text, Presence::Sometimes),
        /// The family, such as `data`.
        ResourceFamily = ("resource.family", "family", PLACED, Shape::Text, Presence::Sometimes),
        /// The provider, such as `digitalocean`.
        ResourceProvider = ("resource.provider", "provider", PLACED, Shape::Text, Presence::Sometimes),
        /// The provider account.
        ResourceProviderAccountId = ("resource.providerAccountId", "providerAccountId", PLACED, Shape::Text, Presence::Sometimes),
        /// The pool.
        ResourcePoolId = ("resource.poolId", "poolId", PLACED, Shape::Text, Presence::Sometimes),
        /// The region, where the kind is regional.
        ResourceRegion = ("resource.region", "region", PLACED, Shape::Text, Presence::Sometimes),
        /// The project, where there is one.
        ResourceProjectId = ("resource.projectId", "projectId", PLACED, Shape::Text, Presence::Sometimes),
        /// The name that its tenant gave it.
        ResourceName = ("resource.name", "name", NAMED, Shape::Text, Presence::Sometimes),
        /// The tenant that it belongs to.
        ResourceTenantId = ("resource.tenantId", "tenantId", Bearer::Resource(ResourceType::ALL), Shape::Text, Presence::Always),
        /// The principal that owns it.
        ResourceOwner = ("resource.owner", "owner", Bearer::Resource(&[On::CloudResource]), Shape::Text, Presence::Sometimes),
        /// The caller.
        PrincipalId = ("principal.id", "id", Bearer::Principal, Shape::Text, Presence::Always),
        /// The caller's tenant.
        PrincipalTenantId = ("principal.tenantId", "tenantId", Bearer::Principal, Shape::Text, Presence::Always),
        /// The caller's name.
        PrincipalName = ("principal.name", "name", Bearer::Principal, Shape::Text, Presence::Sometimes),
        /// The groups that the caller is in.
        PrincipalGroups = ("principal.groups", "groups", Bearer::Principal, Shape::Texts, Presence::Sometimes),
        /// When the call came.
        ContextRequestTime = ("context.requestTime", "requestTime", Bearer::Context, Shape::Moment, Presence::Sometimes),
        /// Where the call came from.
        ContextSourceIp = ("context.sourceIp", "sourceIp", Bearer::Context, Shape::Address, Presence::Sometimes),
        /// The method that was called, such as `cloudResources.create`.
        ContextMethod = ("context.method", "method", Bearer::Context, Shape::Text, Presence::Sometimes),
        /// The name of the token that the caller showed.
        ContextTokenName = ("context.tokenName", "tokenName", Bearer::Context, Shape::Text, Presence::Sometimes),
        /// The age of that token in whole seconds.
        ContextTokenAgeSeconds = ("context.tokenAgeSeconds", "tokenAgeSeconds", Bearer::Context, Shape::Number, Presence::Sometimes),
        /// Whether the call came over TLS.
        ContextSecureTransport = ("context.secureTransport", "secureTransport", Bearer::Context, Shape::Bool, Presence::Sometimes),
    }
}

impl Key {
    /// The name of the attribute on its bearer.
    pub(crate) fn attribute(self) -> &'static str {
        self.row().1
    }

    pub(crate) fn bearer(self) -> Bearer {
        self.row().2
    }

    pub(crate) fn shape(self) -> Shape {
        self.row().3
    }

    /// Whether a request about such a resource can have this key.
    #[must_use]
    pub fn is_on(self, resource: ResourceType) -> bool {
        match self.bearer() {
            Bearer::Resource(types) => types.contains(&resource),
            Bearer::Principal | Bearer::Context => true,
        }
    }

    /// Whether every request about a resource that can have this key does have it.
    pub(crate) fn is_always_there(self) -> bool {
        self.row().4 == Presence::Always
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_word_is_read_back_and_no_two_are_the_same() {
        for action in Action::ALL {
            assert_eq!(Action::parse(action.as_str()), Some(*action));
            assert!(!action.resource_types().is_empty());
            assert_eq!(action.as_str().split(':').count(), 3, "{action}");
        }
        for key in Key::ALL {
            assert_eq!(Key::parse(key.as_str()), Some(*key));
            assert!(key.as_str().ends_with(&format!(".{}", key.attribute())));
        }
        for resource in ResourceType::ALL {
            assert_eq!(ResourceType::parse(resource.as_str()), Some(*resource));
        }
        let entity_types: BTreeSet<_> = ResourceType::ALL.iter().map(|r| r.entity_type()).collect();
        assert_eq!(entity_types.len(), ResourceType::ALL.len());
    }

    #[test]
    fn owning_opens_reading_updating_and_deleting_and_nothing_else() {
        let open: Vec<_> = Action::ALL.iter().filter(|a| a.open_to_owner()).collect();
        assert_eq!(
            open,
            [
                &Action::CloudResourcesRead,
                &Action::CloudResourcesUpdate,
                &Action::CloudResourcesDelete
            ]
        );
    }
}
