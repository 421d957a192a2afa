//! Controls of networks, of what lives in a cluster, and of the catalog.

use axum::extract::{Path, State};
use axum::routing::{delete, get, patch, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;

use super::{Body, Done, Hide, done};
use crate::controls::Controls;
use crate::droplets::PlantedDroplet;
use crate::vpcs::{PlantedVpc, VpcDrift};

pub(super) fn router() -> Router<Controls> {
    Router::new()
        .route("/clusters/{id}/pools", post(plant_pool))
        .route("/clusters/{id}/pools/{name}", delete(vanish_pool))
        .route("/clusters/{id}/pools/{name}/hide", post(hide_pool))
        .route("/clusters/{id}/replicas", post(plant_replica))
        .route("/vpcs", post(plant_vpc))
        .route("/vpcs/{id}", patch(drift_vpc))
        .route("/vpcs/defaults/{region}", get(default_vpc))
        .route("/droplets", post(plant_droplet))
        .route("/1-clicks", post(plant_one_click))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

async fn plant_pool(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(planted): Body<Named>,
) -> Done {
    controls.plant_pool(&id, &planted.name)?;
    done()
}

async fn vanish_pool(
    State(controls): State<Controls>,
    Path((id, name)): Path<(String, String)>,
) -> Done {
    controls.vanish_pool(&id, &name)?;
    done()
}

async fn hide_pool(
    State(controls): State<Controls>,
    Path((id, name)): Path<(String, String)>,
    Body(wanted): Body<Hide>,
) -> Done {
    controls.hide_pool(&id, &name, wanted.reads, wanted.in_lists)?;
    done()
}

async fn plant_replica(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(planted): Body<Named>,
) -> Done {
    let id = controls.plant_replica(&id, &planted.name)?;
    Ok(Json(json!({"id": id})))
}

async fn plant_vpc(State(controls): State<Controls>, Body(planted): Body<PlantedVpc>) -> Done {
    Ok(Json(json!({"id": controls.plant_vpc(planted)?})))
}

async fn drift_vpc(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(drift): Body<VpcDrift>,
) -> Done {
    controls.drift_vpc(&id, drift)?;
    done()
}

async fn default_vpc(State(controls): State<Controls>, Path(region): Path<String>) -> Done {
    Ok(Json(json!({"id": controls.default_vpc(&region)})))
}

async fn plant_droplet(
    State(controls): State<Controls>,
    Body(planted): Body<PlantedDroplet>,
) -> Done {
    Ok(Json(json!({"id": controls.plant_droplet(planted)?})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneClick {
    slug: String,
    #[serde(rename = "type")]
    installs_on: String,
}

async fn plant_one_click(State(controls): State<Controls>, Body(wanted): Body<OneClick>) -> Done {
    controls.plant_one_click(&wanted.slug, &wanted.installs_on);
    done()
}
