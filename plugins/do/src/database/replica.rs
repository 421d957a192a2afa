//! `do.database.replica`: a read-only replica, named by its spec, owned through the cluster.
//!
//! It is called by its name in the cluster, and resized by an id of its own. It is tagged too, so that
//! whoever promotes it to a cluster can tell whose it was.

mod describe;
mod wire;

use berth_sdk::types::{Checked, Error, Kind as KindEntry, Phase};
use berth_sdk::{Call, Check, Kind, Listed, Listing, Observed, digest, polling};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::wire::{Found, Outputs};
use super::child;
use super::connection::present;
use crate::accepted::Accepted;
use crate::api::api;
use crate::spec::replica::Spec;
use crate::{network, tags};

/// The kind.
pub(crate) struct Replica;

/// The change of a replica.
const RESIZE: &str = "resize";
/// Fields that it applies.
const SIZES: [&str; 2] = ["size", "storage_size_mib"];

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Memo {
    /// When the replica was asked for, or first seen.
    since: u64,
    #[serde(default)]
    asked: Accepted,
}

impl Memo {
    fn of(call: &Call<'_, Spec>) -> Self {
        call.memo().unwrap_or_else(|| Self {
            since: call.now(),
            asked: Accepted::default(),
        })
    }
}

impl Kind for Replica {
    const ID: &'static str = "do.database.replica";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        describe::kind()
    }

    fn check(&self, check: &Check<'_, Spec>) -> Result<Checked, Error> {
        describe::check(&check.spec)
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        let Some(replica) = child::find::<Found, _>(call)? else {
            return Ok(None);
        };
        Ok(Some(
            observed(replica, call, Memo::of(call))?.without_secrets(),
        ))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        observed(own(call)?, call, Memo::of(call))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let spec = call.spec();
        let mut body = json!({
            "name": call.name(), "region": spec.region, "size": spec.size,
            "tags": tags::encode(call.labels())?
        });
        if let Some(storage) = spec.storage_size_mib {
            body["storage_size_mib"] = json!(storage);
        }
        let network = network::part_in(call, spec.network.as_deref(), &spec.region)?;
        if let Some(network) = network.or(spec.private_network_uuid.as_deref()) {
            body["private_network_uuid"] = json!(network);
        }
        if let Some(settings) = &spec.do_settings {
            body["do_settings"] = json!(settings);
        }
        let replica: Found = child::create(call, &body)?;
        // Without an id it can't be recorded yet; `find` learns it.
        observed(replica, call, Memo::of(call)).map_err(|error| match error {
            Error::Unavailable(why) => Error::Ambiguous(why),
            other => other,
        })
    }

    fn update(&self, call: &Call<'_, Spec>, fields: &[String]) -> Result<Observed<Outputs>, Error> {
        let replica = own(call)?;
        let mut memo = Memo::of(call);
        let open = replica.open(call.spec());
        let target = target(call.spec());
        let is_asked = open
            .iter()
            .any(|open| fields.iter().any(|field| field == open));
        let may_write =
            replica.is_online() && !memo.asked.is_under_way(RESIZE, &target, call.now());
        if is_asked && may_write {
            // A replica has one node, and the API takes a storage size, even the same one, as a change.
            let mut body = json!({"size": call.spec().size, "num_nodes": 1});
            if open.contains(&"storage_size_mib") {
                body["storage_size_mib"] = json!(call.spec().storage_size_mib);
            }
            api(call.host())
                .put(&["v2", "databases", call.provider_id()?, "resize"])
                .body(&body)
                .send()?;
            memo.asked.note(RESIZE, target, call.now());
        }
        observed(replica, call, memo)
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        child::delete::<Found, _>(call)
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let shared = listing.account.shared;
        let items = child::all::<Found>(listing)?
            .into_iter()
            .filter_map(|replica| {
                let spec = reported(&replica, None, shared);
                let mut item = bare(replica).ok()?;
                item.spec = Some(Value::Object(spec));
                Some(item)
            })
            .collect();
        Ok(Listed { items, next: None })
    }
}

/// The replica of the recorded id. Another one under its name means that ours is gone.
fn own(call: &Call<'_, Spec>) -> Result<Found, Error> {
    let replica: Found = child::read(call)?;
    let recorded = call.provider_id()?;
    match replica.id() {
        Some(id) if id != recorded => Err(Error::NotFound(format!(
            "the replica `{}` of the cluster is another one now: {id}, not {recorded}",
            call.name()
        ))),
        _ => Ok(replica),
    }
}

fn target(spec: &Spec) -> String {
    digest::of(&(&spec.size, spec.storage_size_mib))
}

/// An answer may leave the id out while the replica is made.
fn observed(
    mut replica: Found,
    call: &Call<'_, Spec>,
    mut memo: Memo,
) -> Result<Observed<Outputs>, Error> {
    if replica.id().is_none() {
        replica.id = call.provider_id().ok().map(str::to_owned);
    }
    let now = call.now();
    let open = replica.open(call.spec());
    let under_way = !open.is_empty() && memo.asked.is_under_way(RESIZE, &target(call.spec()), now);
    if open.is_empty() {
        memo.asked.forget(RESIZE);
    }
    let spec = reported(&replica, Some(call.spec()), call.account().shared);
    let labels = replica.labels(call.labels());
    let mut observed = bare(replica)?;
    observed.labels = labels;
    observed.spec = Some(Value::Object(spec));
    observed.pending = open.into_iter().map(str::to_owned).collect();
    if under_way && matches!(observed.phase, Phase::Ready) {
        observed.phase = Phase::Converging;
    }
    if matches!(observed.phase, Phase::Converging) {
        observed.poll_after = Some(polling::after(memo.asked.newest(memo.since), now));
    }
    observed.memo = Some(json!(memo));
    Ok(observed)
}

fn bare(replica: Found) -> Result<Observed<Outputs>, Error> {
    let id = replica.id().map(str::to_owned).ok_or_else(|| {
        Error::Unavailable(format!(
            "the provider shows the replica `{}` without its id so far",
            replica.name
        ))
    })?;
    let phase = if replica.is_online() {
        Phase::Ready
    } else {
        // creating, forking, resizing, migrating, and whatever comes to be.
        Phase::Converging
    };
    let mut observed = Observed::new(id, phase, Outputs::of(&replica));
    observed.labels = replica.labels(&[]);
    observed.name = Some(replica.name);
    replica.connections.reveal(&mut observed);
    Ok(observed)
}

/// The spec as the API shows it. Ids of account-wide objects only where the tenant wrote them or
/// owns the account.
fn reported(replica: &Found, wanted: Option<&Spec>, account_is_shared: bool) -> Map<String, Value> {
    let mut spec = Map::new();
    let mut put = |field: &str, value: Value| {
        if !value.is_null() {
            spec.insert(field.to_owned(), value);
        }
    };
    put("name", json!(replica.name));
    put("region", json!(replica.region));
    put("size", json!(replica.size));
    put("storage_size_mib", json!(replica.storage_size_mib));
    let wrote_network = wanted.is_some_and(|spec| spec.private_network_uuid.is_some());
    if !account_is_shared || wrote_network {
        put(
            "private_network_uuid",
            json!(present(replica.private_network_uuid.clone())),
        );
    }
    spec
}
