//! Mechanical rules of how the project is written.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context as _;

use crate::files;

/// Lines after which a Rust file is worth a look: is it still one idea?
const LONG_FILE: usize = 400;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 8] = [
    "utils", "util", "common", "helpers", "helper", "manager", "managers", "misc",
];

/// What is read; the empty one stands for scripts such as `.ci/run`.
const TEXT: [&str; 10] = [
    "rs", "toml", "md", "wit", "sql", "sh", "json", "yml", "snap", "",
];

/// A place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    file: String,
    line: usize,
    rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    LongFile { lines: usize },
    EmptyName { name: String },
    LintWithoutReason,
    IgnoredWithoutReason,
    MachinePath { path: &'static str },
    Unfinished { word: &'static str },
}

impl Finding {
    /// Must be mended; the others are worth a look.
    pub fn is_failure(&self) -> bool {
        !matches!(self.rule, Rule::LongFile { .. })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_failure() {
            "error"
        } else {
            "warning"
        };
        write!(f, "{kind}: {}:{}: ", self.file, self.line)?;
        match &self.rule {
            Rule::LongFile { lines } => write!(
                f,
                "{lines} lines, more than {LONG_FILE}; if it is more than one idea, split it"
            ),
            Rule::EmptyName { name } => write!(
                f,
                "'{name}' says nothing about what is inside; name the idea"
            ),
            Rule::LintWithoutReason => f.write_str(
                "a lint is switched off without `reason = \"…\"`; say why, with `expect`",
            ),
            Rule::IgnoredWithoutReason => {
                f.write_str("a test is ignored without a reason; write `#[ignore = \"…\"]`")
            }
            Rule::MachinePath { path } => write!(
                f,
                "'{path}' exists on one machine; use a relative path, an argument or a variable"
            ),
            Rule::Unfinished { word } => write!(
                f,
                "'{word}' marks something unfinished; finish it or open an issue"
            ),
        }
    }
}

/// Reads every text file of the workspace.
pub fn check(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for path in files::under(root, &TEXT)? {
        let text =
            fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        let relative = path.strip_prefix(root).unwrap_or(&path);
        findings.extend(check_file(relative, &text));
    }
    Ok(findings)
}

/// Checks one file, known by its path from the workspace's root.
fn check_file(path: &Path, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |line: usize, rule: Rule| {
        findings.push(Finding {
            file: path.display().to_string(),
            line,
            rule,
        });
    };
    for (index, line) in text.lines().enumerate() {
        for path in machine_paths() {
            if has_machine_path(line, path) {
                find(index + 1, Rule::MachinePath { path });
            }
        }
    }
    if path.extension().is_some_and(|extension| extension == "rs") {
        check_rust(path, text, &mut find);
    }
    findings
}

fn check_rust(path: &Path, text: &str, find: &mut impl FnMut(usize, Rule)) {
    let length = text.lines().count();
    if length > LONG_FILE {
        find(1, Rule::LongFile { lines: length });
    }
    if let Some(name) = empty_name(path) {
        find(1, Rule::EmptyName { name });
    }
    for (index, line) in text.lines().enumerate() {
        let code = line.trim_start();
        if code.starts_with("#[ignore]") {
            find(index + 1, Rule::IgnoredWithoutReason);
        }
        let switches_off = ["#[allow(", "#![allow(", "#[expect(", "#![expect("];
        if switches_off.iter().any(|start| code.starts_with(start)) && !has_reason(text, index) {
            find(index + 1, Rule::LintWithoutReason);
        }
        if let Some(module) = module_name(code).filter(|name| EMPTY_NAMES.contains(name)) {
            find(
                index + 1,
                Rule::EmptyName {
                    name: module.to_owned(),
                },
            );
        }
        for word in unfinished_words() {
            if line.contains(word) {
                find(index + 1, Rule::Unfinished { word });
            }
        }
    }
}

/// A file, or a folder that it stands in, whose name says nothing.
fn empty_name(path: &Path) -> Option<String> {
    let stem = path.with_extension("");
    stem.iter()
        .map(|part| part.to_string_lossy())
        .find(|part| EMPTY_NAMES.contains(&part.as_ref()))
        .map(|part| part.into_owned())
}

/// The module that a line declares.
fn module_name(code: &str) -> Option<&str> {
    let rest = ["mod ", "pub mod ", "pub(crate) mod "]
        .iter()
        .find_map(|start| code.strip_prefix(start))?;
    rest.split([';', ' ', '{']).next()
}

/// Whether the attribute that starts on this line gives a reason before it ends.
fn has_reason(text: &str, start: usize) -> bool {
    text.lines()
        .skip(start)
        .scan(false, |ended, line| {
            let line_counts = !*ended;
            *ended |= line.trim_end().ends_with(")]");
            line_counts.then_some(line)
        })
        .any(|line| line.contains("reason = \""))
}

/// Put together so that this file does not contain them.
fn machine_paths() -> [&'static str; 4] {
    [
        concat!("/", "work/"),
        concat!("/", "root/"),
        concat!("/", "farm/"),
        concat!("/", "home/"),
    ]
}

fn unfinished_words() -> [&'static str; 5] {
    [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("X", "XX:"),
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
    ]
}

/// `path` stands in the line as the start of an absolute path, not inside a longer one.
fn has_machine_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-}*".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check_file(Path::new(path), text)
            .iter()
            .map(Finding::to_string)
            .collect()
    }

    #[test]
    fn a_lint_switched_off_needs_a_reason() {
        assert_eq!(
            findings("a.rs", "#[allow(dead_code)]\nfn a() {}\n"),
            [
                "error: a.rs:1: a lint is switched off without `reason = \"…\"`; say why, with `expect`"
            ]
        );
        let reasoned = "#[expect(\n    dead_code,\n    reason = \"why\"\n)]\nfn a() {}\n";
        assert_eq!(findings("a.rs", reasoned), [""; 0]);
        let other_reason =
            "#[allow(dead_code)]\n#[expect(dead_code, reason = \"why\")]\nfn a() {}\n";
        assert_eq!(findings("a.rs", other_reason).len(), 1);
    }

    #[test]
    fn an_ignored_test_needs_a_reason() {
        assert_eq!(
            findings("a.rs", "#[test]\n#[ignore]\nfn a() {}\n"),
            ["error: a.rs:2: a test is ignored without a reason; write `#[ignore = \"…\"]`"]
        );
        assert_eq!(findings("a.rs", "#[ignore = \"why\"]\n"), [""; 0]);
    }

    #[test]
    fn a_name_says_what_is_inside() {
        assert_eq!(findings("host/utils/a.rs", "").len(), 1);
        assert_eq!(findings("host/helpers.rs", "").len(), 1);
        assert_eq!(findings("host/a.rs", "pub mod common;\n").len(), 1);
        assert_eq!(
            findings("host/commonly.rs", "mod manager_of_none;\n"),
            [""; 0]
        );
    }

    #[test]
    fn paths_of_a_machine_are_found_in_any_text() {
        let path = concat!("see /", "work/main");
        assert_eq!(findings("README.md", path).len(), 1);
        assert_eq!(
            findings("README.md", "host/framework/main and ../work/x"),
            [""; 0]
        );
    }

    #[test]
    fn a_long_file_is_worth_a_look_and_no_failure() {
        let found = check_file(Path::new("a.rs"), &"fn a() {}\n".repeat(LONG_FILE + 1));
        assert_eq!(found.len(), 1);
        assert!(!found[0].is_failure());
    }

    #[test]
    fn unfinished_work_is_found() {
        let text = concat!("// TO", "DO later\nfn a() { todo", "!() }\n");
        assert_eq!(findings("a.rs", text).len(), 2);
    }
}
