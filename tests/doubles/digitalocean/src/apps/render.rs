//! Apps and deployments as JSON.

use serde_json::{Map, Value, json};

use super::catalog;
use super::record::{App, Deployment, Phase};
use crate::clusters::members;
use crate::times::rfc3339;

const OWNER: &str = "a4e16f25-cdd1-4483-b246-d77f283c9209";
/// Kinds of components, each with the spec's list of that name.
pub(crate) const COMPONENTS: [&str; 5] =
    ["services", "static_sites", "jobs", "workers", "functions"];

impl Deployment {
    pub(crate) fn json(&self) -> Value {
        let mut object = members(json!({
            "id": self.id,
            "spec": self.spec,
            "cause": self.cause,
            "phase": self.phase.word(),
            "phase_last_updated_at": rfc3339(self.created_at),
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.created_at),
            "progress": self.progress(),
            "tier_slug": "basic",
        }));
        for list in COMPONENTS {
            let components: Vec<Value> = components(&self.spec, list)
                .map(|name| json!({"name": name, "source_commit_hash": COMMIT}))
                .collect();
            if !components.is_empty() {
                object.insert(list.into(), components.into());
            }
        }
        Value::Object(object)
    }

    fn progress(&self) -> Value {
        let (build, deploy) = match self.phase {
            Phase::PendingBuild => ("PENDING", "PENDING"),
            Phase::Building => ("RUNNING", "PENDING"),
            Phase::PendingDeploy => ("SUCCESS", "PENDING"),
            Phase::Deploying => ("SUCCESS", "RUNNING"),
            Phase::Active | Phase::Superseded => ("SUCCESS", "SUCCESS"),
            Phase::Error | Phase::Canceled => ("ERROR", "PENDING"),
        };
        let states = [("build", build), ("deploy", deploy)];
        let count = |wanted: &str| states.iter().filter(|(_, state)| *state == wanted).count();
        let steps: Vec<Value> = states
            .iter()
            .map(|(name, status)| {
                let mut step = json!({"name": name, "status": status});
                if *status == "ERROR" {
                    step["reason"] = json!({"code": "BuildFailed", "message": "The build failed."});
                }
                step
            })
            .collect();
        json!({
            "total_steps": states.len(),
            "pending_steps": count("PENDING"),
            "running_steps": count("RUNNING"),
            "success_steps": count("SUCCESS"),
            "error_steps": count("ERROR"),
            "steps": steps,
        })
    }
}

const COMMIT: &str = "db6936cb46047c576962962eed81ad52c21f35d7";

/// Names of the components in one list of a spec.
pub(crate) fn components<'a>(spec: &'a Value, list: &str) -> impl Iterator<Item = &'a str> {
    spec.get(list)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|component| component["name"].as_str())
}

impl App {
    pub(crate) fn json(&self, now: u64) -> Value {
        let host = format!(
            "{}-{}.ondigitalocean.app",
            self.name,
            self.id.get(..5).unwrap_or("x")
        );
        let region = self.spec["region"]
            .as_str()
            .unwrap_or(catalog::DEFAULT_REGION);
        let mut object: Map<String, Value> = members(json!({
            "id": self.id,
            "owner_uuid": OWNER,
            "project_id": self.project_id,
            "spec": self.spec,
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
            "region": catalog::region(region),
            "tier_slug": "basic",
            "dedicated_ips": [],
        }));
        if let Some(last) = self.shown(now).next() {
            object.insert(
                "last_deployment_created_at".into(),
                rfc3339(last.created_at).into(),
            );
            let place = match last.phase {
                Phase::PendingBuild => Some("pending_deployment"),
                Phase::Building | Phase::PendingDeploy | Phase::Deploying => {
                    Some("in_progress_deployment")
                }
                _ => None,
            };
            if let Some(place) = place {
                object.insert(place.into(), last.json());
            }
        }
        if let Some(active) = self.shown(now).find(|one| one.phase == Phase::Active) {
            object.insert("active_deployment".into(), active.json());
            object.insert("default_ingress".into(), format!("https://{host}").into());
            object.insert("live_url".into(), format!("https://{host}").into());
            object.insert("live_url_base".into(), format!("https://{host}").into());
            object.insert("live_domain".into(), host.into());
        }
        Value::Object(object)
    }
}
