//! Projects, as far as objects are put into them. Every well-formed id is a project.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::body;
use crate::clock::wall_ms;
use crate::error::{Answer, ApiError, json as answer};
use crate::times::rfc3339;
use crate::world::{Shared, World};

#[derive(Deserialize)]
struct Assigned {
    resources: Vec<String>,
}

/// `POST /v2/projects/{id}/resources` answers for each resource whether it is there.
pub(crate) async fn assign(
    State(shared): State<Arc<Shared>>,
    Path(project): Path<String>,
    bytes: Bytes,
) -> Answer {
    if !is_uuid(&project) {
        return Err(ApiError::not_found());
    }
    let wanted: Assigned = body::PROJECT_ASSIGN.read(&bytes)?;
    let mut world = shared.world();
    let assigned_at = rfc3339(wall_ms());
    let resources: Vec<Value> = wanted
        .resources
        .iter()
        .map(|urn| {
            let found = world.put_into_project(urn, &project);
            json!({
                "urn": urn,
                "assigned_at": assigned_at,
                "links": {"self": link(urn)},
                "status": if found { "assigned" } else { "not_found" },
            })
        })
        .collect();
    Ok(answer(StatusCode::OK, &json!({"resources": resources})))
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
        && text
            .chars()
            .all(|character| character == '-' || character.is_ascii_hexdigit())
}

fn parts(urn: &str) -> (&str, &str) {
    urn.trim_start_matches("do:")
        .split_once(':')
        .unwrap_or_default()
}

fn link(urn: &str) -> String {
    let (kind, id) = parts(urn);
    let path = match kind {
        "dbaas" => "databases",
        "app" => "apps",
        other => other,
    };
    format!("https://api.digitalocean.com/v2/{path}/{id}")
}

impl World {
    fn put_into_project(&mut self, urn: &str, project: &str) -> bool {
        let (kind, id) = parts(urn);
        let place = match kind {
            "dbaas" => self.clusters.any_mut(id).map(|cluster| {
                cluster.rendered = None;
                &mut cluster.project_id
            }),
            "app" => self.apps.any_mut(id).map(|app| &mut app.project_id),
            _ => None,
        };
        let Some(place) = place else { return false };
        project.clone_into(place);
        true
    }
}
