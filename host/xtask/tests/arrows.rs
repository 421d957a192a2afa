//! The arrows between packages hold, and a wrong one is found and explained.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

#[test]
fn every_package_keeps_to_the_arrows() -> anyhow::Result<()> {
    let wrong = xtask::arrows::check(&xtask::cargo::metadata()?);
    let told: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
    Ok(())
}

const INHERITS: &str = "version = \"0.1.0\"\nedition = \"2024\"\nlicense.workspace = true\n\n[lints]\nworkspace = true\n";

/// What the rules say to a workspace of these packages, each a folder, a name and the rest of its manifest.
fn told(packages: &[(&str, &str, &str)]) -> anyhow::Result<String> {
    let workspace = tempfile::tempdir()?;
    let members: Vec<&str> = packages.iter().map(|(folder, _, _)| *folder).collect();
    fs::write(
        workspace.path().join("Cargo.toml"),
        format!(
            "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n[workspace.package]\nlicense = \"Apache-2.0\"\n[workspace.lints.rust]\n"
        ),
    )?;
    for (folder, name, rest) in packages {
        write_package(workspace.path(), folder, name, rest)?;
    }
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(workspace.path().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .context("the test's own workspace is read")?;
    let wrong = xtask::arrows::check(&metadata);
    let told: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    Ok(told.join("\n"))
}

fn write_package(root: &Path, folder: &str, name: &str, rest: &str) -> anyhow::Result<()> {
    let folder = root.join(folder);
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    fs::write(
        folder.join("Cargo.toml"),
        format!("[package]\nname = \"{name}\"\n{rest}"),
    )?;
    Ok(())
}

fn depending(table: &str, on: &str) -> String {
    format!("{INHERITS}\n[{table}]\n{on}\n")
}

#[test]
fn a_lower_layer_must_not_use_a_higher_one() -> anyhow::Result<()> {
    let store = depending("dependencies", "berth-service.path = \"../service\"");
    insta::assert_snapshot!(told(&[
        ("host/store", "berth-store", &store),
        ("host/service", "berth-service", INHERITS),
    ])?, @r"
    error: berth-store must not depend on berth-service
      rule: berth -> api -> service -> {store, runtime, vault, policy} -> domain; xtask uses none of them
      mend: move the code to the layer that may use it, or define a port below and implement it above
    ");
    Ok(())
}

#[test]
fn host_and_plugins_must_not_use_each_other_even_in_tests() -> anyhow::Result<()> {
    let plugin = depending(
        "dev-dependencies",
        "berth-domain.path = \"../../host/domain\"",
    );
    insta::assert_snapshot!(told(&[
        ("plugins/do", "plugin-do", &plugin),
        ("host/domain", "berth-domain", INHERITS),
    ])?, @r"
    error: plugin-do must not depend on berth-domain
      rule: host and plugins know nothing of each other, not even in tests
      mend: let both use wit/, or move the test to tests/
    ");
    Ok(())
}

#[test]
fn only_tests_use_what_stands_under_tests() -> anyhow::Result<()> {
    let wrong = depending("dependencies", "double.path = \"../../tests/double\"");
    let right = depending("dev-dependencies", "double.path = \"../../tests/double\"");
    insta::assert_snapshot!(told(&[
        ("host/runtime", "berth-runtime", &wrong),
        ("host/store", "berth-store", &right),
        ("tests/double", "double", INHERITS),
    ])?, @r"
    error: berth-runtime must not depend on double
      rule: nothing but tests depends on tests/
      mend: make it a dev-dependency, or move the code out of tests/
    ");
    Ok(())
}

#[test]
fn the_pure_core_takes_nothing_that_does_io() -> anyhow::Result<()> {
    let domain = depending("dependencies", "tokio = \"1\"\nserde = \"1\"");
    insta::assert_snapshot!(told(&[("host/domain", "berth-domain", &domain)])?, @r"
    error: berth-domain must not depend on tokio
      rule: domain and policy are pure: no I/O, no clock, no randomness
      mend: take what it gives as an argument, and call it in service or runtime
    ");
    Ok(())
}

#[test]
fn plugins_and_guests_use_the_sdk() -> anyhow::Result<()> {
    let plugin = depending("dependencies", "berth-sdk.path = \"../../sdk\"");
    assert_eq!(
        told(&[
            ("plugins/do", "plugin-do", &plugin),
            ("tests/guest", "guest", &plugin),
            ("sdk", "berth-sdk", INHERITS),
        ])?,
        ""
    );
    Ok(())
}

#[test]
fn every_package_inherits_licence_and_lints() -> anyhow::Result<()> {
    let own = "version = \"0.1.0\"\nedition = \"2024\"\nlicense = \"MIT\"\n";
    insta::assert_snapshot!(told(&[("host/vault", "berth-vault", own)])?, @r"
    error: berth-vault does not inherit the workspace's lints
      rule: one licence and one set of lints hold for every package
      mend: add `[lints]` with `workspace = true`
    error: berth-vault does not inherit the workspace's licence
      rule: one licence and one set of lints hold for every package
      mend: write `license.workspace = true`
    ");
    Ok(())
}
