//! GPUs that can be rented, and the models that run on them.

use serde_json::{Value, json};

use crate::error::ApiError;

/// Regions that have GPUs.
const REGIONS: [&str; 3] = ["atl1", "nyc2", "tor1"];

/// A way to rent GPUs.
struct Size {
    slug: &'static str,
    price: &'static str,
    regions: &'static [&'static str],
}

const SIZES: [Size; 6] = [
    Size {
        slug: "gpu-mi300x1-192gb",
        price: "1.99",
        regions: &REGIONS,
    },
    Size {
        slug: "gpu-mi300x8-1536gb",
        price: "15.92",
        regions: &["atl1", "nyc2"],
    },
    Size {
        slug: "gpu-h100x1-80gb",
        price: "3.39",
        regions: &REGIONS,
    },
    Size {
        slug: "gpu-h100x8-640gb",
        price: "23.92",
        regions: &["nyc2", "tor1"],
    },
    Size {
        slug: "gpu-h200x1-141gb",
        price: "3.44",
        regions: &["atl1", "nyc2"],
    },
    Size {
        slug: "gpu-l40sx1-48gb",
        price: "1.57",
        regions: &["tor1"],
    },
];

/// A model that is known to run. Others can be asked for, too.
struct Model {
    slug: &'static str,
    name: &'static str,
    /// It needs a token of its publisher.
    is_gated: bool,
}

const MODELS: [Model; 3] = [
    Model {
        slug: "mistral/mistral-7b-instruct-v3",
        name: "Mistral-7B-Instruct-v0.3",
        is_gated: false,
    },
    Model {
        slug: "meta-llama/Llama-3.1-8B-Instruct",
        name: "Llama-3.1-8B-Instruct",
        is_gated: true,
    },
    Model {
        slug: "Qwen/Qwen2.5-7B-Instruct",
        name: "Qwen2.5-7B-Instruct",
        is_gated: false,
    },
];

/// How many GPUs a slug such as `gpu-h100x8-640gb` brings.
pub(super) fn gpus(slug: &str) -> u64 {
    let model = slug.split('-').nth(1).unwrap_or_default();
    let count = model.rsplit('x').next().unwrap_or_default();
    count.parse().unwrap_or(1)
}

/// Refuses a slug that a region doesn't have.
pub(super) fn check(slug: &str, region: &str) -> Result<(), ApiError> {
    let size = SIZES.iter().find(|size| size.slug == slug);
    if size.is_some_and(|size| size.regions.contains(&region)) {
        return Ok(());
    }
    Err(ApiError::unprocessable(format!(
        "accelerator_slug: `{slug}` is not available in region {region}"
    )))
}

/// Whether a model needs a token of its publisher.
pub(super) fn is_gated(slug: &str) -> bool {
    MODELS
        .iter()
        .any(|model| model.slug == slug && model.is_gated)
}

pub(super) fn sizes() -> Value {
    let sizes: Vec<Value> = SIZES
        .iter()
        .flat_map(|size| {
            size.regions.iter().map(|region| {
                json!({
                    "gpu_slug": size.slug,
                    "price_per_hour": size.price,
                    "region": region,
                    "currency": "USD",
                    "gpu": {"count": gpus(size.slug)},
                })
            })
        })
        .collect();
    json!({"enabled_regions": REGIONS, "sizes": sizes})
}

pub(super) fn models() -> Value {
    let slugs: Vec<&str> = SIZES.iter().map(|size| size.slug).collect();
    let models: Vec<Value> = MODELS
        .iter()
        .map(|model| {
            json!({
                "gpu_slugs": slugs,
                "model_slug": model.slug,
                "model_name": model.name,
                "is_gated_model": model.is_gated,
            })
        })
        .collect();
    json!({"gpu_model_configs": models})
}

#[cfg(test)]
mod tests {
    use super::gpus;

    #[test]
    fn a_slug_tells_its_gpus() {
        for (slug, count) in [
            ("gpu-mi300x1-192gb", 1),
            ("gpu-mi300x8-1536gb", 8),
            ("gpu-l40sx1-48gb", 1),
            ("", 1),
        ] {
            assert_eq!(gpus(slug), count, "{slug}");
        }
    }
}
