//! The kind's entry in the manifest, and what its schema can't say.

use berth_sdk::answers::invalid;
use berth_sdk::manifest::{Secrets as _, get, names, outputs, write};
use berth_sdk::types::{Booking, Checked, Error, Family, Kind, MeterRate, Operation, Ownership};
use berth_sdk::{Kind as _, manifest, schema};
use serde_json::{Map, json};

use super::{Dedicated, HELD, SHOWN, TOKEN, wire};
use crate::api::UUID;
use crate::spec::inference::Spec;

/// The capacity that an endpoint books.
const GPUS: &str = "gpus";
/// The meter of what runs.
const GPU_HOURS: &str = "do.inference.gpu-hours";

pub(super) fn kind() -> Kind {
    let endpoints = "/v2/dedicated-inferences";
    let endpoint = "/v2/dedicated-inferences/{id}";
    let [model, accelerator, replicas] = SHOWN;
    Kind {
        outputs: outputs(&[
            ("status", "State at the provider"),
            ("region", "Data centre"),
            ("vpc_uuid", "The provider's id of its network"),
            ("public_endpoint", "URL from everywhere"),
            ("private_endpoint", "URL from its network"),
            ("created_at", "Time of creation"),
            ("updated_at", "Time of the last change"),
        ]),
        secret_outputs: outputs(&[("token", "Access token; the provider hands it out once")]),
        regional: true,
        updatable: names(&[model, accelerator, replicas, HELD, TOKEN]),
        meters: names(&[GPU_HOURS]),
        bookings: names(&[GPUS]),
        ownership: Ownership::Name,
        id_pattern: UUID.to_owned(),
        reads: vec![
            get(endpoint),
            get(endpoints),
            // A list may leave names out; then one is looked for by reading each.
            get("/v2/dedicated-inferences/{any}"),
        ],
        writes: vec![
            write(Operation::Create, "POST", endpoints).own(&["/token/value"]),
            write(Operation::Update, "PATCH", endpoint),
            write(Operation::Delete, "DELETE", endpoint),
        ],
        ..manifest::kind(
            Dedicated::ID,
            "Dedicated inference endpoint",
            Family::Ai,
            schema!("do.inference.dedicated"),
        )
    }
}

pub(super) fn check(spec: &Spec) -> Result<Checked, Error> {
    match (&spec.network, &spec.vpc_uuid) {
        (Some(_), Some(_)) => {
            return Err(invalid(
                "/vpc_uuid",
                "an endpoint lives in one network: give network or vpc_uuid",
            ));
        }
        (None, None) => {
            return Err(invalid(
                "/network",
                "an endpoint lives in a network: name one of yours, or give vpc_uuid on an account of your own",
            ));
        }
        _ => {}
    }
    let gpus = gpus(&spec.accelerator_slug).ok_or_else(|| {
        invalid(
            "/accelerator_slug",
            "does not tell how many GPUs a replica has: name one such as gpu-mi300x1-192gb or gpu-h100x8-640gb",
        )
    })?;
    let replicas = wire::replicas(spec);
    let held = replicas.max(spec.max_replicas.unwrap_or_default());
    let mut defaults = Map::new();
    if spec.replicas.is_none() {
        defaults.insert("replicas".to_owned(), json!(replicas));
    }
    if spec.enable_public_endpoint.is_none() {
        defaults.insert("enable_public_endpoint".to_owned(), json!(false));
    }
    Ok(Checked {
        defaults: serde_json::Value::Object(defaults).to_string(),
        bookings: vec![Booking {
            name: GPUS.to_owned(),
            amount: gpus.saturating_mul(u64::from(held)),
        }],
        meters: vec![MeterRate {
            name: GPU_HOURS.to_owned(),
            rate: gpus.saturating_mul(u64::from(replicas)),
        }],
        ..manifest::checked()
    })
}

/// GPUs of one replica: the number behind the last `x` of the slug's second word.
fn gpus(slug: &str) -> Option<u64> {
    let model = slug.split('-').nth(1)?;
    let (_, number) = model.rsplit_once('x')?;
    number.parse().ok().filter(|gpus| *gpus > 0)
}

#[cfg(test)]
mod tests {
    use super::gpus;

    #[test]
    fn a_slug_tells_the_gpus_of_a_replica() {
        for (slug, number) in [
            ("gpu-mi300x1-192gb", Some(1)),
            ("gpu-mi300x8-1536gb", Some(8)),
            ("gpu-h100x1-80gb", Some(1)),
            ("gpu-6000adax2-96gb", Some(2)),
            ("gpu-mi300x-192gb", None),
            ("gpu-h100x0-80gb", None),
            ("gpu", None),
        ] {
            assert_eq!(gpus(slug), number, "{slug}");
        }
    }
}
