//! What can be bought: engines, their versions, sizes and regions.
//!
//! The figures of storage are near the real ones, not equal to them: they exist so that a wrong
//! order is refused, and where the real API refuses it.

use serde_json::{Map, Value, json};

use crate::error::ApiError;

/// Regions that have managed databases.
pub(crate) const REGIONS: [&str; 14] = [
    "nyc1", "nyc2", "nyc3", "ams3", "sfo2", "sfo3", "sgp1", "lon1", "fra1", "tor1", "blr1", "syd1",
    "atl1", "ric1",
];

/// What is particular to an engine.
pub(crate) struct Engine {
    pub(crate) slug: &'static str,
    pub(crate) scheme: &'static str,
    /// Major versions, oldest first. The last is the default.
    pub(crate) versions: &'static [&'static str],
    pub(crate) default_database: &'static str,
    pub(crate) has_users: bool,
}

const ENGINES: [Engine; 9] = [
    Engine {
        slug: "pg",
        scheme: "postgresql",
        versions: &["13", "14", "15", "16", "17"],
        default_database: "defaultdb",
        has_users: true,
    },
    Engine {
        slug: "advanced_pg",
        scheme: "postgresql",
        versions: &["16", "17", "18"],
        default_database: "defaultdb",
        has_users: true,
    },
    Engine {
        slug: "mysql",
        scheme: "mysql",
        versions: &["8"],
        default_database: "defaultdb",
        has_users: true,
    },
    Engine {
        slug: "advanced_mysql",
        scheme: "mysql",
        versions: &["8"],
        default_database: "defaultdb",
        has_users: true,
    },
    Engine {
        slug: "redis",
        scheme: "rediss",
        versions: &["7"],
        default_database: "",
        has_users: false,
    },
    Engine {
        slug: "valkey",
        scheme: "rediss",
        versions: &["8"],
        default_database: "",
        has_users: false,
    },
    Engine {
        slug: "mongodb",
        scheme: "mongodb+srv",
        versions: &["7", "8"],
        default_database: "admin",
        has_users: true,
    },
    Engine {
        slug: "kafka",
        scheme: "kafka",
        versions: &["3.7", "3.8"],
        default_database: "",
        has_users: true,
    },
    Engine {
        slug: "opensearch",
        scheme: "https",
        versions: &["2"],
        default_database: "",
        has_users: true,
    },
];

/// The engine of that slug, else the first one: callers have checked the slug.
pub(crate) fn engine(slug: &str) -> &'static Engine {
    static TABLE: [Engine; 9] = ENGINES;
    let [first, ..] = &TABLE;
    TABLE
        .iter()
        .find(|engine| engine.slug == slug)
        .unwrap_or(first)
}

/// The version that a request for `wanted` gets.
pub(crate) fn version(engine: &Engine, wanted: Option<&str>) -> Result<String, ApiError> {
    match wanted {
        Some(version) if engine.versions.contains(&version) => Ok(version.to_owned()),
        Some(version) => Err(ApiError::unprocessable(format!(
            "invalid version `{version}` for engine {}; available: {}",
            engine.slug,
            engine.versions.join(", ")
        ))),
        None => Ok(engine
            .versions
            .last()
            .copied()
            .unwrap_or_default()
            .to_owned()),
    }
}

/// Refuses a region without managed databases.
pub(crate) fn region(slug: &str) -> Result<(), ApiError> {
    if REGIONS.contains(&slug) {
        return Ok(());
    }
    Err(ApiError::unprocessable(format!("invalid region `{slug}`")))
}

/// What a size is.
pub(crate) struct Size {
    pub(crate) memory_gib: u64,
    /// The storage that it comes with and can grow to, in MiB.
    pub(crate) least: u64,
    pub(crate) most: u64,
}

/// Reads a size slug such as `db-s-2vcpu-4gb`.
pub(crate) fn size(slug: &str) -> Result<Size, ApiError> {
    let unknown = || ApiError::unprocessable(format!("invalid size `{slug}`"));
    let mut parts = slug.rsplitn(3, '-');
    let memory = parts.next().and_then(|part| part.strip_suffix("gb"));
    let processors = parts.next().and_then(|part| part.strip_suffix("vcpu"));
    let line = parts.next().ok_or_else(unknown)?;
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
    let memory = number(memory).ok_or_else(unknown)?;
    let processors = number(processors).ok_or_else(unknown)?;
    let known = ["db-s", "db-amd", "db-intel", "gd", "m", "m3", "so1_5"].contains(&line);
    if !known || !(1..=64).contains(&processors) || !(1..=512).contains(&memory) {
        return Err(unknown());
    }
    let least = if memory == 1 {
        10
    } else {
        memory.saturating_mul(15)
    };
    Ok(Size {
        memory_gib: memory,
        least: least * 1024,
        most: least * 1024 * 5,
    })
}

/// The storage of a cluster of `slug` that asks for `wanted` MiB.
pub(crate) fn storage(slug: &str, wanted: Option<u64>) -> Result<u64, ApiError> {
    let range = size(slug)?;
    match wanted {
        None => Ok(range.least),
        Some(mib) if (range.least..=range.most).contains(&mib) => Ok(mib),
        Some(mib) => Err(ApiError::unprocessable(format!(
            "invalid storage_size_mib {mib} for size {slug}; it must be from {} to {}",
            range.least, range.most
        ))),
    }
}

/// The storage that an object has after a resize to `slug`, if it has `now` MiB and asks for
/// `wanted`.
pub(crate) fn grown(slug: &str, wanted: Option<u64>, now: u64) -> Result<u64, ApiError> {
    match wanted {
        Some(mib) if mib < now => Err(ApiError::unprocessable(format!(
            "storage can't shrink: storage_size_mib is {now} and {mib} was asked for"
        ))),
        Some(mib) => storage(slug, Some(mib)),
        None => Ok(now.max(size(slug)?.least)),
    }
}

/// Sizes that are offered. Others of the same lines are sold, too.
const SIZES: [&str; 9] = [
    "db-s-1vcpu-1gb",
    "db-s-1vcpu-2gb",
    "db-s-2vcpu-4gb",
    "db-s-4vcpu-8gb",
    "db-s-6vcpu-16gb",
    "db-s-8vcpu-32gb",
    "gd-2vcpu-8gb",
    "gd-4vcpu-16gb",
    "so1_5-2vcpu-16gb",
];

/// What is offered, by engine.
pub(crate) fn options() -> Value {
    let of = |engine: &Engine| {
        let layouts: Vec<Value> = (1..=3)
            .map(|nodes| json!({"num_nodes": nodes, "sizes": SIZES}))
            .collect();
        json!({"regions": REGIONS, "versions": engine.versions, "layouts": layouts,
            "default_version": engine.versions.last()})
    };
    let options: Map<String, Value> = ENGINES
        .iter()
        .map(|engine| (engine.slug.to_owned(), of(engine)))
        .collect();
    json!({"options": options})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_or_refused() {
        assert_eq!(size("db-s-2vcpu-4gb").unwrap().least, 61_440);
        assert_eq!(size("db-s-1vcpu-1gb").unwrap().least, 10_240);
        for wrong in [
            "",
            "db-s",
            "s-1vcpu-1gb",
            "db-s-1vcpu-xgb",
            "db-s-0vcpu-1gb",
            "db-s-1vcpu-1gb-x",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(storage("db-s-2vcpu-4gb", Some(1024)).is_err());
    }
}
