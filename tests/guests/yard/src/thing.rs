//! What cranes and sheds have in common: a size that can be changed, labels, and how the API speaks.

use std::collections::BTreeMap;

use berth_sdk::http::Api;
use berth_sdk::manifest::{self, get, names, outputs, write};
use berth_sdk::types::{self, Error, Family, Label, Operation, Ownership, Phase};
use berth_sdk::{Call, Listed, Listing, Observed};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(crate) const ORIGIN: &str = "https://api.yard.example";

/// What a tenant writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    pub(crate) size: u64,
    /// Where it stands: never changed.
    #[serde(default)]
    pub(crate) site: Option<String>,
}

const SCHEMA: &str = r#"{
    "type": "object", "additionalProperties": false, "required": ["size"],
    "properties": {
        "size": { "type": "integer", "minimum": 1, "maximum": 1000 },
        "site": { "type": "string", "maxLength": 20 }
    }
}"#;

/// What a tenant sees.
#[derive(Serialize)]
pub(crate) struct Outputs {
    size: u64,
}

/// An object as the provider shows it.
#[derive(Deserialize)]
struct Thing {
    id: String,
    name: String,
    /// That runs.
    size: u64,
    /// That was asked for.
    wanted_size: u64,
    site: Option<String>,
    ready: bool,
    labels: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Things {
    items: Vec<Thing>,
    next: Option<String>,
}

/// A kind's entry in the manifest; `path` is where its objects are.
pub(crate) fn describe(id: &str, title: &str, path: &str) -> types::Kind {
    let (all, one) = (format!("/v1/{path}"), format!("/v1/{path}/{{id}}"));
    let labels = format!("{one}/labels");
    types::Kind {
        outputs: outputs(&[("size", "The size that runs")]),
        updatable: names(&["size"]),
        ownership: Ownership::Labels,
        releasable: true,
        adoptable: true,
        lists_whole: true,
        id_pattern: "[a-z]{1,20}-[0-9]{1,9}".to_owned(),
        reads: vec![get(&all), get(&one)],
        writes: vec![
            write(Operation::Create, "POST", &all),
            write(Operation::Update, "PATCH", &one),
            write(Operation::Label, "PUT", &labels),
            write(Operation::Unlabel, "PUT", &labels),
            write(Operation::Delete, "DELETE", &one),
        ],
        ..manifest::kind(id, title, Family::Platform, SCHEMA)
    }
}

type Seen = Result<Observed<Outputs>, Error>;

fn api<'a, S>(call: &Call<'a, S>) -> Api<'a> {
    Api::new(call.host(), ORIGIN)
}

/// Whatever the spec says that the provider shows otherwise is pending: it is `converging` as long as the
/// provider is at work on what it was asked for last.
fn observed(thing: Thing, wanted: Option<&Spec>) -> Observed<Outputs> {
    let phase = if thing.ready && thing.size == thing.wanted_size {
        Phase::Ready
    } else {
        Phase::Converging
    };
    let mut spec = json!({"size": thing.wanted_size});
    if let Some(site) = &thing.site {
        spec["site"] = json!(site);
    }
    let mut seen = Observed::new(thing.id, phase, Outputs { size: thing.size });
    seen.name = Some(thing.name);
    seen.labels = thing
        .labels
        .into_iter()
        .map(|(key, value)| Label { key, value })
        .collect();
    seen.spec = Some(spec);
    seen.pending = wanted
        .filter(|wanted| wanted.size != thing.size)
        .map(|_| "size".to_owned())
        .into_iter()
        .collect();
    seen
}

fn labels<S>(call: &Call<'_, S>) -> BTreeMap<String, String> {
    call.labels()
        .iter()
        .map(|label| (label.key.clone(), label.value.clone()))
        .collect()
}

fn read<S>(path: &str, call: &Call<'_, S>) -> Result<Thing, Error> {
    let id = call.provider_id()?;
    api(call).get(&["v1", path, id]).send()?.json()
}

/// By name: the provider shows an object as soon as it has taken it.
pub(crate) fn find(path: &str, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
    let things: Things = api(call)
        .get(&["v1", path])
        .query("name", call.name())
        .send()?
        .json()?;
    let found = things.items.into_iter().next();
    Ok(found.map(|thing| observed(thing, Some(call.spec()))))
}

pub(crate) fn observe(path: &str, call: &Call<'_, Spec>) -> Seen {
    Ok(observed(read(path, call)?, Some(call.spec())))
}

pub(crate) fn create(path: &str, call: &Call<'_, Spec>) -> Seen {
    let spec = call.spec();
    let body = json!({
        "name": call.name(), "size": spec.size, "site": spec.site, "labels": labels(call),
    });
    let made: Thing = api(call).post(&["v1", path]).body(&body).send()?.json()?;
    Ok(observed(made, Some(spec)))
}

pub(crate) fn update(path: &str, call: &Call<'_, Spec>) -> Seen {
    let id = call.provider_id()?;
    let changed: Thing = api(call)
        .patch(&["v1", path, id])
        .body(&json!({"size": call.spec().size}))
        .send()?
        .json()?;
    Ok(observed(changed, Some(call.spec())))
}

pub(crate) fn delete(path: &str, call: &Call<'_, Spec>) -> Result<(), Error> {
    let id = call.provider_id()?;
    api(call).delete(&["v1", path, id]).send().map(drop)
}

pub(crate) fn list(path: &str, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
    let mut request = Api::new(listing.host(), ORIGIN).get(&["v1", path]);
    if let Some(after) = listing.cursor {
        request = request.query("after", after);
    }
    let things: Things = request.send()?.json()?;
    Ok(Listed {
        items: things
            .items
            .into_iter()
            .map(|thing| observed(thing, None))
            .collect(),
        next: things.next,
    })
}

fn relabel(
    path: &str,
    call: &Call<'_, ()>,
    labels: &BTreeMap<String, String>,
) -> Result<Thing, Error> {
    let id = call.provider_id()?;
    api(call)
        .put(&["v1", path, id, "labels"])
        .body(&json!({"labels": labels}))
        .send()?
        .json()
}

/// What else is on it stays.
pub(crate) fn label(path: &str, call: &Call<'_, ()>) -> Seen {
    let mut all = read(path, call)?.labels;
    all.extend(labels(call));
    Ok(observed(relabel(path, call, &all)?, None))
}

/// The mark of the deployment goes last: as long as it is there the object is ours.
pub(crate) fn unlabel(path: &str, call: &Call<'_, ()>) -> Result<(), Error> {
    const MANAGED: &str = "better-compute-managed";
    let mut all = read(path, call)?.labels;
    let ours = labels(call);
    all.retain(|key, _| key == MANAGED || !ours.contains_key(key));
    relabel(path, call, &all)?;
    all.remove(MANAGED);
    relabel(path, call, &all).map(drop)
}
