//! A cluster as an observation.

use berth_sdk::types::{Label, Phase};
use berth_sdk::{Call, Observed, polling};
use serde_json::{Map, Value, json};

use super::change::Change;
use super::memo::{Memo, UNSEEN};
use super::wire::{Cluster, Outputs};
use crate::database::connection::{endpoint, present};
use crate::spec::pg::{Maintenance, Spec};
use crate::tags;

/// The call's own cluster.
pub(super) fn observed(cluster: &Cluster, call: &Call<'_, Spec>) -> Observed<Outputs> {
    with_memo(cluster, call, Memo::of(call))
}

/// The call's own cluster, with what is remembered of it from now on.
pub(super) fn with_memo(
    cluster: &Cluster,
    call: &Call<'_, Spec>,
    mut memo: Memo,
) -> Observed<Outputs> {
    let spec = call.spec();
    let now = call.now();
    let mut pending = Vec::new();
    let mut under_way = false;
    for change in Change::ALL {
        let open = change.open_fields(spec, cluster);
        if open.is_empty() {
            memo.asked.forget(change.name());
        } else {
            under_way |= memo
                .asked
                .is_under_way(change.name(), &change.target(spec), now);
        }
        pending.extend(open);
    }
    pending.extend(
        UNSEEN
            .into_iter()
            .filter(|field| !memo.is_applied(call, field)),
    );

    let mut observed = bare(cluster, call.labels());
    if under_way && matches!(observed.phase, Phase::Ready) {
        observed.phase = Phase::Converging;
    }
    observed.pending = pending.into_iter().map(str::to_owned).collect();
    observed.spec = Some(Value::Object(reported(
        cluster,
        Some(spec),
        call.account().shared,
    )));
    if matches!(observed.phase, Phase::Converging) {
        observed.poll_after = Some(polling::after(memo.newest(), now));
    }
    observed.memo = Some(json!(memo));
    cluster.connections.reveal(&mut observed);
    observed
}

/// A cluster that is being taken over: nothing is wanted of it yet.
pub(super) fn unwanted(cluster: &Cluster, call: &Call<'_, ()>) -> Observed<Outputs> {
    let mut observed = listed(cluster, call.account().shared);
    observed.labels = cluster.labels(call.labels());
    observed
}

/// An item of a list: nothing is wanted of it here.
pub(super) fn listed(cluster: &Cluster, account_is_shared: bool) -> Observed<Outputs> {
    let mut observed = bare(cluster, &[]);
    observed.spec = Some(Value::Object(reported(cluster, None, account_is_shared)));
    observed
}

fn bare(cluster: &Cluster, wanted: &[Label]) -> Observed<Outputs> {
    let mut observed = Observed::new(&cluster.id, phase(cluster), outputs(cluster));
    observed.name = Some(cluster.name.clone());
    observed.labels = cluster.labels(wanted);
    observed
}

fn phase(cluster: &Cluster) -> Phase {
    let status = cluster.status.as_deref().unwrap_or_default().to_lowercase();
    match status.as_str() {
        "online" => Phase::Ready,
        "unhealthy" | "decommissioned" => {
            Phase::Failed(format!("the cluster is {status} at the provider"))
        }
        // creating, forking, resizing, migrating, and whatever comes to be.
        _ => Phase::Converging,
    }
}

fn outputs(cluster: &Cluster) -> Outputs {
    let cluster = cluster.clone();
    let connections = cluster.connections;
    let (host, port) = endpoint(connections.connection.as_ref());
    let (private_host, private_port) = endpoint(connections.private_connection.as_ref());
    let (standby_host, standby_port) = endpoint(connections.standby_connection.as_ref());
    let (standby_private_host, standby_private_port) =
        endpoint(connections.standby_private_connection.as_ref());
    Outputs {
        status: cluster.status,
        host,
        port,
        database: connections.of_main(|connection| &connection.database),
        user: connections.of_main(|connection| &connection.user),
        ssl: connections.connection.and_then(|connection| connection.ssl),
        private_host,
        private_port,
        standby_host,
        standby_port,
        standby_private_host,
        standby_private_port,
        version: cluster.version,
        semantic_version: cluster.semantic_version,
        region: cluster.region,
        size: cluster.size,
        num_nodes: cluster.num_nodes,
        storage_size_mib: cluster.storage_size_mib,
        metrics_endpoints: cluster.metrics_endpoints,
        created_at: cluster.created_at,
        #[cfg(feature = "next")]
        version_end_of_life: cluster.version_end_of_life,
    }
}

/// The spec as the API shows it. Ids of account-wide objects only where the tenant wrote them or
/// owns the account.
fn reported(
    cluster: &Cluster,
    wanted: Option<&Spec>,
    account_is_shared: bool,
) -> Map<String, Value> {
    let mut spec = Map::new();
    let mut put = |field: &str, value: Value| {
        if !value.is_null() {
            spec.insert(field.to_owned(), value);
        }
    };
    put("region", json!(cluster.region));
    put("size", json!(cluster.size));
    put("num_nodes", json!(cluster.num_nodes));
    put("version", json!(cluster.major()));
    put("storage_size_mib", json!(cluster.storage_size_mib));
    put("maintenance", json!(maintenance(cluster)));
    let tags = shown_tags(cluster, wanted);
    if !tags.is_empty() {
        put("tags", json!(tags));
    }
    let writes = |field: fn(&Spec) -> bool| wanted.is_some_and(field);
    if !account_is_shared || writes(|spec| spec.private_network_uuid.is_some()) {
        put(
            "private_network_uuid",
            json!(present(cluster.private_network_uuid.clone())),
        );
    }
    if !account_is_shared || writes(|spec| spec.project_id.is_some()) {
        put("project_id", json!(present(cluster.project_id.clone())));
    }
    spec
}

/// The tags that are no labels, in the order and spelling of the spec where they are the same.
fn shown_tags(cluster: &Cluster, wanted: Option<&Spec>) -> Vec<String> {
    let shown = tags::foreign(cluster.tags());
    let wanted = wanted
        .and_then(|spec| spec.tags.as_deref())
        .unwrap_or_default();
    let has = |tags: &[String], tag: &String| tags.iter().any(|other| tags::TAGS.same(other, tag));
    let same =
        shown.iter().all(|tag| has(wanted, tag)) && wanted.iter().all(|tag| has(&shown, tag));
    if same { wanted.to_vec() } else { shown }
}

/// The window as a spec writes it; the API adds seconds.
fn maintenance(cluster: &Cluster) -> Option<Maintenance> {
    let window = cluster.maintenance_window.as_ref()?;
    let day = serde_json::from_value(json!(window.day.as_deref()?.to_lowercase())).ok()?;
    let hour = window.hour.as_deref()?.get(..5)?.to_owned();
    Some(Maintenance { day, hour })
}
