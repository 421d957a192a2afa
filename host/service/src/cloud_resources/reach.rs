//! What a spec reaches beyond itself at the provider: objects of the whole account, machines, networks.

use std::collections::{BTreeMap, BTreeSet};

use berth_domain::id::TenantId;
use berth_domain::linked::{Live, Named};
use berth_domain::platform::Account;
use berth_domain::provider::{AccountView, Checked};
use berth_domain::spec::{Mark, Spec, SpecSchema};
use serde_json::Value;

use crate::{Service, ServiceError};

/// The instances and networks that a spec names, and where.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    pub(super) named: Named,
    /// JSON Pointers into the spec; what only the plugin's `check` named has none.
    places: BTreeMap<String, String>,
}

/// What a spec reaches. On an account that other tenants share, nothing may reach objects of the whole
/// account.
///
/// The schema's marks and the plugin's word add up: neither takes back what the other says.
///
/// # Errors
/// `INVALID_INPUT` with reason `accountWide`.
pub(super) fn reach_of(
    account: &AccountView,
    schema: &SpecSchema,
    spec: &Spec,
    checked: &Checked,
) -> Result<Reach, ServiceError> {
    if account.shared {
        let marked = schema
            .marked(spec, Mark::AccountWide)
            .into_iter()
            .map(|(pointer, _)| pointer);
        let fields: BTreeSet<String> = marked.chain(checked.account_wide.iter().cloned()).collect();
        if let Some(first) = fields.first() {
            return Err(ServiceError::invalid(
                format!("/spec{first}"),
                "reaches objects of the whole provider account, which other tenants share; leave it out, or use a pool on an account of your own",
            )
            .reason("accountWide")
            .with("fields", fields.iter().map(|pointer| dotted(pointer)).collect::<Vec<_>>()));
        }
    }
    let mut reach = Reach::default();
    reach.named.instances = named(schema, spec, Mark::Instances, &mut reach.places);
    reach
        .named
        .instances
        .extend(checked.instances.iter().cloned());
    reach.named.networks = named(schema, spec, Mark::Networks, &mut reach.places);
    reach
        .named
        .networks
        .extend(checked.networks.iter().cloned());
    Ok(reach)
}

/// Proves that what a spec names, beyond what it named before, is the tenant's own, on the account, and
/// lives. What is another's reads like what never was.
///
/// # Errors
/// `INVALID_INPUT` with reason `instance` or `network`.
pub(super) async fn check_named(
    service: &Service,
    tenant: &TenantId,
    account: &Account,
    region: Option<&str>,
    reach: &Reach,
    before: &Named,
) -> Result<(), ServiceError> {
    let fresh = reach.named.beyond(before);
    if fresh.is_empty() {
        return Ok(());
    }
    let rows = service.store().linked(&fresh.ids()).await?;
    let live = Live::of(rows, tenant, &account.id);
    let instances = live.missing_instances(&fresh);
    if let Some(first) = instances.first() {
        return Err(ServiceError::invalid(
            reach.place(first),
            "names an instance that the tenant does not have on the pool's account; `instances/list` lists those it has",
        )
        .reason("instance")
        .with("instances", instances));
    }
    let networks = live.missing_networks(&fresh, region);
    if let Some(first) = networks.first() {
        let within = region.map_or_else(String::new, |region| format!(" in region `{region}`"));
        return Err(ServiceError::invalid(
            reach.place(first),
            format!("names a network that the tenant does not have on the pool's account{within}; `networks/list` lists those it has"),
        )
        .reason("network")
        .with("networks", networks));
    }
    Ok(())
}

impl Reach {
    fn place(&self, id: &str) -> String {
        let within = self.places.get(id).map_or("", String::as_str);
        format!("/spec{within}")
    }
}

fn dotted(pointer: &str) -> String {
    crate::error::dotted(&format!("/spec{pointer}"))
}

fn named(
    schema: &SpecSchema,
    spec: &Spec,
    mark: Mark,
    places: &mut BTreeMap<String, String>,
) -> BTreeSet<String> {
    let marked = schema.marked(spec, mark).into_iter();
    marked
        .filter_map(|(pointer, value)| {
            let id = match value {
                Value::Null => return None,
                Value::String(id) => id.clone(),
                // No id looks like this: it is refused as one that names nothing.
                other => other.to_string(),
            };
            places.entry(id.clone()).or_insert(pointer);
            Some(id)
        })
        .collect()
}
