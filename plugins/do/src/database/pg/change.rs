//! Changes of a cluster: which there are, whether one is needed, and the request that makes it.

use berth_sdk::http::Api;
use berth_sdk::types::Error;
use berth_sdk::{Call, Observed, digest};
use serde_json::{Value, json};

use super::memo::Memo;
use super::wire::{Cluster, Outputs};
use super::{observe, read};
use crate::api::api;
use crate::spec::pg::Spec;

/// A change that the cluster shows when it is done. They run one at a time, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Resize,
    Migrate,
    Upgrade,
}

impl Change {
    pub(super) const ALL: [Self; 3] = [Self::Resize, Self::Migrate, Self::Upgrade];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Resize => "resize",
            Self::Migrate => "migrate",
            Self::Upgrade => "upgrade",
        }
    }

    /// The fields of it that the cluster does not show as wanted.
    pub(super) fn open_fields(self, spec: &Spec, cluster: &Cluster) -> Vec<&'static str> {
        let open: &[(&str, bool)] = match self {
            Self::Resize => &[
                (
                    "size",
                    differs(Some(spec.size.as_str()), cluster.size.as_deref()),
                ),
                (
                    "num_nodes",
                    differs(Some(u64::from(spec.num_nodes)), cluster.num_nodes),
                ),
                ("storage_size_mib", storage_is_open(spec, cluster)),
            ],
            Self::Migrate => &[(
                "region",
                differs(Some(spec.region.as_str()), cluster.region.as_deref()),
            )],
            Self::Upgrade => &[("version", differs(spec.version.as_deref(), cluster.major()))],
        };
        open.iter()
            .filter(|(_, open)| *open)
            .map(|(field, _)| *field)
            .collect()
    }

    /// What the change leads to, as a digest.
    pub(super) fn target(self, spec: &Spec) -> String {
        match self {
            Self::Resize => digest::of(&(&spec.size, spec.num_nodes, spec.storage_size_mib)),
            Self::Migrate => digest::of(&spec.region),
            Self::Upgrade => digest::of(&spec.version),
        }
    }

    /// The request: a path below the cluster's and its body.
    fn request(self, spec: &Spec, open: &[&str]) -> (&'static str, Value) {
        match self {
            Self::Resize => {
                // The API wants size and nodes together, and takes a storage size, even the same
                // one, as a change.
                let mut body = json!({"size": spec.size, "num_nodes": spec.num_nodes});
                if open.contains(&"storage_size_mib") {
                    body["storage_size_mib"] = json!(spec.storage_size_mib);
                }
                ("resize", body)
            }
            Self::Migrate => ("migrate", json!({"region": spec.region})),
            Self::Upgrade => ("upgrade", json!({"version": spec.version})),
        }
    }
}

/// Whether something is wanted, shown, and not the same. What the API does not show can't be
/// compared, and is no reason to write.
fn differs<T: PartialEq>(wanted: Option<T>, shown: Option<T>) -> bool {
    matches!((wanted, shown), (Some(wanted), Some(shown)) if wanted != shown)
}

/// Storage that the autoscaler grew beyond the wanted size is as wanted.
fn storage_is_open(spec: &Spec, cluster: &Cluster) -> bool {
    let grows = spec
        .autoscale
        .as_ref()
        .is_some_and(|autoscale| autoscale.storage.enabled);
    let grown = grows && cluster.storage_size_mib >= spec.storage_size_mib;
    !grown && differs(spec.storage_size_mib, cluster.storage_size_mib)
}

/// Applies what is open of these fields with at most one write.
pub(super) fn apply(call: &Call<'_, Spec>, fields: &[String]) -> Result<Observed<Outputs>, Error> {
    let cluster = read(call)?;
    let mut memo = Memo::of(call);
    if cluster.is_online() {
        step(call, fields, &cluster, &mut memo)?;
    }
    Ok(observe::with_memo(&cluster, call, memo))
}

fn step(
    call: &Call<'_, Spec>,
    fields: &[String],
    cluster: &Cluster,
    memo: &mut Memo,
) -> Result<(), Error> {
    let api = api(call.host());
    let id = call.provider_id()?;
    let asked_for = |field: &str| fields.iter().any(|wanted| wanted == field);
    for change in Change::ALL {
        let open = change.open_fields(call.spec(), cluster);
        let target = change.target(call.spec());
        if memo.asked.is_under_way(change.name(), &target, call.now()) && !open.is_empty() {
            // The API would refuse anything else until it is done.
            return Ok(());
        }
        if open.iter().any(|field| asked_for(field)) {
            let (path, body) = change.request(call.spec(), &open);
            api.put(&["v2", "databases", id, path]).body(&body).send()?;
            memo.asked.note(change.name(), target, call.now());
            return Ok(());
        }
    }
    for field in super::memo::UNSEEN {
        if asked_for(field) && !memo.is_applied(call, field) {
            set(&api, id, field, call.spec())?;
            memo.set_applied(call, field);
            return Ok(());
        }
    }
    Ok(())
}

/// Sends a setting that the API does not show.
fn set(api: &Api<'_>, id: &str, field: &str, spec: &Spec) -> Result<(), Error> {
    let path = |last| ["v2", "databases", id, last];
    let request = match field {
        "maintenance" => api.put(&path("maintenance")).body(&spec.maintenance),
        "config" => api
            .patch(&path("config"))
            .body(&json!({"config": spec.config})),
        "autoscale" => api.put(&path("autoscale")).body(&spec.autoscale),
        _ => api
            .put(&path("do_settings"))
            .body(&json!({"do_settings": spec.do_settings})),
    };
    request.send().map(drop)
}
