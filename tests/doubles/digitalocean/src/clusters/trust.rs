//! Trusted sources of a cluster: `/v2/databases/{id}/firewall`. Without any the cluster is open.

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::body;
use crate::clock::wall_ms;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::times::rfc3339;
use crate::world::{Shared, World};

#[derive(Deserialize)]
struct Firewall {
    rules: Vec<Value>,
}

/// `PUT /v2/databases/{id}/firewall` replaces the whole set.
pub(crate) async fn set(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    cluster.require_online(&world.config)?;
    let old = cluster.rules.clone();
    let wanted: Firewall = body::CLUSTER_FIREWALL.read(&bytes)?;
    let rules = world.rules(&id, &wanted.rules, &old, wall_ms())?;
    let cluster = world.clusters.get(&id, now)?;
    cluster.rules = rules;
    cluster.rendered = None;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `GET /v2/databases/{id}/firewall`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let cluster = world.clusters.get(&id, now)?;
    Ok(answer(StatusCode::OK, &json!({"rules": cluster.rules})))
}

impl World {
    /// Rules as they are kept: with ids of their own. Those of `old` that are among them stay.
    pub(crate) fn rules(
        &mut self,
        cluster: &str,
        wanted: &[Value],
        old: &[Value],
        created_at: u64,
    ) -> Result<Vec<Value>, ApiError> {
        let mut kept: Vec<Value> = Vec::with_capacity(wanted.len());
        for rule in wanted {
            self.check_source(rule)?;
            let same =
                |other: &&Value| other["type"] == rule["type"] && other["value"] == rule["value"];
            let known = old.iter().find(same);
            let mut next = match known {
                Some(known) => known.clone(),
                None => json!({
                    "uuid": self.random.uuid(),
                    "cluster_uuid": cluster,
                    "type": rule["type"],
                    "value": rule["value"],
                    "created_at": rfc3339(created_at),
                }),
            };
            if let Value::Object(members) = &mut next {
                members.remove("description");
                if let Some(description) = rule.get("description") {
                    members.insert("description".into(), description.clone());
                }
            }
            kept.push(next);
        }
        Ok(kept)
    }

    /// Refuses a source that doesn't exist. Tags needn't, and of Kubernetes clusters there are
    /// none here, so that any id passes.
    fn check_source(&self, rule: &Value) -> Result<(), ApiError> {
        let value = rule["value"].as_str().unwrap_or_default();
        let kind = rule["type"].as_str().unwrap_or_default();
        let right = match kind {
            "ip_addr" => is_ipv4(value),
            "droplet" => self.droplets.has(value),
            "app" => self.apps.any(value).is_some(),
            _ => true,
        };
        if right {
            return Ok(());
        }
        Err(ApiError::unprocessable(format!(
            "rules: there is no {kind} `{value}` that could be a trusted source"
        )))
    }
}

/// Whether a text is an IPv4 address, or a range of them.
fn is_ipv4(text: &str) -> bool {
    let (address, prefix) = text.split_once('/').unwrap_or((text, "32"));
    address.parse::<Ipv4Addr>().is_ok() && prefix.parse::<u8>().is_ok_and(|bits| bits <= 32)
}

#[cfg(test)]
mod tests {
    use super::is_ipv4;

    #[test]
    fn addresses_and_ranges_are_told_from_others() {
        for right in ["192.0.2.1", "10.0.0.0/8", "0.0.0.0/0"] {
            assert!(is_ipv4(right), "{right}");
        }
        for wrong in ["999.0.0.1", "10.0.0.0/33", "::1", "10.0.0", ""] {
            assert!(!is_ipv4(wrong), "{wrong}");
        }
    }
}
