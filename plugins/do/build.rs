//! Derives the JSON Schemas of the specs; the component carries their text only.

// The specs name the derive by this path, here and in the plugin.
use schemars::JsonSchema;

#[path = "schema/app/mod.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "only the schema of these types is used"
)]
mod app;
#[path = "src/spec/mod.rs"]
#[expect(unreachable_pub, reason = "it is public in the plugin")]
mod spec;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=schema");
    println!("cargo::rerun-if-changed=src/spec");
    berth_sdk_build::Schemas::new()?
        .spec::<spec::pg::Spec>("do.database.pg")?
        .spec::<spec::user::Spec>("do.database.user")?
        .spec::<spec::pool::Spec>("do.database.pool")?
        .spec::<spec::replica::Spec>("do.database.replica")?
        .spec::<spec::firewall::Spec>("do.database.firewall")?
        .spec::<spec::vpc::Spec>("do.vpc")?
        .spec::<spec::functions::Spec>("do.functions.namespace")?
        .spec::<spec::inference::Spec>("do.inference.dedicated")?
        .spec::<spec::agents::Environment>("do.agents.environment")?
        .spec::<spec::agents::Session>("do.agents.session")?
        .spec::<app::Spec>("do.app")?;
    Ok(())
}
