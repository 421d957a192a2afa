//! The check of the contract, run on this workspace and on a small one of its own.

use std::fs;

#[test]
fn every_rule_that_is_due_has_a_test() {
    let report = berth_contract::check(&berth_contract::workspace_root());
    assert!(report.holds(), "{report}");
}

#[test]
fn claims_are_found_in_any_crate_and_never_in_a_build_folder() {
    let workspace = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = workspace.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "tests/contract/rules/t.md",
        "## kinds\n| CR-001 | One. | 1 |\n| CR-002 | Two. | 1 |\n",
    );
    write(
        "host/a/src/lib.rs",
        "/// rule: CR-001\n#[test]\nfn one() {}\n",
    );
    write(
        "target/b/lib.rs",
        "/// rule: CR-002\n#[test]\nfn two() {}\n",
    );

    let report = berth_contract::check(workspace.path());

    insta::assert_snapshot!(report, @r"
    uncovered CR-002 (kinds) Two.
    not end to end CR-001 (kinds) One.
    contract: 2 rules, 1 covered, 0 later, 1 uncovered
    ");
}

#[test]
fn a_workspace_without_rules_does_not_pass() {
    let workspace = tempfile::tempdir().unwrap();
    assert!(!berth_contract::check(workspace.path()).holds());
}
