//! Endpoints made, changed and broken by someone else than the client.

use serde::Deserialize;
use serde_json::{Value, json};

use super::NewInference;
use crate::body;
use crate::clusters::record::Origin;
use crate::controls::{Controls, Refused, no_such};
use crate::hiding::Hiding;

/// An endpoint that someone else made. It is active at once.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedInference {
    /// Its name.
    pub name: String,
    /// Its region.
    pub region: String,
    /// The GPUs that each of its replicas has.
    #[serde(default = "slug")]
    pub accelerator_slug: String,
    /// How many replicas it has.
    #[serde(default = "scale")]
    pub scale: u64,
}

fn slug() -> String {
    "gpu-mi300x1-192gb".into()
}
fn scale() -> u64 {
    1
}

impl PlantedInference {
    /// One replica with one GPU, in the default VPC of a region.
    #[must_use]
    pub fn named(name: &str, region: &str) -> Self {
        Self {
            name: name.to_owned(),
            region: region.to_owned(),
            accelerator_slug: slug(),
            scale: scale(),
        }
    }
}

impl Controls {
    /// Adds an endpoint that someone else made and tells its id.
    ///
    /// # Errors
    /// When the provider would refuse it: its name is taken, its region has no such GPUs.
    pub fn plant_inference(&self, planted: PlantedInference) -> Result<String, Refused> {
        let now = self.shared.clock.now();
        let mut world = self.shared.world();
        let spec = json!({
            "version": 1,
            "name": planted.name,
            "region": planted.region,
            "vpc": {"uuid": world.vpcs.default_of(&planted.region)},
            "enable_public_endpoint": false,
            "model_deployments": [{
                "model_slug": "mistral/mistral-7b-instruct-v3",
                "model_provider": "hugging_face",
                "accelerators": [{
                    "scale": planted.scale,
                    "type": "prefill_decode",
                    "accelerator_slug": planted.accelerator_slug,
                }],
            }],
        });
        body::INFERENCE_CREATE.check(&json!({"spec": spec}))?;
        let wanted = NewInference {
            spec,
            access_tokens: Default::default(),
        };
        world.sweep_inferences(now);
        Ok(world.add_inference(wanted, Hiding::default(), Origin::Planted, now)?)
    }

    /// Changes members of an endpoint's spec behind the client's back, at once, by a JSON merge
    /// patch. Its version rises.
    ///
    /// # Errors
    /// When there is no such endpoint, or the result is no spec; nothing changed then.
    pub fn drift_inference(&self, id: &str, patch: &Value) -> Result<(), Refused> {
        let now = self.shared.clock.now();
        let mut world = self.shared.world();
        let inference = world.inferences.get(id, now).map_err(|_| no_such(id))?;
        let mut spec = inference.spec.clone();
        crate::merge::merge(&mut spec, patch);
        spec["version"] = json!(inference.spec["version"].as_i64().unwrap_or_default() + 1);
        body::INFERENCE_CREATE.check(&json!({"spec": spec}))?;
        let accelerators = world.accelerators(&spec);
        let inference = world.inferences.get(id, now)?;
        inference.spec = spec;
        inference.accelerators = accelerators;
        Ok(())
    }

    /// The next `count` creates and changes of endpoints end in `error`.
    pub fn fail_next_inferences(&self, count: u32) {
        self.shared.world().inferences.failing = count;
    }

    /// An endpoint is in `error` now, whatever it was doing.
    ///
    /// # Errors
    /// When there is no such endpoint.
    pub fn fail_inference(&self, id: &str) -> Result<(), Refused> {
        let mut world = self.shared.world();
        let inference = world.inferences.any_mut(id).ok_or_else(|| no_such(id))?;
        inference.work = None;
        inference.failed = true;
        Ok(())
    }
}
