//! `GET /v2/1-clicks`: applications that can be installed, unpaged.
//!
//! How many there are is a setting; a test can add others, odd ones included.

use std::sync::Arc;

use axum::extract::State;
use http::{StatusCode, Uri};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::OneClicks;
use crate::controls::Controls;
use crate::error::{Answer, ApiError, json as answer};
use crate::query;
use crate::world::Shared;

/// What a 1-Click application installs on, in the provider's words.
const TYPES: [&str; 2] = ["droplet", "kubernetes"];

/// Slugs of the first ones; the others are numbered.
const DROPLET: [&str; 12] = [
    "docker-20-04",
    "wordpress-20-04",
    "lamp-20-04",
    "lemp-20-04",
    "nodejs-20-04",
    "mongodb-20-04",
    "ghost-20-04",
    "grafana-20-04",
    "jenkins-20-04",
    "nextcloud-20-04",
    "openvpn-20-04",
    "plesk-20-04",
];
const KUBERNETES: [&str; 8] = [
    "monitoring",
    "ingress-nginx",
    "cert-manager",
    "loki",
    "metrics-server",
    "argocd",
    "traefik",
    "velero",
];

/// An application that a test added.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlantedOneClick {
    slug: String,
    installs_on: String,
}

/// The applications of one type that the settings ask for.
fn of_type(name: &'static str, known: &'static [&'static str], count: usize) -> Vec<Value> {
    (0..count)
        .map(|place| match known.get(place) {
            Some(slug) => json!({"slug": slug, "type": name}),
            None => json!({"slug": format!("{name}-app-{place:04}"), "type": name}),
        })
        .collect()
}

fn all(settings: &OneClicks, planted: &[PlantedOneClick]) -> Vec<Value> {
    let mut all = of_type("droplet", &DROPLET, settings.droplet);
    all.extend(of_type("kubernetes", &KUBERNETES, settings.kubernetes));
    let planted = planted
        .iter()
        .map(|one| json!({"slug": one.slug, "type": one.installs_on}));
    all.extend(planted);
    all
}

/// `GET /v2/1-clicks`, optionally those of one type.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, uri: Uri) -> Answer {
    let wanted = query::get(&uri, "type");
    if let Some(name) = &wanted
        && !TYPES.contains(&name.as_str())
    {
        return Err(ApiError::bad_request(format!(
            "`type` is `{name}`; it must be droplet or kubernetes"
        )));
    }
    let world = shared.world();
    let mut apps = all(&world.config.one_clicks, &world.one_clicks);
    if let Some(name) = wanted {
        apps.retain(|app| app["type"] == *name);
    }
    Ok(answer(StatusCode::OK, &json!({"1_clicks": apps})))
}

impl Controls {
    /// Adds a 1-Click application, whatever its slug and type.
    pub fn plant_one_click(&self, slug: &str, installs_on: &str) {
        self.shared.world().one_clicks.push(PlantedOneClick {
            slug: slug.to_owned(),
            installs_on: installs_on.to_owned(),
        });
    }
}
