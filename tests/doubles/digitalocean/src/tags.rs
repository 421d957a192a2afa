//! Tags: account-wide names that objects carry.
//!
//! A tag keeps the capitalisation of its first use; later uses find it whatever theirs is.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::body;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::pages::Page;
use crate::world::{Shared, World};

/// The links of a tag point at the public origin.
const ORIGIN: &str = "https://api.digitalocean.com";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Tag {
    name: String,
    databases: BTreeSet<String>,
    last: Option<String>,
}

impl Tag {
    fn json(&self) -> Value {
        let none = json!({"count": 0});
        let mut databases = json!({"count": self.databases.len()});
        let mut resources = json!({
            "count": self.databases.len(),
            "droplets": none, "images": none, "volumes": none, "volume_snapshots": none,
        });
        if let Some(id) = &self.last {
            let uri: Value = format!("{ORIGIN}/v2/databases/{id}").into();
            databases["last_tagged_uri"] = uri.clone();
            resources["last_tagged_uri"] = uri;
        }
        resources["databases"] = databases;
        json!({"name": self.name, "resources": resources})
    }
}

/// All tags of the account, by their key: the name in lower case.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tags {
    by_key: BTreeMap<String, Tag>,
}

impl Tags {
    /// Makes the tag if there is none of that name and tells its key.
    pub(crate) fn ensure(&mut self, name: &str) -> String {
        let key = name.to_ascii_lowercase();
        self.by_key.entry(key.clone()).or_insert_with(|| Tag {
            name: name.to_owned(),
            databases: BTreeSet::new(),
            last: None,
        });
        key
    }

    pub(crate) fn link(&mut self, key: &str, cluster: &str) {
        if let Some(tag) = self.by_key.get_mut(key) {
            tag.databases.insert(cluster.to_owned());
            tag.last = Some(cluster.to_owned());
        }
    }

    pub(crate) fn unlink(&mut self, key: &str, cluster: &str) {
        if let Some(tag) = self.by_key.get_mut(key) {
            tag.databases.remove(cluster);
            if tag.last.as_deref() == Some(cluster) {
                tag.last = tag.databases.first().cloned();
            }
        }
    }

    /// The names behind keys.
    pub(crate) fn names(&self, keys: &[String]) -> Vec<String> {
        keys.iter()
            .filter_map(|key| self.by_key.get(key))
            .map(|tag| tag.name.clone())
            .collect()
    }

    /// Ids of the clusters and replicas that carry a tag.
    pub(crate) fn clusters(&self, name: &str) -> Vec<String> {
        self.by_key
            .get(&name.to_ascii_lowercase())
            .map(|tag| tag.databases.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Every tag with the number of clusters and replicas that carry it.
    pub(crate) fn counts(&self) -> HashMap<String, usize> {
        self.by_key
            .values()
            .map(|tag| (tag.name.clone(), tag.databases.len()))
            .collect()
    }
}

#[derive(Deserialize)]
struct NewTag {
    name: String,
}

#[derive(Deserialize)]
struct Tagged {
    resources: Vec<TaggedResource>,
}

#[derive(Deserialize)]
struct TaggedResource {
    resource_id: String,
    resource_type: String,
}

/// `POST /v2/tags`. A tag that exists is answered as if it were new.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewTag = body::TAG_CREATE.read(&bytes).map_err(as_root_cause)?;
    let mut world = shared.world();
    let key = world.tags.ensure(&wanted.name);
    let tag = world
        .tags
        .by_key
        .get(&key)
        .ok_or_else(ApiError::not_found)?;
    Ok(answer(StatusCode::CREATED, &json!({"tag": tag.json()})))
}

/// Keeps a 400 of this endpoint apart: the document gives it a shape of its own.
fn as_root_cause(error: ApiError) -> ApiError {
    if error.status == StatusCode::BAD_REQUEST {
        return ApiError {
            id: ROOT_CAUSE,
            ..error
        };
    }
    error
}

/// The id of errors that are written in the shape with `root_causes`.
pub(crate) const ROOT_CAUSE: &str = "error parsing request body";

/// `GET /v2/tags`, paged.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, page: Page) -> Answer {
    let world = shared.world();
    let items = world.tags.by_key.values();
    let tags: Vec<Value> = page.of(items).map(Tag::json).collect();
    let total = world.tags.by_key.len();
    let links = page.links(&world.config.links_origin, "/v2/tags", total);
    Ok(answer(
        StatusCode::OK,
        &json!({"tags": tags, "links": links, "meta": {"total": total}}),
    ))
}

/// `GET /v2/tags/{tag}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Answer {
    let world = shared.world();
    let tag = world
        .tags
        .by_key
        .get(&name.to_ascii_lowercase())
        .ok_or_else(ApiError::not_found)?;
    Ok(answer(StatusCode::OK, &json!({"tag": tag.json()})))
}

/// `DELETE /v2/tags/{tag}` takes it off everything that carries it.
pub(crate) async fn delete(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Answer {
    let mut world = shared.world();
    let key = name.to_ascii_lowercase();
    let tag = world
        .tags
        .by_key
        .remove(&key)
        .ok_or_else(ApiError::not_found)?;
    for id in &tag.databases {
        if let Some(cluster) = world.clusters.any_mut(id) {
            cluster.tags.retain(|carried| *carried != key);
            cluster.rendered = None;
        } else if let Some((cluster, name)) = world.clusters.of_replica(id)
            && let Some(replica) = cluster.replicas.get_mut(&name)
        {
            replica.tags.retain(|carried| *carried != key);
        }
    }
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `POST /v2/tags/{tag}/resources`.
pub(crate) async fn assign(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    bytes: Bytes,
) -> Result<Response, ApiError> {
    change(&shared, &name, &bytes, true)
}

/// `DELETE /v2/tags/{tag}/resources`.
pub(crate) async fn unassign(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    bytes: Bytes,
) -> Result<Response, ApiError> {
    change(&shared, &name, &bytes, false)
}

fn change(shared: &Shared, name: &str, bytes: &[u8], put_on: bool) -> Answer {
    let wanted: Tagged = body::TAG_RESOURCES.read(bytes)?;
    let now = shared.clock.now();
    let mut world = shared.world();
    let key = name.to_ascii_lowercase();
    if !world.tags.by_key.contains_key(&key) {
        return Err(ApiError::not_found());
    }
    for resource in &wanted.resources {
        let known = resource.resource_type == "database"
            && world.clusters.settled(&resource.resource_id, now).is_some();
        if !known {
            return Err(ApiError::not_found());
        }
    }
    for resource in &wanted.resources {
        world.set_tag(&resource.resource_id, &key, put_on);
    }
    Ok(empty(StatusCode::NO_CONTENT))
}

impl World {
    /// Puts a tag that exists on a cluster that exists, or takes it off.
    pub(crate) fn set_tag(&mut self, cluster: &str, key: &str, put_on: bool) {
        let Some(record) = self.clusters.any_mut(cluster) else {
            return;
        };
        record.tags.retain(|carried| carried != key);
        if put_on {
            record.tags.push(key.to_owned());
            self.tags.link(key, cluster);
        } else {
            self.tags.unlink(key, cluster);
        }
        record.rendered = None;
    }
}
