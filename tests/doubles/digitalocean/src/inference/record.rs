//! An endpoint and how it moves through time.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{gpus, with_status};
use crate::clusters::members;
use crate::clusters::record::Origin;
use crate::hiding::Hiding;
use crate::times::rfc3339;
use crate::vpcs::Member;

/// Work that brings an endpoint to a spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(super) id: String,
    pub(super) spec: Value,
    pub(super) accelerators: Vec<Accelerator>,
    /// It makes the endpoint, instead of changing it.
    pub(super) is_first: bool,
    /// It is going to fail at its end.
    pub(super) fails: bool,
    /// When the status shows it, in virtual milliseconds.
    pub(super) shown_at: u64,
    pub(super) done_at: u64,
    /// Milliseconds since the epoch.
    pub(super) created_at: u64,
}

/// A rented piece of hardware.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Accelerator {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) role: String,
    pub(super) created_at: u64,
}

/// A token that opens an endpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Token {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) created_at: u64,
}

/// An inference endpoint with its own GPUs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Inference {
    pub(crate) id: String,
    pub(super) spec: Value,
    pub(crate) vpc: String,
    /// It has a token of a model's publisher.
    pub(super) gated: bool,
    pub(super) work: Option<Work>,
    pub(super) accelerators: Vec<Accelerator>,
    pub(super) failed: bool,
    /// Deleted, but still there until then.
    pub(super) gone_at: Option<u64>,
    pub(super) tokens: Vec<Token>,
    pub(super) created_at: u64,
    pub(super) updated_at: u64,
    pub(crate) hiding: Hiding,
    pub(crate) origin: Origin,
    pub(super) order: u64,
}

impl Inference {
    /// Brings the endpoint up to `now`.
    pub(super) fn settle(&mut self, now: u64) {
        let Some(work) = self.work.take_if(|work| now >= work.done_at) else {
            return;
        };
        if work.fails {
            self.failed = true;
            return;
        }
        self.failed = false;
        self.spec = work.spec;
        self.accelerators = work.accelerators;
    }

    /// The status that a read shows.
    pub(crate) fn status(&self, now: u64) -> &'static str {
        if self.gone_at.is_some() {
            return "deleting";
        }
        match &self.work {
            Some(work) if work.is_first && now < work.shown_at => "new",
            Some(work) if work.is_first => "provisioning",
            Some(work) if now >= work.shown_at => "updating",
            _ if self.failed => "error",
            _ => "active",
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.spec["name"].as_str().unwrap_or_default()
    }

    pub(crate) fn region(&self) -> &str {
        self.spec["region"].as_str().unwrap_or_default()
    }

    /// The GPUs that it has or is getting, whichever are more.
    pub(crate) fn gpus(&self) -> u64 {
        let wanted = self.work.as_ref().map_or(0, |work| gpus(&work.spec));
        gpus(&self.spec).max(wanted)
    }

    pub(crate) fn as_member(&self) -> Member {
        Member {
            kind: "dedicated_inference".into(),
            id: self.id.clone(),
            name: self.name().to_owned(),
            created_at: self.created_at,
        }
    }

    /// The endpoint as the provider shows it.
    pub(super) fn json(&self, now: u64) -> Value {
        let state = match self.status(now) {
            "new" => "new",
            _ if self.is_made() => "active",
            _ => "provisioning",
        };
        let mut object = members(json!({
            "id": self.id,
            "status": self.status(now),
            "region": self.region(),
            "vpc_uuid": self.vpc,
            "spec": with_status(&self.spec, state),
            "endpoints": self.endpoints(),
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
        }));
        // It can be seen before the status says so.
        if let Some(work) = &self.work {
            object.insert("pending_deployment_spec".into(), work.json());
        }
        Value::Object(object)
    }

    /// Where it answers, once it does.
    fn endpoints(&self) -> Value {
        let mut endpoints = Map::new();
        if self.is_made() {
            let host = self.id.replace('-', "");
            let url = |side: &str| {
                Value::from(format!(
                    "https://{host}-{side}-dedicated-inference.do-infra.ai"
                ))
            };
            if self.spec["enable_public_endpoint"] == true {
                endpoints.insert("public_endpoint_fqdn".into(), url("public"));
            }
            endpoints.insert("private_endpoint_fqdn".into(), url("private"));
        }
        endpoints.into()
    }

    /// Whether it was ever active.
    pub(super) fn is_made(&self) -> bool {
        !self.accelerators.is_empty()
    }

    /// Its accelerators, and the state that they are in.
    pub(super) fn shown_accelerators(&self) -> Vec<Value> {
        let (all, status) = match &self.work {
            Some(work) if work.is_first => (&work.accelerators, "provisioning"),
            _ => (&self.accelerators, "active"),
        };
        all.iter()
            .map(|one| {
                json!({
                    "id": one.id,
                    "name": one.name,
                    "slug": one.slug,
                    "role": one.role,
                    "status": status,
                    "created_at": rfc3339(one.created_at),
                })
            })
            .collect()
    }
}

impl Work {
    fn json(&self) -> Value {
        let spec = with_status(&self.spec, "provisioning");
        json!({
            "id": self.id,
            "version": spec["version"],
            "name": spec["name"],
            "status": if self.is_first { "provisioning" } else { "updating" },
            "vpc": spec["vpc"],
            "enable_public_endpoint": spec["enable_public_endpoint"],
            "model_deployments": spec["model_deployments"],
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.created_at),
        })
    }
}
