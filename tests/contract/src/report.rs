//! What the check found, for people.

use std::collections::BTreeMap;
use std::fmt;

use crate::claims::Claim;
use crate::rules::{Rule, RuleId};
use crate::{CURRENT_PART, SourceFault};

/// The sections whose rules a caller of the API can see broken, so each is to have an end-to-end test.
const SIX_METHODS: [&str; 6] = ["kinds", "create", "list", "get", "update", "delete"];

/// Where end-to-end tests stand.
const END_TO_END: &str = "tests/e2e/";

/// A rule and the tests that claim it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The rule.
    pub rule: Rule,
    /// Its tests, each as `file::name`.
    pub tests: Vec<String>,
}

impl Binding {
    /// Has to have a test now.
    pub fn is_due(&self) -> bool {
        self.rule.part.number <= CURRENT_PART
    }

    fn is_uncovered(&self) -> bool {
        self.is_due() && self.tests.is_empty()
    }

    /// Belongs to one of the six methods, is covered, yet by no test that goes through the API.
    fn lacks_end_to_end(&self) -> bool {
        let method = self.rule.section.split(':').next().unwrap_or_default();
        SIX_METHODS.contains(&method)
            && self.is_due()
            && !self.tests.is_empty()
            && !self.tests.iter().any(|test| test.starts_with(END_TO_END))
    }
}

/// All rules with their tests, and all that is wrong.
///
/// Its text is what `contract` prints: faults, uncovered rules, and last the count.
#[derive(Debug)]
pub struct Report {
    bindings: Vec<Binding>,
    faults: Vec<SourceFault>,
}

impl Report {
    /// Binds claims to rules. A claim on an unknown rule becomes a fault.
    pub fn new(rules: Vec<Rule>, claims: Vec<Claim>, mut faults: Vec<SourceFault>) -> Self {
        let mut tests: BTreeMap<RuleId, Vec<String>> = BTreeMap::new();
        for claim in claims {
            if rules.iter().any(|rule| rule.id == claim.rule) {
                let test = format!("{}::{}", claim.file, claim.test);
                tests.entry(claim.rule).or_default().push(test);
            } else {
                faults.push(SourceFault::UnknownRule(claim));
            }
        }
        let bindings = rules
            .into_iter()
            .map(|rule| Binding {
                tests: tests.remove(&rule.id).unwrap_or_default(),
                rule,
            })
            .collect();
        Self { bindings, faults }
    }

    /// Every rule with its tests, in the table's order.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// Nothing is uncovered and nothing wrong.
    pub fn holds(&self) -> bool {
        self.faults.is_empty() && self.uncovered().next().is_none()
    }

    /// Rules that are due and have no test.
    pub fn uncovered(&self) -> impl Iterator<Item = &Rule> {
        self.bindings
            .iter()
            .filter(|binding| binding.is_uncovered())
            .map(|binding| &binding.rule)
    }

    /// The count, as the last line has it. The three counts add up to the rules.
    pub fn summary(&self) -> String {
        let rules = self.bindings.len();
        let covered = self.bindings.iter().filter(|b| !b.tests.is_empty()).count();
        let uncovered = self.uncovered().count();
        let later = rules - covered - uncovered;
        format!("contract: {rules} rules, {covered} covered, {later} later, {uncovered} uncovered")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fault in &self.faults {
            writeln!(f, "{fault}")?;
        }
        for rule in self.uncovered() {
            writeln!(f, "uncovered {} ({}) {}", rule.id, rule.section, rule.text)?;
        }
        for binding in self.bindings.iter().filter(|b| b.lacks_end_to_end()) {
            let Rule {
                id, section, text, ..
            } = &binding.rule;
            writeln!(f, "not end to end {id} ({section}) {text}")?;
        }
        f.write_str(&self.summary())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read_claims, read_table};

    fn report(source: &str) -> Report {
        let table = "## get\n| CR-001 | One. | 1 |\n| CR-002 | Two. | 1 |\n| CR-003 | Three. | 99 (previews) |\n| CR-004 | Four. | 99 (meters) |\n";
        let (rules, _) = read_table("t.md", table);
        let (claims, _) = read_claims("tests/e2e/tests/get.rs", source);
        Report::new(rules, claims, Vec::new())
    }

    #[test]
    fn a_due_rule_without_a_test_is_uncovered_and_fails_the_check() {
        let report = report("/// rule: CR-001, CR-003\n#[test]\nfn it_holds() {}\n");
        assert!(!report.holds());
        insta::assert_snapshot!(report, @r"
        uncovered CR-002 (get) Two.
        contract: 4 rules, 2 covered, 1 later, 1 uncovered
        ");
    }

    #[test]
    fn a_rule_of_a_later_part_needs_no_test_yet() {
        let report = report("/// rule: CR-001, CR-002\n#[test]\nfn it_holds() {}\n");
        assert!(report.holds());
        insta::assert_snapshot!(report, @"contract: 4 rules, 2 covered, 2 later, 0 uncovered");
    }

    #[test]
    fn a_claim_on_an_unknown_rule_fails_the_check() {
        let report = report("/// rule: CR-001, CR-002, CR-999\n#[test]\nfn it_holds() {}\n");
        assert!(!report.holds());
        insta::assert_snapshot!(report, @r"
        tests/e2e/tests/get.rs: `it_holds` claims CR-999, which no table has; correct the number or add the rule
        contract: 4 rules, 2 covered, 2 later, 0 uncovered
        ");
    }
}
