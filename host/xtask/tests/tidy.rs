//! The mechanical rules hold for the workspace.

#[test]
fn the_workspace_is_tidy() -> anyhow::Result<()> {
    let findings = xtask::tidy::check(&xtask::cargo::workspace_root())?;
    let failures: Vec<String> = findings
        .iter()
        .filter(|finding| finding.is_failure())
        .map(ToString::to_string)
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}
