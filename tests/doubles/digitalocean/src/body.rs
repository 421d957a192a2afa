//! Request bodies: what the provider demands of each, checked strictly before anything is done.
//!
//! The real API forgives more (it ignores members that it doesn't know); a client that relies on
//! that is sloppy, and this double says so.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::ApiError;

/// The status class by which an endpoint refuses a body of the wrong shape.
#[derive(Clone, Copy)]
enum Manner {
    /// 422, as databases and tags do.
    Unprocessable,
    /// 400, as apps do.
    AppSpec,
    /// 400, as agents do.
    BadRequest,
}

/// The shape of one endpoint's body.
pub(crate) struct Shape {
    validator: LazyLock<Option<Validator>>,
    manner: Manner,
}

macro_rules! shape {
    ($name:ident, $file:literal, $definition:literal, $manner:ident) => {
        #[doc = concat!("The body `", $definition, "` of `schemas/", $file, "`.")]
        pub(crate) static $name: Shape = Shape {
            validator: LazyLock::new(|| {
                compile(include_str!(concat!("schemas/", $file)), $definition)
            }),
            manner: Manner::$manner,
        };
    };
}

shape!(CLUSTER_CREATE, "databases.json", "create", Unprocessable);
shape!(CLUSTER_RESIZE, "databases.json", "resize", Unprocessable);
shape!(CLUSTER_MIGRATE, "databases.json", "migrate", Unprocessable);
shape!(CLUSTER_UPGRADE, "databases.json", "upgrade", Unprocessable);
shape!(
    CLUSTER_MAINTENANCE,
    "databases.json",
    "maintenance",
    Unprocessable
);
shape!(
    CLUSTER_AUTOSCALE,
    "databases.json",
    "autoscale",
    Unprocessable
);
shape!(
    CLUSTER_DO_SETTINGS,
    "databases.json",
    "do_settings_change",
    Unprocessable
);
shape!(
    CLUSTER_FIREWALL,
    "databases.json",
    "firewall",
    Unprocessable
);
shape!(
    CLUSTER_CONFIG,
    "databases.json",
    "config_change",
    Unprocessable
);
shape!(DB_CREATE, "databases.json", "db", Unprocessable);
shape!(POOL_CREATE, "databases.json", "pool", Unprocessable);
shape!(POOL_UPDATE, "databases.json", "pool_change", Unprocessable);
shape!(REPLICA_CREATE, "databases.json", "replica", Unprocessable);
shape!(VPC_CREATE, "vpcs.json", "create", Unprocessable);
shape!(VPC_PATCH, "vpcs.json", "patch", Unprocessable);
shape!(VPC_PUT, "vpcs.json", "put", Unprocessable);
shape!(NAMESPACE_CREATE, "functions.json", "create", Unprocessable);
shape!(INFERENCE_CREATE, "inference.json", "create", Unprocessable);
shape!(INFERENCE_UPDATE, "inference.json", "update", Unprocessable);
shape!(INFERENCE_TOKEN, "inference.json", "token", Unprocessable);
shape!(AGENT_CONFIG_CREATE, "agents.json", "config", BadRequest);
shape!(AGENT_SESSION_CREATE, "agents.json", "session", BadRequest);
shape!(
    AGENT_SESSION_PATCH,
    "agents.json",
    "session_change",
    BadRequest
);
shape!(PG_CONFIG, "config.json", "pg", Unprocessable);
shape!(USER_CREATE, "users.json", "create", Unprocessable);
shape!(USER_UPDATE, "users.json", "update", Unprocessable);
shape!(USER_RESET, "users.json", "reset", Unprocessable);
shape!(TAG_CREATE, "tags.json", "create", Unprocessable);
shape!(TAG_RESOURCES, "tags.json", "resources", Unprocessable);
shape!(PROJECT_ASSIGN, "projects.json", "assign", Unprocessable);
shape!(APP_CREATE, "apps.json", "create", AppSpec);
shape!(APP_UPDATE, "apps.json", "update", AppSpec);
shape!(APP_PROPOSE, "apps.json", "propose", AppSpec);
shape!(APP_DEPLOY, "apps.json", "deploy", AppSpec);

fn compile(file: &str, definition: &str) -> Option<Validator> {
    let document: Value = serde_json::from_str(file).ok()?;
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/$defs/{definition}"),
        "$defs": document.get("$defs")?,
    });
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .ok()
}

impl Shape {
    /// Refuses a value of another shape and names every member that is wrong.
    pub(crate) fn check(&self, value: &Value) -> Result<(), ApiError> {
        let Some(validator) = self.validator.as_ref() else {
            return Err(ApiError::with_status(
                500,
                "The double's own schema doesn't compile.",
            ));
        };
        if validator.is_valid(value) {
            return Ok(());
        }
        let faults: Vec<String> = validator
            .iter_errors(value)
            .map(|error| match error.instance_path().as_str() {
                "" => error.to_string(),
                path => format!("{path}: {error}"),
            })
            .collect();
        let faults = faults.join("; ");
        Err(match self.manner {
            Manner::Unprocessable => ApiError::unprocessable(faults),
            Manner::BadRequest => ApiError::bad_request(faults),
            Manner::AppSpec => {
                ApiError::bad_request(format!("error validating app spec field: {faults}"))
            }
        })
    }

    /// Reads a body of this shape.
    pub(crate) fn read<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, ApiError> {
        let value = object(body)?;
        self.check(&value)?;
        serde_json::from_value(value).map_err(|error| ApiError::unprocessable(error.to_string()))
    }
}

/// Reads a body that must be a JSON object.
fn object(body: &[u8]) -> Result<Value, ApiError> {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(ApiError::bad_request("The body must be a JSON object.")),
        Err(error) => Err(ApiError::bad_request(format!(
            "There was an error parsing the request body: {error}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_compiles() {
        for shape in [
            &CLUSTER_CREATE,
            &CLUSTER_RESIZE,
            &CLUSTER_MIGRATE,
            &CLUSTER_UPGRADE,
            &CLUSTER_MAINTENANCE,
            &CLUSTER_AUTOSCALE,
            &CLUSTER_DO_SETTINGS,
            &CLUSTER_FIREWALL,
            &CLUSTER_CONFIG,
            &DB_CREATE,
            &POOL_CREATE,
            &POOL_UPDATE,
            &REPLICA_CREATE,
            &VPC_CREATE,
            &VPC_PATCH,
            &VPC_PUT,
            &NAMESPACE_CREATE,
            &INFERENCE_CREATE,
            &INFERENCE_UPDATE,
            &INFERENCE_TOKEN,
            &AGENT_CONFIG_CREATE,
            &AGENT_SESSION_CREATE,
            &AGENT_SESSION_PATCH,
            &PG_CONFIG,
            &USER_CREATE,
            &USER_UPDATE,
            &USER_RESET,
            &TAG_CREATE,
            &TAG_RESOURCES,
            &PROJECT_ASSIGN,
            &APP_CREATE,
            &APP_UPDATE,
            &APP_PROPOSE,
            &APP_DEPLOY,
        ] {
            assert!(shape.validator.is_some());
        }
    }

    #[test]
    fn an_unknown_member_of_a_component_is_named() {
        let error = APP_CREATE
            .check(&json!({"spec": {"name": "web", "services": [{"name": "api", "instance_cuont": 2}]}}))
            .unwrap_err();
        assert!(
            error.message.contains("instance_cuont"),
            "{}",
            error.message
        );
        assert_eq!(error.status, 400);
    }
}
