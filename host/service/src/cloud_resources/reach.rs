//! What a spec reaches beyond itself at the provider: objects of the whole account, machines, networks.

use std::collections::BTreeSet;

use berth_domain::provider::{AccountView, Checked};
use berth_domain::spec::{Mark, Spec, SpecSchema};
use serde_json::Value;

use crate::ServiceError;

/// On an account that other tenants share, nothing may reach objects of the whole account. Machines
/// and networks must be the tenant's own; it has none recorded here, so none can be named.
///
/// The schema's marks and the plugin's word add up: neither takes back what the other says.
///
/// # Errors
/// `INVALID_INPUT` with reason `accountWide`, `instance` or `network`.
pub(super) fn check_reach(
    account: &AccountView,
    schema: &SpecSchema,
    spec: &Spec,
    checked: &Checked,
) -> Result<(), ServiceError> {
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
    let instances = named(schema, spec, Mark::Instances, &checked.instances);
    if !instances.is_empty() {
        return Err(ServiceError::invalid(
            "/spec",
            "names an instance that the tenant does not have on the pool's account",
        )
        .reason("instance")
        .with("instances", instances));
    }
    let networks = named(schema, spec, Mark::Networks, &checked.networks);
    if !networks.is_empty() {
        return Err(ServiceError::invalid(
            "/spec",
            "names a network that the tenant does not have on the pool's account",
        )
        .reason("network")
        .with("networks", networks));
    }
    Ok(())
}

fn dotted(pointer: &str) -> String {
    crate::error::dotted(&format!("/spec{pointer}"))
}

fn named(schema: &SpecSchema, spec: &Spec, mark: Mark, beyond: &[String]) -> Vec<String> {
    let marked = schema
        .marked(spec, mark)
        .into_iter()
        .filter_map(|(_, value)| match value {
            Value::String(id) => Some(id.clone()),
            _ => None,
        });
    marked
        .chain(beyond.iter().cloned())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}
