//! The plugin that the README shows: its own test runs here, and the README shows just this.

#[rustfmt::skip]
mod acme;

#[test]
fn the_readme_shows_the_plugin_that_is_tested_here() {
    let shown = format!("```rust\n{}```\n", include_str!("acme.rs"));
    assert!(
        include_str!("../../README.md").contains(&shown),
        "copy tests/readme/acme.rs into the README, or the other way round"
    );
}
