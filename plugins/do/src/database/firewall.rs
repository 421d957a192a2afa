//! `do.database.firewall`: who may connect to a cluster.
//!
//! It is a setting of the cluster and no object: it is written whole, and taken away by writing none,
//! which opens the cluster to everyone. Each source that is written bears the resource's name as its
//! description, so that what a lost answer did can be found.

mod sources;

use berth_sdk::answers::{invalid, judge};
use berth_sdk::manifest::{get, kind, names, outputs, write};
use berth_sdk::types::{
    Checked, Error, Family, FieldError, Kind as KindEntry, Operation, Ownership, Phase,
};
use berth_sdk::{Call, Check, Kind, Listed, Listing, Observed, manifest, schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::sources::{MOST, Memo, Source};
use super::child::waiting;
use super::pg::Pg;
use crate::api::{UUID, api};
use crate::spec::firewall::Spec;

/// The kind.
pub(crate) struct Firewall;

/// Fields of the spec; they are written together.
const FIELDS: [&str; 6] = [
    "addresses",
    "instances",
    "tags",
    "droplets",
    "kubernetes",
    "apps",
];

#[derive(Debug, Deserialize)]
struct Rules {
    rules: Option<Vec<Source>>,
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    sources: Vec<Value>,
}

impl Kind for Firewall {
    const ID: &'static str = "do.database.firewall";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        let firewall = "/v2/databases/{parent}/firewall";
        KindEntry {
            outputs: outputs(&[("sources", "Who may connect, as the provider shows it")]),
            updatable: names(&FIELDS),
            parents: names(&[Pg::ID]),
            singleton: true,
            ends_with_parent: true,
            ownership: Ownership::Parent,
            // Our name; in a list also the id of a cluster whose sources are not ours.
            id_pattern: format!("bc-r-[0-9a-z]{{24}}|{UUID}"),
            reads: vec![get(firewall)],
            writes: vec![
                write(Operation::Create, "PUT", firewall),
                write(Operation::Update, "PUT", firewall),
                write(Operation::Delete, "PUT", firewall),
            ],
            ..kind(
                Self::ID,
                "Trusted sources of a database cluster (deleting them opens it to everyone)",
                Family::Data,
                schema!("do.database.firewall"),
            )
        }
    }

    fn check(&self, check: &Check<'_, Spec>) -> Result<Checked, Error> {
        let spec = &check.spec;
        let mut errors = sources::unusable(spec);
        let count = sources::count(spec);
        if !(1..=MOST).contains(&count) {
            errors.push(FieldError {
                field: String::new(),
                message: format!(
                    "names {count} sources; a firewall has 1 to {MOST}: without any, everyone may connect"
                ),
            });
        }
        judge(errors)?;
        Ok(manifest::checked())
    }

    /// What was written without an answer bears our name. What does not is another's, or was there
    /// from the cluster's beginning, and a create replaces it.
    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        let shown = match read(call) {
            Ok(shown) => shown,
            Err(Error::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_ours = shown.iter().any(|source| source.bears(call.name()));
        Ok(is_ours.then(|| observed(&shown, call, &Memo::of(call))))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let shown = read(call)?;
        if shown.is_empty() {
            return Err(Error::NotFound(
                "the cluster has no trusted sources: everyone may connect".to_owned(),
            ));
        }
        Ok(observed(&shown, call, &Memo::of(call)))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        replace(call)
    }

    fn update(&self, call: &Call<'_, Spec>, _: &[String]) -> Result<Observed<Outputs>, Error> {
        replace(call)
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        match put(call, &[]) {
            Ok(()) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let cluster = &listing.parent()?.provider_id;
        let answer: Rules = api(listing.host())
            .get(&["v2", "databases", cluster, "firewall"])
            .send()?
            .json()?;
        let shown = answer.rules.unwrap_or_default();
        let id = shown.iter().find_map(Source::mark).unwrap_or(cluster);
        let items = if shown.is_empty() {
            Vec::new()
        } else {
            vec![Observed::new(id, Phase::Ready, outputs_of(&shown))]
        };
        Ok(Listed { items, next: None })
    }
}

fn read(call: &Call<'_, Spec>) -> Result<Vec<Source>, Error> {
    let answer: Rules = api(call.host())
        .get(&["v2", "databases", &call.parent()?.provider_id, "firewall"])
        .send()?
        .json()?;
    Ok(answer.rules.unwrap_or_default())
}

fn put(call: &Call<'_, Spec>, sources: &[Source]) -> Result<(), Error> {
    api(call.host())
        .put(&["v2", "databases", &call.parent()?.provider_id, "firewall"])
        .body(&json!({"rules": sources}))
        .send()
        .map(drop)
}

/// Writes all sources of the spec. The answer to it is empty.
fn replace(call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
    let sources = sources::wanted(call);
    if sources.is_empty() {
        return Err(invalid(
            "/instances",
            "none of these instances is there any more, and a firewall without sources opens the cluster to everyone: name other sources",
        ));
    }
    put(call, &sources).map_err(waiting)?;
    Ok(observed(&sources, call, &Memo::written(call)))
}

fn observed(shown: &[Source], call: &Call<'_, Spec>, memo: &Memo) -> Observed<Outputs> {
    let mut observed = Observed::new(call.name(), Phase::Ready, outputs_of(shown));
    observed.name = Some(call.name().to_owned());
    observed.spec = Some(sources::reported(shown, call, memo));
    observed.pending = memo.pending(call);
    observed.memo = Some(json!(memo));
    observed
}

fn outputs_of(shown: &[Source]) -> Outputs {
    Outputs {
        sources: shown.iter().map(Source::output).collect(),
    }
}
