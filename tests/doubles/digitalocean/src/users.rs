//! Database users: `/v2/databases/{id}/users`.
//!
//! The provider changes the users of a cluster one at a time: a change occupies the cluster until
//! it is answered, and whoever comes meanwhile is refused.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::body;
use crate::clusters::{Cluster, catalog};
use crate::config::{Config, UserPasswords};
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::world::{Shared, World};

/// The user that every cluster has.
pub(crate) const PRIMARY: &str = "doadmin";

/// A database user.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) password: String,
    primary: bool,
    settings: Option<Value>,
    mysql_settings: Option<Value>,
}

impl User {
    pub(crate) fn primary(password: String) -> Self {
        Self {
            name: PRIMARY.into(),
            password,
            primary: true,
            settings: None,
            mysql_settings: None,
        }
    }

    pub(crate) fn normal(name: String, password: String) -> Self {
        Self {
            name,
            password,
            primary: false,
            settings: None,
            mysql_settings: None,
        }
    }

    /// The user as the provider shows it. `fresh` is the answer to a change of its password.
    pub(crate) fn json(&self, config: &Config, settings: bool, fresh: bool) -> Value {
        let mut object = Map::new();
        object.insert("name".into(), self.name.clone().into());
        object.insert(
            "role".into(),
            if self.primary { "primary" } else { "normal" }.into(),
        );
        if !config.secrets.hide_credentials {
            let shown = if fresh || self.primary {
                UserPasswords::Shown
            } else {
                config.secrets.user_passwords
            };
            match shown {
                UserPasswords::Shown => {
                    object.insert("password".into(), self.password.clone().into());
                }
                UserPasswords::Empty => {
                    object.insert("password".into(), "".into());
                }
                UserPasswords::Absent => {}
            }
        }
        if settings && let Some(settings) = &self.settings {
            object.insert("settings".into(), settings.clone());
        }
        if let Some(settings) = &self.mysql_settings {
            object.insert("mysql_settings".into(), settings.clone());
        }
        Value::Object(object)
    }
}

#[derive(Deserialize)]
struct NewUser {
    name: String,
    settings: Option<Value>,
    mysql_settings: Option<Value>,
    readonly: Option<bool>,
}

/// Refuses settings of another engine.
fn check_engine(
    cluster: &Cluster,
    settings: Option<&Value>,
    mysql: bool,
    readonly: bool,
) -> Result<(), ApiError> {
    let engine = cluster.engine.trim_start_matches("advanced_");
    let refuse = |member: &str| {
        Err(ApiError::unprocessable(format!(
            "`{member}` is not supported by engine {engine}"
        )))
    };
    if mysql && engine != "mysql" {
        return refuse("mysql_settings");
    }
    if readonly && engine != "mongodb" {
        return refuse("readonly");
    }
    let members = settings.and_then(Value::as_object);
    for name in members.into_iter().flatten().map(|(name, _)| name.as_str()) {
        let of = match name {
            "pg_allow_replication" => "pg",
            "acl" => "kafka",
            "opensearch_acl" => "opensearch",
            _ => "mongodb",
        };
        if of != engine {
            return refuse(&format!("settings.{name}"));
        }
    }
    Ok(())
}

/// Begins a change of a cluster's users: occupies the cluster, applies the change, waits as long
/// as the provider takes. A client that hangs up meanwhile has changed it all the same.
async fn change<T>(
    shared: &Shared,
    id: &str,
    apply: impl FnOnce(&mut World, &str, u64) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let (result, due) = {
        let now = shared.clock.now();
        let mut guard = shared.world();
        let world = &mut *guard;
        let cluster = world.clusters.get(id, now)?;
        if !catalog::engine(&cluster.engine).has_users {
            return Err(ApiError::not_found());
        }
        cluster.require_online(&world.config)?;
        if now < cluster.users_busy_until {
            return Err(ApiError::with_status(
                world.config.refusals.parallel_user_status,
                format!("another change of the users of cluster {id} is in progress"),
            ));
        }
        let result = apply(world, id, now)?;
        let due = now.saturating_add(world.config.times.user);
        let cluster = world.clusters.get(id, now)?;
        cluster.users_busy_until = due;
        cluster.rendered = None;
        (result, due)
    };
    shared.clock.until(due).await;
    Ok(result)
}

/// `POST /v2/databases/{id}/users`.
pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let user = change(&shared, &id, |world, id, now| {
        let wanted: NewUser = body::USER_CREATE.read(&bytes)?;
        let cluster = world.clusters.get(id, now)?;
        check_engine(
            cluster,
            wanted.settings.as_ref(),
            wanted.mysql_settings.is_some(),
            wanted.readonly.is_some(),
        )?;
        if cluster.users.contains_key(&wanted.name) {
            return Err(ApiError::unprocessable(format!(
                "user `{}` already exists in cluster {id}",
                wanted.name
            )));
        }
        let password = world.random.password(&world.config.secrets.password_prefix);
        let mut user = User::normal(wanted.name, password);
        user.settings = wanted.settings;
        user.mysql_settings = wanted.mysql_settings;
        let json = user.json(&world.config, true, true);
        world.add_user(id, user, now)?;
        Ok(json)
    })
    .await?;
    Ok(answer(StatusCode::CREATED, &json!({"user": user})))
}

impl World {
    /// Puts a user into a cluster.
    pub(crate) fn add_user(&mut self, id: &str, user: User, now: u64) -> Result<(), ApiError> {
        let cluster = self.clusters.get(id, now)?;
        cluster.users.insert(user.name.clone(), user);
        cluster.rendered = None;
        self.totals.users_made += 1;
        Ok(())
    }
}

/// `GET /v2/databases/{id}/users`, unpaged.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    let settings = world.config.visibility.user_settings_in_reads;
    let users: Vec<Value> = cluster
        .users
        .values()
        .map(|user| user.json(&world.config, settings, false))
        .collect();
    Ok(answer(StatusCode::OK, &json!({"users": users})))
}

/// `GET /v2/databases/{id}/users/{name}`.
pub(crate) async fn get(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    let user = cluster.users.get(&name).ok_or_else(ApiError::not_found)?;
    let settings = world.config.visibility.user_settings_in_reads;
    Ok(answer(
        StatusCode::OK,
        &json!({"user": user.json(&world.config, settings, false)}),
    ))
}

#[derive(Deserialize)]
struct UserUpdate {
    settings: Value,
}

/// `PUT /v2/databases/{id}/users/{name}` answers 201, though nothing is created.
pub(crate) async fn update(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
    bytes: Bytes,
) -> Answer {
    let user = change(&shared, &id, |world, id, now| {
        let cluster = world.clusters.get(id, now)?;
        if !cluster.users.contains_key(&name) {
            return Err(ApiError::not_found());
        }
        let wanted: UserUpdate = body::USER_UPDATE.read(&bytes)?;
        check_engine(cluster, Some(&wanted.settings), false, false)?;
        let user = cluster
            .users
            .get_mut(&name)
            .ok_or_else(ApiError::not_found)?;
        user.settings = Some(wanted.settings);
        Ok(user.json(&world.config, true, false))
    })
    .await?;
    Ok(answer(StatusCode::CREATED, &json!({"user": user})))
}

/// `DELETE /v2/databases/{id}/users/{name}`.
pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    change(&shared, &id, |world, id, now| {
        let cluster = world.clusters.get(id, now)?;
        if !cluster.users.contains_key(&name) {
            return Err(ApiError::not_found());
        }
        if name == PRIMARY {
            return Err(ApiError::forbidden(format!(
                "user {PRIMARY} can't be deleted"
            )));
        }
        cluster.users.remove(&name);
        world.totals.users_gone += 1;
        Ok(())
    })
    .await?;
    Ok(empty(StatusCode::NO_CONTENT))
}

#[derive(Deserialize)]
struct Reset {
    mysql_settings: Option<Value>,
}

/// `POST /v2/databases/{id}/users/{name}/reset_auth` gives the user another password.
pub(crate) async fn reset_auth(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
    bytes: Bytes,
) -> Answer {
    let user = change(&shared, &id, |world, id, now| {
        let wanted: Reset = body::USER_RESET.read(&bytes)?;
        let password = world.random.password(&world.config.secrets.password_prefix);
        let cluster = world.clusters.get(id, now)?;
        check_engine(cluster, None, wanted.mysql_settings.is_some(), false)?;
        let user = cluster
            .users
            .get_mut(&name)
            .ok_or_else(ApiError::not_found)?;
        user.password = password;
        if wanted.mysql_settings.is_some() {
            user.mysql_settings = wanted.mysql_settings;
        }
        Ok(user.json(&world.config, true, true))
    })
    .await?;
    Ok(answer(StatusCode::OK, &json!({"user": user})))
}
