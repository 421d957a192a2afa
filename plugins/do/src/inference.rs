//! `do.inference.dedicated`: a model on GPUs of its own, owned by its name.
//!
//! Its access token is handed out once, in the answer to the create. Updates replace its spec and are
//! taken one at a time; what was asked for is remembered until it shows.

mod describe;
mod wire;

use berth_sdk::http::Api;
use berth_sdk::paging::{self, Chunk};
use berth_sdk::types::{Checked, Error, Kind as KindEntry, Phase};
use berth_sdk::{Call, Check, Kind, Listed, Listing, Observed, digest, polling};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::wire::{Created, Endpoint, EndpointAnswer, Endpoints, Outputs};
use crate::accepted::Accepted;
use crate::api::{PER_PAGE, api};
use crate::spec::inference::Spec;
use crate::{named, network};

/// The kind.
pub(crate) struct Dedicated;

/// The one change.
const DEPLOY: &str = "deploy";
/// Fields that it applies and that the API shows.
const SHOWN: [&str; 3] = ["model_slug", "accelerator_slug", "replicas"];
/// One that it applies and that the API keeps to itself.
const TOKEN: &str = "hugging_face_token";
/// A field that is the host's alone: quota is held for it.
const HELD: &str = "maxReplicas";

/// Endpoints that a list shows without their names, and that are read one by one to find one: the most.
const UNNAMED: usize = 50;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Memo {
    /// When the endpoint was asked for, or first seen.
    since: u64,
    #[serde(default)]
    asked: Accepted,
    /// Digest of the reference to the token that was sent last.
    token: Option<String>,
}

impl Memo {
    fn of(call: &Call<'_, Spec>) -> Self {
        call.memo().unwrap_or_else(|| Self {
            since: call.now(),
            ..Self::default()
        })
    }
}

impl Kind for Dedicated {
    const ID: &'static str = "do.inference.dedicated";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        describe::kind()
    }

    fn check(&self, check: &Check<'_, Spec>) -> Result<Checked, Error> {
        describe::check(&check.spec)
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        let api = api(call.host());
        let all = paging::walk(
            PER_PAGE,
            |endpoint: &Endpoint| endpoint.id.clone(),
            |page| read_page(&api, page),
        )?;
        let unnamed: Vec<String> = all
            .iter()
            .filter(|endpoint| endpoint.name().is_none())
            .map(|endpoint| endpoint.id.clone())
            .collect();
        if let Some(endpoint) = all.iter().find(|found| found.name() == Some(call.name())) {
            return Ok(Some(observed(endpoint, call, Memo::of(call))));
        }
        if unnamed.len() > UNNAMED {
            return Err(Error::Failed(format!(
                "the provider lists {} endpoints without their names: more than the {UNNAMED} that this plugin reads one by one",
                unnamed.len()
            )));
        }
        for id in unnamed {
            match read(&api, &id) {
                Ok(endpoint) if endpoint.name() == Some(call.name()) => {
                    return Ok(Some(observed(&endpoint, call, Memo::of(call))));
                }
                Ok(_) | Err(Error::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let endpoint = read(&api(call.host()), call.provider_id()?)?;
        named::told(observed(&endpoint, call, Memo::of(call)))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let spec = call.spec();
        let network = network::part_in(call, spec.network.as_deref(), &spec.region)?;
        let body = with_token(
            json!({"spec": {
                "version": 1,
                "name": call.name(),
                "region": spec.region,
                "vpc": {"uuid": network.or(spec.vpc_uuid.as_deref())},
                "enable_public_endpoint": spec.enable_public_endpoint.unwrap_or_default(),
                "model_deployments": [wire::deployment(spec, None)]
            }}),
            spec,
        );
        let created: Created = api(call.host())
            .post(&["v2", "dedicated-inferences"])
            .body(&body)
            .send()?
            .json()?;
        let memo = Memo {
            since: call.now(),
            token: token(spec),
            ..Memo::default()
        };
        let observed = observed(&created.dedicated_inference, call, memo);
        let mut observed = named::created(observed, call.name());
        let token = created.token.and_then(|token| token.value);
        observed.secret("token", token.as_deref());
        Ok(observed)
    }

    fn update(&self, call: &Call<'_, Spec>, fields: &[String]) -> Result<Observed<Outputs>, Error> {
        let api = api(call.host());
        let id = call.provider_id()?;
        let endpoint = read(&api, id)?;
        let mut memo = Memo::of(call);
        let spec = call.spec();
        let asked_for = |field: &str| fields.iter().any(|asked| asked == field);
        let is_open = endpoint.open(spec).into_iter().any(asked_for) || asked_for(TOKEN);
        let target = target(spec);
        let is_due = is_open && !memo.asked.is_under_way(DEPLOY, &target, call.now());
        if !is_due || !endpoint.is_settled() {
            return named::told(observed(&endpoint, call, memo));
        }
        let Some(body) = endpoint.changed(spec) else {
            return Err(Error::Unavailable(
                "the provider shows the endpoint without its spec, which an update replaces"
                    .to_owned(),
            ));
        };
        let answer: EndpointAnswer = api
            .patch(&["v2", "dedicated-inferences", id])
            .body(&with_token(json!({"spec": body}), spec))
            .send()?
            .json()?;
        memo.asked.note(DEPLOY, target, call.now());
        memo.token = token(spec);
        named::told(observed(&answer.dedicated_inference, call, memo))
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        match api(call.host())
            .delete(&["v2", "dedicated-inferences", call.provider_id()?])
            .send()
        {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let page = paging::page_of(listing.cursor)?;
        let chunk = read_page(&api(listing.host()), page)?;
        let next = paging::next(page, PER_PAGE, chunk.items.len(), chunk.total);
        let shared = listing.account.shared;
        let items = named::all_told(chunk.items.iter().map(|endpoint| bare(endpoint, !shared)));
        Ok(Listed { items, next })
    }
}

fn read(api: &Api<'_>, id: &str) -> Result<Endpoint, Error> {
    let answer: EndpointAnswer = api
        .get(&["v2", "dedicated-inferences", id])
        .send()?
        .json()?;
    Ok(answer.dedicated_inference)
}

fn read_page(api: &Api<'_>, page: u32) -> Result<Chunk<Endpoint>, Error> {
    let endpoints: Endpoints = api
        .get(&["v2", "dedicated-inferences"])
        .query("page", &page.to_string())
        .query("per_page", &PER_PAGE.to_string())
        .send()?
        .json()?;
    Ok(Chunk {
        items: endpoints.dedicated_inferences.unwrap_or_default(),
        total: endpoints.meta.unwrap_or_default().total,
    })
}

fn with_token(mut body: Value, spec: &Spec) -> Value {
    if let Some(token) = &spec.hugging_face_token {
        body["access_tokens"] = json!({TOKEN: token});
    }
    body
}

fn token(spec: &Spec) -> Option<String> {
    spec.hugging_face_token.as_ref().map(digest::of)
}

fn target(spec: &Spec) -> String {
    digest::of(&(
        &spec.model_slug,
        &spec.accelerator_slug,
        wire::replicas(spec),
        token(spec),
    ))
}

fn observed(endpoint: &Endpoint, call: &Call<'_, Spec>, mut memo: Memo) -> Observed<Outputs> {
    let spec = call.spec();
    let now = call.now();
    let open = endpoint.open(spec);
    // The answer to an update may show the old spec, as active; a token never shows.
    let under_way = !open.is_empty() && memo.asked.is_under_way(DEPLOY, &target(spec), now);
    let since = memo.asked.newest(memo.since);
    if open.is_empty() {
        memo.asked.forget(DEPLOY);
    }
    let mut observed = bare(endpoint, !call.account().shared || spec.vpc_uuid.is_some());
    observed.pending = open.into_iter().map(str::to_owned).collect();
    if spec.hugging_face_token.is_some() && memo.token != token(spec) {
        observed.pending.push(TOKEN.to_owned());
    }
    if under_way && matches!(observed.phase, Phase::Ready) {
        observed.phase = Phase::Converging;
    }
    if matches!(observed.phase, Phase::Converging) {
        observed.poll_after = Some(polling::after(since, now));
    }
    observed.memo = Some(json!(memo));
    observed
}

fn bare(endpoint: &Endpoint, shows_vpc: bool) -> Observed<Outputs> {
    let phase = match endpoint.status.as_deref() {
        Some("error") => Phase::Failed("the endpoint is in error at the provider".to_owned()),
        _ if endpoint.is_settled() => Phase::Ready,
        // new, provisioning, updating, deleting, and whatever comes to be.
        _ => Phase::Converging,
    };
    let mut observed = Observed::new(&endpoint.id, phase, Outputs::of(endpoint, shows_vpc));
    observed.name = endpoint.name().map(str::to_owned);
    let mut spec = Map::new();
    for (field, value) in endpoint.shown() {
        if !value.is_null() && (shows_vpc || field != "vpc_uuid") {
            spec.insert(field.to_owned(), value);
        }
    }
    observed.spec = Some(Value::Object(spec));
    observed
}
