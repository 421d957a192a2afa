//! The endpoints of dedicated inference.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use data_encoding::BASE64;
use http::{StatusCode, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Inference, NewInference, catalog, list as items};
use crate::body;
use crate::clock::wall_ms;
use crate::clusters::record::Origin;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::hiding::Hiding;
use crate::pages::Page;
use crate::query;
use crate::world::Shared;

/// `POST /v2/dedicated-inferences`. Its answer alone has the first token's value.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewInference = body::INFERENCE_CREATE.read(&bytes)?;
    let now = shared.clock.now();
    let mut world = shared.world();
    world.sweep_inferences(now);
    let hiding = Hiding::at_first(&world.config.visibility, now);
    let id = world.add_inference(wanted, hiding, Origin::Api, now)?;
    let token = world.add_inference_token(&id, "default-token", now)?;
    let shown = world.inferences.get(&id, now)?.json(now);
    Ok(answer(
        StatusCode::ACCEPTED,
        &json!({"dedicated_inference": shown, "token": token}),
    ))
}

/// `GET /v2/dedicated-inferences`, paged, optionally those of a region.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, uri: Uri, page: Page) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    world.sweep_inferences(now);
    let region = query::get(&uri, "region");
    let shown: Vec<&Inference> = world
        .inferences
        .all(now)
        .into_iter()
        .filter(|one| !one.hiding.hides_in_list(now))
        .filter(|one| {
            region
                .as_deref()
                .is_none_or(|wanted| one.region() == wanted)
        })
        .collect();
    let total = shown.len();
    let inferences: Vec<Value> = page
        .of(shown.into_iter())
        .map(|inference| inference.json(now))
        .collect();
    let links = page.links(
        &world.config.links_origin,
        "/v2/dedicated-inferences",
        total,
    );
    Ok(answer(
        StatusCode::OK,
        &json!({"dedicated_inferences": inferences, "links": links, "meta": {"total": total}}),
    ))
}

/// `GET /v2/dedicated-inferences/{id}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    world.sweep_inferences(now);
    let inference = world.inferences.get(&id, now)?;
    inference.hiding.check_read(now)?;
    Ok(answer(
        StatusCode::OK,
        &json!({"dedicated_inference": inference.json(now)}),
    ))
}

#[derive(Deserialize)]
struct Update {
    spec: Option<Value>,
    #[serde(default)]
    access_tokens: BTreeMap<String, String>,
}

/// `PATCH /v2/dedicated-inferences/{id}` replaces the whole spec, if it is based on the newest.
pub(crate) async fn patch(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    world.sweep_inferences(now);
    let old = world.inferences.get(&id, now)?.clone();
    let wanted: Update = body::INFERENCE_UPDATE.read(&bytes)?;
    if old.work.is_some() || old.gone_at.is_some() {
        return Err(ApiError::with_status(
            world.config.refusals.inference_busy_status,
            format!(
                "Dedicated Inference {id} is not yet accepting updates: it is {}",
                old.status(now)
            ),
        ));
    }
    let mut spec = wanted.spec.unwrap_or_else(|| old.spec.clone());
    check_change(&old, &spec)?;
    let others = |other: &Inference| other.id != id && other.name() == spec["name"];
    if world.inferences.iter().any(others) {
        return Err(ApiError::conflict(format!(
            "spec.name: a Dedicated Inference named {} already exists",
            spec["name"]
        )));
    }
    let mut tokens = wanted.access_tokens;
    if old.gated {
        tokens.entry("hugging_face_token".into()).or_default();
    }
    world.check_deployments(&spec, &tokens, old.gpus())?;
    world.name_models(&mut spec);
    spec["version"] = json!(old.spec["version"].as_i64().unwrap_or_default() + 1);
    let fails = world.inferences.next_fails();
    let work = world.inference_work(spec, false, fails, now);
    let inference = world.inferences.get(&id, now)?;
    inference.gated = !tokens.is_empty();
    inference.work = Some(work);
    inference.updated_at = wall_ms();
    Ok(answer(
        StatusCode::ACCEPTED,
        &json!({"dedicated_inference": inference.json(now)}),
    ))
}

/// Refuses a spec that isn't based on the newest one, or changes what is fixed.
fn check_change(old: &Inference, spec: &Value) -> Result<(), ApiError> {
    if spec["version"] != old.spec["version"] {
        return Err(ApiError::conflict(format!(
            "spec.version: the newest version is {}, and {} was given",
            old.spec["version"], spec["version"]
        )));
    }
    for fixed in ["region", "vpc", "enable_public_endpoint"] {
        if spec[fixed] != old.spec[fixed] {
            return Err(ApiError::unprocessable(format!(
                "spec.{fixed}: it can't be changed"
            )));
        }
    }
    for deployment in items(&spec["model_deployments"]) {
        let id = deployment["model_id"].as_str().unwrap_or_default();
        let known = items(&old.spec["model_deployments"]).any(|one| one["model_id"] == id);
        if !id.is_empty() && !known {
            return Err(ApiError::unprocessable(format!(
                "model_id: there is no deployment `{id}`"
            )));
        }
    }
    Ok(())
}

/// `DELETE /v2/dedicated-inferences/{id}` takes time, too.
pub(crate) async fn delete(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    world.sweep_inferences(now);
    let due = now.saturating_add(world.config.times.inference_delete);
    world.inferences.get(&id, now)?.gone_at.get_or_insert(due);
    world.sweep_inferences(now);
    Ok(empty(StatusCode::ACCEPTED))
}

/// `GET /v2/dedicated-inferences/sizes`.
pub(crate) async fn sizes() -> Answer {
    Ok(answer(StatusCode::OK, &catalog::sizes()))
}

/// `GET /v2/dedicated-inferences/gpu-model-config`.
pub(crate) async fn models() -> Answer {
    Ok(answer(StatusCode::OK, &catalog::models()))
}

/// `GET /v2/dedicated-inferences/{id}/ca`, once there is one.
pub(crate) async fn ca(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    if !world.inferences.get(&id, now)?.is_made() {
        return Err(ApiError::not_found());
    }
    let cert = BASE64.encode(format!("certificate authority of endpoint {id}").as_bytes());
    Ok(answer(StatusCode::OK, &json!({"cert": cert})))
}

/// `GET /v2/dedicated-inferences/{id}/accelerators`, paged, optionally those of a slug.
pub(crate) async fn accelerators(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    uri: Uri,
    page: Page,
) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let mut all = world.inferences.get(&id, now)?.shown_accelerators();
    if let Some(slug) = query::get(&uri, "slug") {
        all.retain(|one| one["slug"] == *slug);
    }
    let total = all.len();
    let shown: Vec<Value> = page.of(all.into_iter()).collect();
    let path = format!("/v2/dedicated-inferences/{id}/accelerators");
    let links = page.links(&world.config.links_origin, &path, total);
    Ok(answer(
        StatusCode::OK,
        &json!({"accelerators": shown, "links": links, "meta": {"total": total}}),
    ))
}
