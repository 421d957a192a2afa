//! Reads a table of rules.

use std::fmt;

/// The number of a rule, such as `CR-012`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(String);

impl RuleId {
    /// Reads `CR-012`: capital letters, a hyphen, three or more digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (letters, digits) = text.split_once('-')?;
        let letters_fit = letters.len() >= 2 && letters.bytes().all(|b| b.is_ascii_uppercase());
        let digits_fit = digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit());
        (letters_fit && digits_fit).then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The part of the work in which a rule is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// 1 for the first.
    pub number: u32,
    /// What a rule of a later part waits for.
    pub waits_for: Option<String>,
}

impl Part {
    /// Reads `1`, or `2 (previews)`.
    fn parse(text: &str) -> Option<Self> {
        let (number, waits_for) = match text.split_once(' ') {
            None => (text, None),
            Some((number, rest)) => {
                let reason = rest.strip_prefix('(')?.strip_suffix(')')?;
                (number, (!reason.is_empty()).then(|| reason.to_owned()))
            }
        };
        let number = number.parse().ok().filter(|n| *n >= 1)?;
        Some(Self { number, waits_for })
    }
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its number, for good.
    pub id: RuleId,
    /// The heading that it stands under: a method, or a matter of all methods.
    pub section: String,
    /// What must hold.
    pub text: String,
    /// When it is due.
    pub part: Part,
}

/// A row that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct TableFault {
    /// The table's file.
    pub file: String,
    /// The row's line, from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub what: String,
}

/// Reads the rules of one Markdown file: every table row, under the last `##` heading above it.
/// Rows that can't be read become faults; the others are still returned.
pub fn read_table(file: &str, text: &str) -> (Vec<Rule>, Vec<TableFault>) {
    let mut rules: Vec<Rule> = Vec::new();
    let mut faults = Vec::new();
    let mut section = String::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.trim().clone_into(&mut section);
        }
        let Some(row) = line.strip_prefix('|') else {
            continue;
        };
        if row.trim_start().starts_with("id ") || row.starts_with("--") {
            continue;
        }
        match read_row(row, &section) {
            Ok(rule) if rules.iter().any(|known| known.id == rule.id) => faults.push(TableFault {
                file: file.to_owned(),
                line: index + 1,
                what: format!("{} is taken; give the rule the next free number", rule.id),
            }),
            Ok(rule) => rules.push(rule),
            Err(what) => faults.push(TableFault {
                file: file.to_owned(),
                line: index + 1,
                what,
            }),
        }
    }
    (rules, faults)
}

fn read_row(row: &str, section: &str) -> Result<Rule, String> {
    let cells: Vec<&str> = row
        .trim_end()
        .trim_end_matches('|')
        .split(" | ")
        .map(str::trim)
        .collect();
    let [id, text, part] = cells.as_slice() else {
        return Err(format!(
            "a row has three cells, id, rule and part; this one has {}",
            cells.len()
        ));
    };
    let id = RuleId::parse(id)
        .ok_or_else(|| format!("'{id}' is no rule number; one looks like CR-012"))?;
    if text.is_empty() {
        return Err(format!("{id} says nothing"));
    }
    let part = Part::parse(part).ok_or_else(|| {
        format!("{id} has the part '{part}'; write 1, or 2 (what the rule waits for)")
    })?;
    if section.is_empty() {
        return Err(format!("{id} stands under no ## heading"));
    }
    Ok(Rule {
        id,
        section: section.to_owned(),
        text: (*text).to_owned(),
        part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &str) -> (Vec<Rule>, Vec<TableFault>) {
        let head = "# T\n\n## get\n\n| id | rule | part |\n|----|------|------|\n";
        read_table("t.md", &format!("{head}{rows}"))
    }

    #[test]
    fn a_row_gives_its_number_section_text_and_part() {
        let (rules, faults) = table("| CR-001 | Says `a` and b. | 2 (previews) |\n");
        assert_eq!(faults, []);
        let [rule] = rules.as_slice() else {
            panic!("one rule expected, got {rules:?}")
        };
        assert_eq!(rule.id.to_string(), "CR-001");
        assert_eq!(rule.section, "get");
        assert_eq!(rule.text, "Says `a` and b.");
        assert_eq!(rule.part.number, 2);
        assert_eq!(rule.part.waits_for.as_deref(), Some("previews"));
    }

    #[test]
    fn a_number_used_twice_is_a_fault() {
        let (rules, faults) = table("| CR-001 | a | 1 |\n| CR-001 | b | 1 |\n");
        assert_eq!(rules.len(), 1);
        insta::assert_snapshot!(faults[0], @"t.md:8: CR-001 is taken; give the rule the next free number");
    }

    #[test]
    fn a_row_that_cannot_be_read_is_a_fault_and_not_a_silently_missing_rule() {
        for row in [
            "| CR-1 | short number | 1 |",
            "| CR-001 | no part |",
            "| CR-001 |  | 1 |",
            "| CR-001 | odd part | later |",
            "| CR-001 | no such part | 0 |",
            "| CR-001 | reason without brackets | 2 previews |",
        ] {
            let (rules, faults) = table(row);
            assert_eq!((rules.len(), faults.len()), (0, 1), "{row}");
        }
    }
}
