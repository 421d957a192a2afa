//! The contract's rules, and the proof that each has a test.
//!
//! `rules/*.md` hold the rules, one numbered table row each. A test claims the rules that it
//! proves with a doc line of its own, right at the test, so that the binding moves and dies with it:
//!
//! ```text
//! /// A second resource of the same name is refused, whatever state the first is in.
//! ///
//! /// rule: CR-138, CR-140
//! #[tokio::test]
//! async fn a_name_is_taken_until_its_resource_is_deleted() { … }
//! ```
//!
//! - The line is exactly `/// rule: ` and ids joined by `, `; a test may have several such lines,
//!   and a rule several tests.
//! - It stands among the doc lines and attributes of a function that is a test: `#[test]`, or an
//!   attribute whose path ends in `::test`. A `#[ignore]`d test proves nothing and may claim nothing.
//! - Claim a rule only where breaking it makes that very test fail.
//!
//! [`check`] reads the tables and every Rust file of the workspace, builds nothing, and reports the
//! rules that are due ([`CURRENT_PART`]) and have no test, and every claim that can't hold: an
//! unknown id, a claim on something that is no test, a line that almost looks like one. The binary
//! `contract` prints the report; its last line is the count. The same check is a test of this crate.

mod claims;
mod report;
mod rules;
mod sources;

pub use claims::{Claim, ClaimFault, read_claims};
pub use report::{Binding, Report};
pub use rules::{Part, Rule, RuleId, TableFault, read_table};
pub use sources::{SourceFault, check, workspace_root};

/// The part of the work that is being done. Rules of this part and earlier ones are due.
pub const CURRENT_PART: u32 = 2;
