//! The endpoints of VPCs.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::{StatusCode, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Member, NewVpc, Vpc};
use crate::body;
use crate::clock::wall_ms;
use crate::clusters::record::Origin;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::hiding::Hiding;
use crate::pages::Page;
use crate::query;
use crate::world::Shared;

/// `POST /v2/vpcs`.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewVpc = body::VPC_CREATE.read(&bytes)?;
    let now = shared.clock.now();
    let mut world = shared.world();
    let hiding = Hiding::at_first(&world.config.visibility, now);
    let id = world.add_vpc(wanted, hiding, Origin::Api, wall_ms())?;
    let vpc = world.vpcs.get(&id)?.json();
    Ok(answer(StatusCode::CREATED, &json!({"vpc": vpc})))
}

/// `GET /v2/vpcs`, paged.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, page: Page) -> Answer {
    let now = shared.clock.now();
    let world = shared.world();
    let shown: Vec<&Vpc> = world
        .vpcs
        .all()
        .into_iter()
        .filter(|vpc| !vpc.hiding.hides_in_list(now))
        .collect();
    let total = shown.len();
    let vpcs: Vec<Value> = page.of(shown.into_iter()).map(Vpc::json).collect();
    let links = page.links(&world.config.links_origin, "/v2/vpcs", total);
    Ok(answer(
        StatusCode::OK,
        &json!({"vpcs": vpcs, "links": links, "meta": {"total": total}}),
    ))
}

/// `GET /v2/vpcs/{id}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let vpc = world.vpcs.get(&id)?;
    vpc.hiding.check_read(now)?;
    Ok(answer(StatusCode::OK, &json!({"vpc": vpc.json()})))
}

#[derive(Deserialize)]
struct Changes {
    name: Option<String>,
    description: Option<String>,
    default: Option<bool>,
}

/// `PATCH /v2/vpcs/{id}`: what is left out stays.
pub(crate) async fn patch(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let wanted: Changes = body::VPC_PATCH.read(&bytes)?;
    change(&shared, &id, wanted)
}

/// `PUT /v2/vpcs/{id}`: a description that is left out is removed.
pub(crate) async fn put(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let mut wanted: Changes = body::VPC_PUT.read(&bytes)?;
    wanted.description.get_or_insert_default();
    change(&shared, &id, wanted)
}

fn change(shared: &Shared, id: &str, wanted: Changes) -> Answer {
    let mut guard = shared.world();
    let world = &mut *guard;
    let (region, is_default) = {
        let vpc = world.vpcs.get(id)?;
        (vpc.region.clone(), vpc.default)
    };
    if let Some(name) = &wanted.name {
        world.vpcs.check_name(name, Some(id))?;
    }
    match wanted.default {
        Some(false) if is_default => {
            return Err(ApiError::unprocessable(
                "default: it can't be unset; make another VPC of the region the default",
            ));
        }
        Some(true) => {
            for vpc in world.vpcs.by_id.values_mut() {
                vpc.default = vpc.default && vpc.region != region;
            }
            world.vpcs.get(id)?.default = true;
        }
        _ => {}
    }
    let vpc = world.vpcs.get(id)?;
    if let Some(name) = wanted.name {
        vpc.name = name;
    }
    if let Some(description) = wanted.description {
        vpc.description = description;
    }
    Ok(answer(StatusCode::OK, &json!({"vpc": vpc.json()})))
}

/// `DELETE /v2/vpcs/{id}`.
pub(crate) async fn delete(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    if world.vpcs.get(&id)?.default {
        return Err(ApiError::forbidden(
            "Can not delete the default VPC of a region.",
        ));
    }
    let members = world.vpc_members(&id, now).len();
    if members > 0 {
        return Err(ApiError::with_status(
            world.config.refusals.vpc_members_status,
            format!("Can not delete VPC with members: {members} are left."),
        ));
    }
    world.vpcs.remove(&id);
    world.totals.vpcs_gone += 1;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `GET /v2/vpcs/{id}/members`, paged, optionally those of one type.
pub(crate) async fn members(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    uri: Uri,
    page: Page,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    world.vpcs.get(&id)?;
    let mut members = world.vpc_members(&id, now);
    members.retain(Member::is_listed);
    if let Some(kind) = query::get(&uri, "resource_type") {
        members.retain(|member| member.kind == kind);
    }
    let shown: Vec<Value> = page.of(members.iter()).map(Member::json).collect();
    let path = format!("/v2/vpcs/{id}/members");
    let links = page.links(&world.config.links_origin, &path, members.len());
    Ok(answer(
        StatusCode::OK,
        &json!({"members": shown, "links": links, "meta": {"total": members.len()}}),
    ))
}
