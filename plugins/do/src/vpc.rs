//! `do.vpc`: a private network, owned by its name.
//!
//! Its description could hold labels, but people edit descriptions, and the tenant's own would lose
//! its room.

use berth_sdk::http::Api;
use berth_sdk::manifest::{get, kind, names, outputs, write};
use berth_sdk::paging::{self, Chunk};
use berth_sdk::types::{Error, Family, Kind as KindEntry, Operation, Ownership, Phase};
use berth_sdk::{Call, Kind, Listed, Listing, Observed, schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::api::{Meta, PER_PAGE, UUID, api};
use crate::spec::vpc::Spec;

/// The kind.
pub(crate) struct Vpc;

#[derive(Debug, Deserialize)]
struct VpcAnswer {
    vpc: Found,
}

#[derive(Debug, Deserialize)]
struct Vpcs {
    vpcs: Option<Vec<Found>>,
    meta: Option<Meta>,
}

#[derive(Debug, Deserialize)]
struct Found {
    id: String,
    name: String,
    region: Option<String>,
    ip_range: Option<String>,
    description: Option<String>,
    urn: Option<String>,
    default: Option<bool>,
    created_at: Option<String>,
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    urn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ip_range: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
}

impl Kind for Vpc {
    const ID: &'static str = "do.vpc";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        KindEntry {
            outputs: outputs(&[
                ("id", "The provider's id of the network"),
                ("urn", "Uniform resource name at the provider"),
                ("region", "Data centre"),
                ("ip_range", "Range of addresses"),
                ("default", "Whether it is the data centre's default"),
                ("created_at", "Time of creation"),
            ]),
            regional: true,
            updatable: names(&["description"]),
            ownership: Ownership::Name,
            lists_whole: true,
            id_pattern: UUID.to_owned(),
            reads: vec![get("/v2/vpcs/{id}"), get("/v2/vpcs")],
            writes: vec![
                write(Operation::Create, "POST", "/v2/vpcs"),
                write(Operation::Update, "PATCH", "/v2/vpcs/{id}"),
                write(Operation::Delete, "DELETE", "/v2/vpcs/{id}"),
            ],
            ..kind(
                Self::ID,
                "Private network",
                Family::Network,
                schema!("do.vpc"),
            )
        }
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        let api = api(call.host());
        let all = paging::walk(
            PER_PAGE,
            |vpc: &Found| vpc.id.clone(),
            |page| read_page(&api, page),
        )?;
        Ok(all
            .into_iter()
            .find(|vpc| vpc.name == call.name())
            .map(|vpc| observed(vpc, call)))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        Ok(observed(read(call)?, call))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let spec = call.spec();
        let mut body = json!({"name": call.name(), "region": spec.region});
        if let Some(range) = &spec.ip_range {
            body["ip_range"] = json!(range);
        }
        if let Some(description) = &spec.description {
            body["description"] = json!(description);
        }
        let answer: VpcAnswer = api(call.host())
            .post(&["v2", "vpcs"])
            .body(&body)
            .send()?
            .json()?;
        Ok(observed(answer.vpc, call))
    }

    fn update(&self, call: &Call<'_, Spec>, fields: &[String]) -> Result<Observed<Outputs>, Error> {
        if !fields.iter().any(|field| field == "description") {
            return self.observe(call);
        }
        let description = call.spec().description.as_deref().unwrap_or_default();
        let answer: VpcAnswer = api(call.host())
            .patch(&["v2", "vpcs", call.provider_id()?])
            .body(&json!({"description": description}))
            .send()?
            .json()?;
        Ok(observed(answer.vpc, call))
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        let deleted = api(call.host())
            .delete(&["v2", "vpcs", call.provider_id()?])
            .send();
        match deleted {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            // The API says the same of members, which leave, and of a default, which stays.
            Err(Error::Busy(retry)) => match read(call) {
                Ok(vpc) if vpc.default == Some(true) => Err(Error::Failed(
                    "it is the default network of its data centre, which the provider never deletes: make another one the default there first"
                        .to_owned(),
                )),
                _ => Err(Error::Busy(retry)),
            },
            Err(error) => Err(error),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let page = paging::page_of(listing.cursor)?;
        let chunk = read_page(&api(listing.host()), page)?;
        let next = paging::next(page, PER_PAGE, chunk.items.len(), chunk.total);
        let items = chunk.items.into_iter().map(bare).collect();
        Ok(Listed { items, next })
    }
}

fn read(call: &Call<'_, Spec>) -> Result<Found, Error> {
    let answer: VpcAnswer = api(call.host())
        .get(&["v2", "vpcs", call.provider_id()?])
        .send()?
        .json()?;
    Ok(answer.vpc)
}

fn read_page(api: &Api<'_>, page: u32) -> Result<Chunk<Found>, Error> {
    let vpcs: Vpcs = api
        .get(&["v2", "vpcs"])
        .query("page", &page.to_string())
        .query("per_page", &PER_PAGE.to_string())
        .send()?
        .json()?;
    Ok(Chunk {
        items: vpcs.vpcs.unwrap_or_default(),
        total: vpcs.meta.unwrap_or_default().total,
    })
}

fn bare(vpc: Found) -> Observed<Outputs> {
    let mut spec = Map::new();
    for (field, value) in [
        ("region", &vpc.region),
        ("ip_range", &vpc.ip_range),
        ("description", &vpc.description),
    ] {
        if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
            spec.insert(field.to_owned(), json!(value));
        }
    }
    // A network has no states: it is there or not.
    let mut observed = Observed::new(
        &vpc.id,
        Phase::Ready,
        Outputs {
            id: vpc.id.clone(),
            urn: vpc.urn,
            region: vpc.region,
            ip_range: vpc.ip_range,
            default: vpc.default,
            created_at: vpc.created_at,
        },
    );
    observed.name = Some(vpc.name);
    observed.spec = Some(spec.into());
    observed
}

fn observed(vpc: Found, call: &Call<'_, Spec>) -> Observed<Outputs> {
    let shown = vpc.description.clone().unwrap_or_default();
    let is_open = call
        .spec()
        .description
        .as_ref()
        .is_some_and(|wanted| *wanted != shown);
    let mut observed = bare(vpc);
    if is_open {
        observed.pending = vec!["description".to_owned()];
    }
    observed
}
