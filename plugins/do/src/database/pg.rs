//! `do.database.pg`: a managed PostgreSQL cluster, owned by its tags.
//!
//! Size, nodes, storage, region and version are compared with what the provider shows, since its
//! status may say `online` for seconds after a change was asked for. Settings that it does not show
//! are remembered in the memo by their digest.

mod change;
mod describe;
mod memo;
mod observe;
mod wire;

use berth_sdk::answers::judge;
use berth_sdk::labels::TagAlphabet;
use berth_sdk::types::{Checked, Error, FieldError, Kind as KindEntry, MeterRate};
use berth_sdk::{Call, Check, Kind, Listed, Listing, Observed, manifest};

use self::memo::Memo;
use self::wire::{Cluster, ClusterAnswer, Clusters};
use super::NODE_HOURS;
use crate::api::api;
use crate::spec::pg::{RuleSource, Spec};
use crate::tags;

/// What tags call a cluster.
const RESOURCE_TYPE: &str = "database";

/// The kind.
pub(crate) struct Pg;

impl Kind for Pg {
    const ID: &'static str = "do.database.pg";
    type Spec = Spec;
    type Outputs = wire::Outputs;

    fn describe(&self) -> KindEntry {
        describe::kind()
    }

    fn check(&self, check: &Check<'_, Spec>) -> Result<Checked, Error> {
        let spec = &check.spec;
        let mut errors = Vec::new();
        for (index, tag) in spec.tags.iter().flatten().enumerate() {
            if TagAlphabet::reserved(tag) {
                errors.push(FieldError {
                    field: format!("/tags/{index}"),
                    message: "tags that start with better-compute- are the host's: choose another"
                        .to_owned(),
                });
            }
        }
        if spec.network.is_some() && spec.private_network_uuid.is_some() {
            errors.push(FieldError {
                field: "/private_network_uuid".to_owned(),
                message: "a cluster lives in one network: give network or private_network_uuid"
                    .to_owned(),
            });
        }
        for setting in spec.config.iter().flatten() {
            if !is_setting(setting) {
                errors.push(FieldError {
                    field: "/config".to_owned(),
                    message: "a setting has a name of letters, digits, _ and . and a value that is no list or null"
                        .to_owned(),
                });
            }
        }
        judge(errors)?;
        // Sources other than addresses are ids and tags of the whole account.
        let account_wide = spec
            .rules
            .iter()
            .flatten()
            .enumerate()
            .filter(|(_, rule)| rule.source != RuleSource::IpAddr)
            .map(|(index, _)| format!("/rules/{index}/value"))
            .collect();
        Ok(Checked {
            account_wide,
            meters: vec![MeterRate {
                name: NODE_HOURS.to_owned(),
                rate: u64::from(spec.num_nodes),
            }],
            ..manifest::checked()
        })
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Self::Outputs>>, Error> {
        let tag = tags::of_row(call.labels())?;
        let tagged = api(call.host())
            .get(&["v2", "databases"])
            .query("tag_name", &tag)
            .send()
            .and_then(|answer| answer.json::<Clusters>());
        let tagged = match tagged {
            Ok(clusters) => clusters.postgres().next(),
            Err(Error::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        // The tag may come later than the cluster, so absence is certain only by the name.
        let found = match tagged {
            Some(cluster) => Some(cluster),
            None => clusters(call.host())?
                .postgres()
                .find(|cluster| cluster.name == call.name()),
        };
        Ok(found.map(|cluster| observe::observed(&cluster, call).without_secrets()))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Self::Outputs>, Error> {
        let cluster = read(call)?;
        Ok(observe::observed(&cluster, call))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Self::Outputs>, Error> {
        let body = wire::CreateBody::new(call)?;
        let answer: ClusterAnswer = api(call.host())
            .post(&["v2", "databases"])
            .body(&body)
            .send()?
            .json()?;
        let memo = Memo::created(call);
        Ok(observe::with_memo(&answer.database, call, memo))
    }

    fn update(
        &self,
        call: &Call<'_, Spec>,
        fields: &[String],
    ) -> Result<Observed<Self::Outputs>, Error> {
        change::apply(call, fields)
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        match api(call.host())
            .delete(&["v2", "databases", call.provider_id()?])
            .send()
        {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Self::Outputs>, Error> {
        // The API gives the whole list in one answer.
        let items = clusters(listing.host())?
            .postgres()
            .map(|cluster| observe::listed(&cluster, listing.account.shared))
            .collect();
        Ok(Listed { items, next: None })
    }

    fn look(&self, call: &Call<'_, ()>) -> Result<Observed<Self::Outputs>, Error> {
        Ok(observe::unwanted(&read(call)?, call))
    }

    fn label(&self, call: &Call<'_, ()>) -> Result<Observed<Self::Outputs>, Error> {
        let id = call.provider_id()?;
        let carried = read(call)?;
        tags::put_on(
            &api(call.host()),
            call.labels(),
            carried.tags(),
            RESOURCE_TYPE,
            id,
        )?;
        self.look(call)
    }

    fn unlabel(&self, call: &Call<'_, ()>) -> Result<(), Error> {
        tags::take_off(
            &api(call.host()),
            call.labels(),
            RESOURCE_TYPE,
            call.provider_id()?,
        )
    }
}

fn read<S>(call: &Call<'_, S>) -> Result<Cluster, Error> {
    let id = call.provider_id()?;
    let answer: ClusterAnswer = api(call.host())
        .get(&["v2", "databases", id])
        .send()?
        .json()?;
    let cluster = answer.database;
    if cluster.is_postgres() {
        Ok(cluster)
    } else {
        Err(Error::NotFound(format!(
            "the cluster {id} is not a PostgreSQL cluster"
        )))
    }
}

fn clusters(host: &dyn berth_sdk::Host) -> Result<Clusters, Error> {
    api(host).get(&["v2", "databases"]).send()?.json()
}

fn is_setting((name, value): (&String, &serde_json::Value)) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        && !value.is_null()
        && !value.is_array()
}
