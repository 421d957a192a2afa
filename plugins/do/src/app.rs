//! `do.app`: an app on App Platform, owned by its name.
//!
//! An app has no state of its own: it is as far as its deployment is. Its spec is replaced as a
//! whole by an update, and comes back with secrets encrypted, so what was applied is remembered by
//! digests of the spec's fields and never compared with what the API shows.

mod check;
mod deployment;
mod describe;
mod memo;
mod observe;
mod spec;
mod wire;

use berth_sdk::http::Api;
use berth_sdk::paging::{self, Chunk};
use berth_sdk::types::{Checked, Error, Kind as KindEntry};
use berth_sdk::{Call, Check, Kind, Listed, Listing, Observed};
use serde_json::{Map, Value, json};

use self::memo::Memo;
use self::spec::Spec;
use self::wire::{AppAnswer, Apps};
use crate::api::{PER_PAGE, api};

/// The kind.
pub(crate) struct App;

/// Fields that an update replaces. The region is where the app was made, and the project is not the app's.
const UPDATABLE: [&str; 14] = [
    "services",
    "static_sites",
    "workers",
    "jobs",
    "functions",
    "databases",
    "domains",
    "ingress",
    "egress",
    "maintenance",
    "vpc",
    "disable_edge_cache",
    "disable_email_obfuscation",
    "enhanced_threat_control_enabled",
];

impl Kind for App {
    const ID: &'static str = "do.app";
    type Spec = Spec;
    type Outputs = wire::Outputs;

    fn describe(&self) -> KindEntry {
        describe::kind()
    }

    fn check(&self, check: &Check<'_, Spec>) -> Result<Checked, Error> {
        check::check(&check.spec)
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Self::Outputs>>, Error> {
        let api = api(call.host());
        let apps = paging::walk(
            PER_PAGE,
            |app: &wire::App| app.id.clone(),
            |page| read_page(&api, page),
        )?;
        Ok(apps
            .into_iter()
            .find(|app| app.name() == Some(call.name()))
            .map(|app| observe::found(&app, call, &Memo::of(call, &app))))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Self::Outputs>, Error> {
        let app = read(call)?;
        let memo = Memo::of(call, &app);
        observe::observed(&app, call, memo)
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Self::Outputs>, Error> {
        let mut body = json!({"spec": call.spec().of_app(call.name())});
        if let Some(project) = call.spec().project_id() {
            body["project_id"] = json!(project);
        }
        let answer: AppAnswer = api(call.host())
            .post(&["v2", "apps"])
            .body(&body)
            .send()?
            .json()?;
        let memo = Memo::written(call, &UPDATABLE, None, &answer.app, None);
        Ok(observe::written(&answer.app, call, &memo))
    }

    fn update(
        &self,
        call: &Call<'_, Spec>,
        fields: &[String],
    ) -> Result<Observed<Self::Outputs>, Error> {
        let app = read(call)?;
        let remembered = Memo::of(call, &app);
        let fields: Vec<&str> = UPDATABLE
            .into_iter()
            .filter(|field| fields.iter().any(|wanted| wanted == field))
            .collect();
        if fields.is_empty() {
            return observe::observed(&app, call, remembered);
        }
        let spec = replaced(&app, &call.spec().of_app(call.name()), &fields);
        let before = app.newest_deployment();
        let answer: AppAnswer = api(call.host())
            .put(&["v2", "apps", call.provider_id()?])
            .body(&json!({"spec": spec}))
            .send()?
            .json()?;
        let memo = Memo::written(call, &fields, Some(remembered), &answer.app, before);
        Ok(observe::written(&answer.app, call, &memo))
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        match api(call.host())
            .delete(&["v2", "apps", call.provider_id()?])
            .send()
        {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Self::Outputs>, Error> {
        let page = paging::page_of(listing.cursor)?;
        let chunk = read_page(&api(listing.host()), page)?;
        let next = paging::next(page, PER_PAGE, chunk.items.len(), chunk.total);
        let items = chunk.items.iter().map(observe::listed).collect();
        Ok(Listed { items, next })
    }
}

fn read(call: &Call<'_, Spec>) -> Result<wire::App, Error> {
    let answer: AppAnswer = api(call.host())
        .get(&["v2", "apps", call.provider_id()?])
        .send()?
        .json()?;
    Ok(answer.app)
}

fn read_page(api: &Api<'_>, page: u32) -> Result<Chunk<wire::App>, Error> {
    let apps: Apps = api
        .get(&["v2", "apps"])
        .query("page", &page.to_string())
        .query("per_page", &PER_PAGE.to_string())
        .send()?
        .json()?;
    Ok(Chunk {
        items: apps.apps.unwrap_or_default(),
        total: apps.meta.unwrap_or_default().total,
    })
}

/// The app's spec with these fields as wanted. All others go back as they came, encrypted secrets
/// included, which the API knows again.
fn replaced(app: &wire::App, wanted: &Map<String, Value>, fields: &[&str]) -> Map<String, Value> {
    let mut spec = app.spec.clone();
    for field in fields {
        match wanted.get(*field) {
            Some(value) => {
                spec.insert((*field).to_owned(), value.clone());
            }
            None => {
                spec.remove(*field);
            }
        }
    }
    spec
}
