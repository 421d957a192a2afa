//! Dedicated inference: `/v2/dedicated-inferences`.

mod catalog;
mod plant;
pub(crate) mod record;
pub(crate) mod routes;
pub(crate) mod tokens;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use plant::PlantedInference;
pub(crate) use record::Inference;

use crate::clock::wall_ms;
use crate::clusters::record::Origin;
use crate::error::ApiError;
use crate::hiding::Hiding;
use crate::world::World;
use record::{Accelerator, Work};

/// All endpoints.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Inferences {
    by_id: BTreeMap<String, Inference>,
    next: u64,
    /// So many pieces of work from now on fail.
    failing: u32,
}

impl Inferences {
    /// An endpoint as it is now, or the answer 404.
    fn get(&mut self, id: &str, now: u64) -> Result<&mut Inference, ApiError> {
        let inference = self.by_id.get_mut(id).ok_or_else(ApiError::not_found)?;
        inference.settle(now);
        Ok(inference)
    }

    pub(crate) fn any_mut(&mut self, id: &str) -> Option<&mut Inference> {
        self.by_id.get_mut(id)
    }

    /// Whether the next piece of work fails. It counts as one.
    fn next_fails(&mut self) -> bool {
        let fails = self.failing > 0;
        self.failing = self.failing.saturating_sub(1);
        fails
    }

    /// As they are now, in the order of creation.
    pub(crate) fn all(&mut self, now: u64) -> Vec<&Inference> {
        for inference in self.by_id.values_mut() {
            inference.settle(now);
        }
        let mut all: Vec<&Inference> = self.by_id.values().collect();
        all.sort_by_key(|inference| inference.order);
        all
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Inference> {
        self.by_id.values()
    }
}

/// What a new endpoint is to be.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NewInference {
    spec: Value,
    #[serde(default)]
    access_tokens: BTreeMap<String, String>,
}

impl World {
    /// Takes away endpoints whose deletion is done.
    pub(crate) fn sweep_inferences(&mut self, now: u64) {
        let gone: Vec<String> = self
            .inferences
            .iter()
            .filter(|inference| inference.gone_at.is_some_and(|at| now >= at))
            .map(|inference| inference.id.clone())
            .collect();
        for id in gone {
            self.remove_inference(&id, now);
        }
    }

    /// Removes an endpoint at once.
    pub(crate) fn remove_inference(&mut self, id: &str, now: u64) -> bool {
        let Some(inference) = self.inferences.by_id.remove(id) else {
            return false;
        };
        self.leave_vpc(&inference.vpc, inference.as_member(), now);
        self.totals.inferences_gone += 1;
        true
    }

    /// Adds an endpoint that satisfies every rule of the provider and tells its id.
    fn add_inference(
        &mut self,
        wanted: NewInference,
        hiding: Hiding,
        origin: Origin,
        now: u64,
    ) -> Result<String, ApiError> {
        let mut spec = wanted.spec;
        let text = |place: &str| {
            let value = spec.pointer(place).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        let (name, region, vpc) = (text("/name"), text("/region"), text("/vpc/uuid"));
        if self.inferences.iter().any(|other| other.name() == name) {
            return Err(ApiError::conflict(format!(
                "spec.name: a Dedicated Inference named `{name}` already exists"
            )));
        }
        let vpc = self.vpcs.of(Some(&vpc), &region, "spec.vpc.uuid")?;
        self.check_deployments(&spec, &wanted.access_tokens, 0)?;
        self.name_models(&mut spec);
        let id = self.random.uuid();
        let created_at = wall_ms();
        let fails = origin == Origin::Api && self.inferences.next_fails();
        let work = self.inference_work(spec.clone(), true, fails, now);
        self.inferences.next += 1;
        let mut inference = Inference {
            id: id.clone(),
            spec,
            vpc,
            gated: !wanted.access_tokens.is_empty(),
            work: Some(work),
            accelerators: Vec::new(),
            failed: false,
            gone_at: None,
            tokens: Vec::new(),
            created_at,
            updated_at: created_at,
            hiding,
            origin,
            order: self.inferences.next,
        };
        if origin == Origin::Planted {
            inference.settle(u64::MAX);
        }
        self.inferences.by_id.insert(id.clone(), inference);
        self.totals.inferences_made += 1;
        Ok(id)
    }

    /// Refuses deployments on GPUs that there are none of, and gated models without a token.
    /// `own` are the GPUs that the endpoint has already.
    fn check_deployments(
        &self,
        spec: &Value,
        tokens: &BTreeMap<String, String>,
        own: u64,
    ) -> Result<(), ApiError> {
        let region = spec["region"].as_str().unwrap_or_default();
        for deployment in list(&spec["model_deployments"]) {
            let model = deployment["model_slug"].as_str().unwrap_or_default();
            if catalog::is_gated(model) && !tokens.contains_key("hugging_face_token") {
                return Err(ApiError::unprocessable(format!(
                    "access_tokens: the model `{model}` is gated and needs a hugging_face_token"
                )));
            }
            for accelerator in list(&deployment["accelerators"]) {
                let slug = accelerator["accelerator_slug"].as_str().unwrap_or_default();
                catalog::check(slug, region)?;
            }
        }
        let used: u64 = self.inferences.iter().map(Inference::gpus).sum();
        let wanted = gpus(spec);
        let most = self.config.limits.gpus;
        if used.saturating_sub(own).saturating_add(wanted) > most {
            return Err(ApiError::unprocessable(format!(
                "Limit Reached: your account may have {most} GPUs, has {used} and asked for {wanted}"
            )));
        }
        Ok(())
    }

    /// Gives every deployment that has no id one.
    fn name_models(&mut self, spec: &mut Value) {
        let deployments = spec["model_deployments"].as_array_mut();
        for deployment in deployments.into_iter().flatten() {
            if deployment["model_id"]
                .as_str()
                .unwrap_or_default()
                .is_empty()
            {
                deployment["model_id"] = self.random.uuid().into();
            }
        }
    }

    /// The work that brings an endpoint to `spec`.
    fn inference_work(&mut self, spec: Value, is_first: bool, fails: bool, now: u64) -> Work {
        let times = &self.config.times;
        let (lag, takes) = if is_first {
            (times.inference_new, times.inference)
        } else {
            (times.status_lag, times.inference_update)
        };
        let shown_at = now.saturating_add(lag);
        let accelerators = self.accelerators(&spec);
        Work {
            id: self.random.uuid(),
            spec,
            accelerators,
            is_first,
            fails,
            shown_at,
            done_at: shown_at.saturating_add(takes),
            created_at: wall_ms(),
        }
    }

    /// The accelerators that a spec asks for, one by one.
    fn accelerators(&mut self, spec: &Value) -> Vec<Accelerator> {
        let mut made = Vec::new();
        for deployment in list(&spec["model_deployments"]) {
            for wanted in list(&deployment["accelerators"]) {
                let word = |member: &str| wanted[member].as_str().unwrap_or_default().to_owned();
                let slug = word("accelerator_slug");
                for _ in 0..wanted["scale"].as_u64().unwrap_or(1) {
                    let name = format!("{}-{}", slug, self.random.word(6));
                    made.push(Accelerator {
                        id: self.random.uuid(),
                        name,
                        slug: slug.clone(),
                        role: word("type"),
                        created_at: wall_ms(),
                    });
                }
            }
        }
        made
    }
}

/// The items of a list; none if it is none.
fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// How many GPUs a spec asks for.
fn gpus(spec: &Value) -> u64 {
    list(&spec["model_deployments"])
        .flat_map(|deployment| list(&deployment["accelerators"]))
        .map(|wanted| {
            let slug = wanted["accelerator_slug"].as_str().unwrap_or_default();
            let scale = wanted["scale"].as_u64().unwrap_or(1);
            scale.saturating_mul(catalog::gpus(slug))
        })
        .sum()
}

/// A spec whose accelerators say what state they are in.
fn with_status(spec: &Value, status: &str) -> Value {
    let mut shown = spec.clone();
    let deployments = shown["model_deployments"].as_array_mut();
    for deployment in deployments.into_iter().flatten() {
        let accelerators = deployment
            .get_mut("accelerators")
            .and_then(Value::as_array_mut);
        for accelerator in accelerators.into_iter().flatten() {
            accelerator["status"] = json!(status);
        }
    }
    shown
}
