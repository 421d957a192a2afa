//! Regions and instance sizes of apps.

use serde_json::{Value, json};

/// The region of a spec that names none.
pub(crate) const DEFAULT_REGION: &str = "nyc";

const REGIONS: [(&str, &str, &str, &[&str]); 10] = [
    ("ams", "Amsterdam", "Europe", &["ams3"]),
    ("nyc", "New York", "North America", &["nyc1", "nyc3"]),
    ("fra", "Frankfurt", "Europe", &["fra1"]),
    ("sfo", "San Francisco", "North America", &["sfo3"]),
    ("sgp", "Singapore", "Asia", &["sgp1"]),
    ("blr", "Bangalore", "Asia", &["blr1"]),
    ("tor", "Toronto", "North America", &["tor1"]),
    ("lon", "London", "Europe", &["lon1"]),
    ("syd", "Sydney", "Australia", &["syd1"]),
    ("atl", "Atlanta", "North America", &["atl1"]),
];

/// The region of that slug.
pub(crate) fn region(slug: &str) -> Value {
    REGIONS.iter().find(|region| region.0 == slug).map_or_else(
        || json!({"slug": slug}),
        |(slug, label, continent, centers)| {
            json!({
                "slug": slug,
                "label": label,
                "continent": continent,
                "flag": label.to_ascii_lowercase().replace(' ', "-"),
                "data_centers": centers,
                "default": *slug == DEFAULT_REGION,
                "disabled": false,
            })
        },
    )
}

/// All regions.
pub(crate) fn regions() -> Vec<Value> {
    REGIONS.iter().map(|(slug, ..)| region(slug)).collect()
}

/// All instance sizes: slug, processors, memory in GiB, dollars a month.
pub(crate) fn instance_sizes() -> Vec<Value> {
    [
        ("apps-s-1vcpu-0.5gb", "1", 512, "5.00", true),
        ("apps-s-1vcpu-1gb-fixed", "1", 1024, "10.00", true),
        ("apps-s-1vcpu-1gb", "1", 1024, "12.00", false),
        ("apps-s-1vcpu-2gb", "1", 2048, "25.00", false),
        ("apps-s-2vcpu-4gb", "2", 4096, "50.00", false),
    ]
    .iter()
    .map(|(slug, cpus, memory_mib, usd, single)| {
        json!({
            "slug": slug,
            "name": slug,
            "cpu_type": "SHARED",
            "cpus": cpus,
            "memory_bytes": (memory_mib * 1024_u64 * 1024).to_string(),
            "usd_per_month": usd,
            "tier_slug": "basic",
            "single_instance_only": single,
            "scalable": !single,
        })
    })
    .collect()
}
