//! What is asked: who wants to do what to which resource, and how the call came.

use std::net::IpAddr;

use crate::{Action, Key, ResourceType};

/// One question.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Who asks.
    pub principal: Principal<'a>,
    /// What to do.
    pub action: Action,
    /// To what.
    pub resource: Resource<'a>,
    /// How the call came.
    pub context: Context<'a>,
}

/// The caller.
#[derive(Debug, Clone, Copy)]
pub struct Principal<'a> {
    /// Its id.
    pub id: &'a str,
    /// The tenant that it belongs to.
    pub tenant: &'a str,
    /// The tenants that its documents count in.
    pub reach: Reach,
    /// Its name, if it has one.
    pub name: Option<&'a str>,
    /// The groups that it is in.
    pub groups: &'a [String],
}

/// The tenants that a principal's documents count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The principal's own.
    OwnTenant,
    /// Each of them: an operator's principal of the root tenant. What it may do there is still
    /// for its documents to say.
    EveryTenant,
}

/// What the request is about.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    /// Its type.
    pub kind: ResourceType,
    /// Its id, or its name where the type goes by names.
    pub id: &'a str,
    /// The tenant that the request says it belongs to.
    pub tenant: &'a str,
    /// The principal that owns it; nobody does once it is deleted.
    pub owner: Option<&'a str>,
    /// What else is known of it.
    pub attributes: Attributes<'a>,
}

impl<'a> Resource<'a> {
    /// A resource of which nothing else is known.
    #[must_use]
    pub fn new(kind: ResourceType, tenant: &'a str, id: &'a str) -> Self {
        Self {
            kind,
            id,
            tenant,
            owner: None,
            attributes: Attributes::default(),
        }
    }

    /// A tenant, for what is decided on it as a whole.
    #[must_use]
    pub fn tenant(id: &'a str) -> Self {
        Self::new(ResourceType::Tenant, id, id)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = (Key, &'a str)> {
        let own = [
            (Key::ResourceTenantId, Some(self.tenant)),
            (Key::ResourceOwner, self.owner),
        ];
        own.into_iter()
            .chain(self.attributes.keys())
            .filter_map(|(key, value)| Some((key, value?)))
    }
}

/// What conditions may ask about a resource. Each is absent where it isn't known or doesn't
/// apply; an attribute that the resource's type can't have makes the decision fail.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attributes<'a> {
    /// `resource.kind`
    pub kind: Option<&'a str>,
    /// `resource.family`
    pub family: Option<&'a str>,
    /// `resource.provider`
    pub provider: Option<&'a str>,
    /// `resource.providerAccountId`
    pub provider_account_id: Option<&'a str>,
    /// `resource.poolId`
    pub pool_id: Option<&'a str>,
    /// `resource.region`
    pub region: Option<&'a str>,
    /// `resource.projectId`
    pub project_id: Option<&'a str>,
    /// `resource.name`
    pub name: Option<&'a str>,
}

impl<'a> Attributes<'a> {
    fn keys(&self) -> [(Key, Option<&'a str>); 8] {
        [
            (Key::ResourceKind, self.kind),
            (Key::ResourceFamily, self.family),
            (Key::ResourceProvider, self.provider),
            (Key::ResourceProviderAccountId, self.provider_account_id),
            (Key::ResourcePoolId, self.pool_id),
            (Key::ResourceRegion, self.region),
            (Key::ResourceProjectId, self.project_id),
            (Key::ResourceName, self.name),
        ]
    }
}

/// How the call came. What isn't known is absent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// `context.requestTime`, in epoch milliseconds.
    pub request_time: Option<i64>,
    /// `context.sourceIp`. An IPv4 address written as IPv6 counts as IPv4.
    pub source_ip: Option<IpAddr>,
    /// `context.method`, as `module.method`.
    pub method: Option<&'a str>,
    /// `context.tokenName`
    pub token_name: Option<&'a str>,
    /// `context.tokenAgeSeconds`
    pub token_age_seconds: Option<i64>,
    /// `context.secureTransport`
    pub secure_transport: Option<bool>,
}
