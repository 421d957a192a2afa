//! Finds the claims that tests make on rules.

use crate::rules::RuleId;

/// A test that says which rule it proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The rule.
    pub rule: RuleId,
    /// The file, from the workspace's root.
    pub file: String,
    /// The name of the test function.
    pub test: String,
}

/// A claim that can't hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct ClaimFault {
    /// The file, from the workspace's root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub what: String,
}

const MARK: &str = "/// rule: ";

/// What has been read above an item: its doc lines and attributes.
#[derive(Default)]
struct Above {
    rules: Vec<RuleId>,
    is_test: bool,
    ignored: bool,
    /// Open brackets of an attribute that goes on over several lines.
    open_brackets: usize,
}

/// Reads the claims of one Rust file, line by line; nothing is compiled. `file` is only for the answer.
pub fn read_claims(file: &str, source: &str) -> (Vec<Claim>, Vec<ClaimFault>) {
    let mut claims = Vec::new();
    let mut faults = Vec::new();
    let mut above = Above::default();
    for (index, line) in source.lines().enumerate() {
        let line = line.trim();
        let mut fault = |what: String| {
            faults.push(ClaimFault {
                file: file.to_owned(),
                line: index + 1,
                what,
            });
        };
        if above.open_brackets > 0 || line.starts_with("#[") {
            above.read_attribute(line);
        } else if let Some(ids) = line.strip_prefix(MARK) {
            for id in ids.split(", ") {
                match RuleId::parse(id) {
                    Some(rule) => above.rules.push(rule),
                    None => fault(format!(
                        "'{id}' is no rule number; write `{MARK}CR-012, CR-013`"
                    )),
                }
            }
        } else if line.starts_with("//") {
            if almost_a_mark(line) {
                fault(format!(
                    "this looks like a claim and is none; write `{MARK}CR-012, CR-013`"
                ));
            }
        } else if !line.is_empty() {
            let above = std::mem::take(&mut above);
            match above.claim(line) {
                Ok(None) => {}
                Ok(Some(test)) => claims.extend(above.rules.into_iter().map(|rule| Claim {
                    rule,
                    file: file.to_owned(),
                    test: test.to_owned(),
                })),
                Err(what) => fault(what),
            }
        }
    }
    (claims, faults)
}

impl Above {
    fn read_attribute(&mut self, line: &str) {
        if self.open_brackets == 0 {
            let path: String = line
                .trim_start_matches("#[")
                .chars()
                .take_while(|c| c.is_alphanumeric() || "_:".contains(*c))
                .collect();
            self.is_test |= path == "test" || path.ends_with("::test");
            self.ignored |= path == "ignore";
        }
        let opened = line.matches('[').count();
        let closed = line.matches(']').count();
        self.open_brackets = (self.open_brackets + opened).saturating_sub(closed);
    }

    /// The test's name when there are claims and `line` begins a test function.
    fn claim<'a>(&self, line: &'a str) -> Result<Option<&'a str>, String> {
        let Some(first) = self.rules.first() else {
            return Ok(None);
        };
        let Some(name) = function_name(line) else {
            return Err(format!(
                "{first} is claimed by something that is no function; put the line above a test"
            ));
        };
        if !self.is_test {
            return Err(format!(
                "{first} is claimed by `{name}`, which is no test; put the line above a test"
            ));
        }
        if self.ignored {
            return Err(format!(
                "{first} is claimed by `{name}`, which is ignored and so proves nothing"
            ));
        }
        Ok(Some(name))
    }
}

/// The name of the function that begins on this line, if one does.
fn function_name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let only_modifiers = before
        .split_whitespace()
        .all(|word| ["pub", "pub(crate)", "async"].contains(&word));
    let name = rest
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()?;
    (only_modifiers && !name.is_empty()).then_some(name)
}

/// A comment that someone meant as a claim: another case, a plural, the wrong slashes.
fn almost_a_mark(line: &str) -> bool {
    let text = line.trim_start_matches(['/', '!']).trim_start();
    let Some((word, ids)) = text.split_once(':') else {
        return false;
    };
    let word = word.trim().to_ascii_lowercase();
    let first = ids
        .trim_start()
        .split([',', ' ', '.'])
        .next()
        .unwrap_or_default();
    ["rule", "rules"].contains(&word.as_str()) && RuleId::parse(first).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(source: &str) -> Vec<String> {
        let (claims, faults) = read_claims("a.rs", source);
        assert_eq!(faults, []);
        claims
            .iter()
            .map(|claim| format!("{} {}", claim.rule, claim.test))
            .collect()
    }

    fn fault(source: &str) -> String {
        let (claims, faults) = read_claims("a.rs", source);
        assert_eq!(claims, []);
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults[0].to_string()
    }

    #[test]
    fn a_test_claims_the_rules_above_it() {
        let source = "/// Why.\n///\n/// rule: CR-001, CR-002\n/// rule: CR-003\n#[test]\nfn it_holds() {\n}\n";
        assert_eq!(
            claims(source),
            ["CR-001 it_holds", "CR-002 it_holds", "CR-003 it_holds"]
        );
    }

    #[test]
    fn the_order_of_attributes_and_claims_does_not_matter() {
        let source = "#[tokio::test(flavor = \"multi_thread\")]\n    /// rule: CR-001\n    async fn it_holds() {}\n";
        assert_eq!(claims(source), ["CR-001 it_holds"]);
    }

    #[test]
    fn an_attribute_may_go_on_over_lines() {
        let source = "/// rule: CR-001\n#[test]\n#[expect(\n    clippy::unwrap_used,\n    reason = \"a test\"\n)]\nfn it_holds() {}\n";
        assert_eq!(claims(source), ["CR-001 it_holds"]);
    }

    #[test]
    fn a_property_test_claims_too() {
        let source =
            "proptest! {\n  /// rule: CR-001\n  #[test]\n  fn it_holds(a in 0..9u8) {\n  }\n}\n";
        assert_eq!(claims(source), ["CR-001 it_holds"]);
    }

    #[test]
    fn claims_do_not_leak_to_the_next_function() {
        let source =
            "/// rule: CR-001\n#[test]\nfn first() {\n    body();\n}\n\n#[test]\nfn second() {}\n";
        assert_eq!(claims(source), ["CR-001 first"]);
    }

    #[test]
    fn only_a_running_test_can_claim() {
        insta::assert_snapshot!(fault("/// rule: CR-001\nfn plain() {}\n"), @"a.rs:2: CR-001 is claimed by `plain`, which is no test; put the line above a test");
        insta::assert_snapshot!(fault("/// rule: CR-001\n#[test]\n#[ignore = \"slow\"]\nfn later() {}\n"), @"a.rs:4: CR-001 is claimed by `later`, which is ignored and so proves nothing");
        insta::assert_snapshot!(fault("/// rule: CR-001\n#[cfg(test)]\nmod tests {\n"), @"a.rs:3: CR-001 is claimed by something that is no function; put the line above a test");
    }

    #[test]
    fn a_line_that_almost_looks_like_a_claim_is_told() {
        for line in [
            "// rule: CR-001",
            "/// rules: CR-001",
            "/// Rule: CR-001",
            "///rule: CR-001",
        ] {
            let source = format!("{line}\n#[test]\nfn it_holds() {{}}\n");
            assert!(fault(&source).contains("looks like a claim"), "{line}");
        }
        insta::assert_snapshot!(fault("/// rule: CR-1\n#[test]\nfn it_holds() {}\n"), @"a.rs:1: 'CR-1' is no rule number; write `/// rule: CR-012, CR-013`");
    }
}
