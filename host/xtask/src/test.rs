//! `cargo xtask test`: builds what the tests need, runs every test, counts the contract's rules.

use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::ops::AddAssign;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::built::{Built, FOR_TESTS, Purpose, test_features};
use crate::cargo::{cargo, metadata, say, shown, workspace_root};
use crate::files;

/// Where the last lines are kept for whoever wants to show them again, under the target folder.
const SUMMARY: &str = "test-summary.txt";

/// What to run. Without network, set `CARGO_NET_OFFLINE=true`: cargo and all it starts obey it.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The nextest profile, where nextest is installed; `ci` where the variable `CI` is set.
    #[arg(long)]
    profile: Option<String>,
    /// Passed on to the runner, such as a part of a test's name.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    runner: Vec<String>,
}

/// How many tests ran.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    passed: u64,
    failed: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// What a runner left: the count, and whether all is well by its own word.
type Outcome = (Count, bool);

/// Runs everything even if something fails, says so in the last two lines, and then fails.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let built = Built::make(Purpose::Test, &FOR_TESTS)?;
    let target = metadata()?.target_directory.into_std_path_buf();

    let (mut count, mut all_well) = if has_nextest() {
        nextest(options, &built, &target)?
    } else {
        say("cargo-nextest is not installed: running the tests with `cargo test`");
        let mut tests = cargo();
        tests
            .args(["test", "--workspace", "--no-fail-fast"])
            .args(["--lib", "--bins", "--tests"])
            .args(test_features()?)
            .args(&options.runner);
        cargo_test(tests.envs(built.environment()))?
    };
    if options.runner.is_empty() && has_doctests(&workspace_root())? {
        let mut doctests = cargo();
        doctests
            .args(["test", "--workspace", "--no-fail-fast", "--doc"])
            .args(test_features()?);
        let (more, well) = cargo_test(doctests.envs(built.environment()))?;
        count += more;
        all_well &= well;
    }
    let (contract, contract_holds) = contract(&built)?;

    let summary = format!("{count}\n{contract}\n");
    print!("{summary}");
    fs::write(target.join(SUMMARY), summary).context("can't write the summary")?;
    ensure!(all_well, "tests failed: see above");
    ensure!(
        contract_holds,
        "due rules of the contract have no test, or a claim on a rule does not hold: see above"
    );
    Ok(())
}

fn has_nextest() -> bool {
    cargo()
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs nextest at the terminal as it is, and takes the count from its report file.
fn nextest(options: &Options, built: &Built, target: &Path) -> anyhow::Result<Outcome> {
    let in_ci = std::env::var_os("CI").is_some();
    let profile = options
        .profile
        .as_deref()
        .unwrap_or(if in_ci { "ci" } else { "default" });
    let report = target.join("nextest").join(profile).join("junit.xml");
    if report.exists() {
        fs::remove_file(&report).context("can't remove the report of the last run")?;
    }
    let mut tests = cargo();
    tests
        .args(["nextest", "run", "--workspace"])
        .args(["--profile", profile])
        .args(test_features()?)
        .args(&options.runner)
        .envs(built.environment());
    let status = tests
        .status()
        .with_context(|| format!("can't start `{}`", shown(&tests)))?;
    let count = fs::read_to_string(&report)
        .ok()
        .and_then(|xml| count_in_junit(&xml))
        .unwrap_or_default();
    Ok((count, status.success()))
}

/// The count of a whole run: `<testsuites … tests="5" failures="1" errors="0">`.
fn count_in_junit(xml: &str) -> Option<Count> {
    let suites = xml.split("<testsuites ").nth(1)?.split('>').next()?;
    let number = |name: &str| -> Option<u64> {
        let value = suites.split(&format!(" {name}=\"")).nth(1)?;
        value.split('"').next()?.parse().ok()
    };
    let failed = number("failures")? + number("errors")?;
    Some(Count {
        passed: number("tests")?.checked_sub(failed)?,
        failed,
    })
}

/// Runs `cargo test`, shows its output as it comes, and adds up the results of its test programs.
fn cargo_test(tests: &mut Command) -> anyhow::Result<Outcome> {
    let shown = shown(tests);
    let mut running = tests
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("can't start `{shown}`"))?;
    let output = running.stdout.take().context("its output is piped")?;
    let mut count = Count::default();
    for line in BufReader::new(output).lines() {
        let line = line.with_context(|| format!("can't read what `{shown}` says"))?;
        println!("{line}");
        count += count_in_line(&line).unwrap_or_default();
    }
    let status = running.wait().with_context(|| format!("lost `{shown}`"))?;
    Ok((count, status.success()))
}

/// The count of one test program: `test result: ok. 3 passed; 0 failed; 0 ignored; …`.
fn count_in_line(line: &str) -> Option<Count> {
    let result = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let number = |word: &str| -> Option<u64> {
        let part = result
            .split("; ")
            .find_map(|part| part.strip_suffix(word))?;
        part.trim().parse().ok()
    };
    Some(Count {
        passed: number("passed")?,
        failed: number("failed")?,
    })
}

/// Whether any doc comment has code that would run. Going over every crate for nothing takes a while.
fn has_doctests(root: &Path) -> anyhow::Result<bool> {
    for file in files::under(root, &["rs"])? {
        let source =
            fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        if has_running_doc_code(&source) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_running_doc_code(source: &str) -> bool {
    let mut inside = false;
    for line in source.lines() {
        let line = line.trim_start();
        let Some(doc) = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
        else {
            inside = false;
            continue;
        };
        let Some(words) = doc.trim_start().strip_prefix("```") else {
            continue;
        };
        let runs = ["", "rust", "no_run", "should_panic", "compile_fail"];
        if !inside && words.split(',').all(|word| runs.contains(&word.trim())) {
            return true;
        }
        inside = !inside;
    }
    false
}

/// Prints what the check of the contract found, save its last line, the count, which it returns.
fn contract(built: &Built) -> anyhow::Result<(String, bool)> {
    let check = Command::new(built.program("contract"))
        .stderr(Stdio::inherit())
        .output()
        .context("can't run the check of the contract")?;
    let report = String::from_utf8_lossy(&check.stdout);
    let mut lines: Vec<&str> = report.lines().collect();
    let count = lines
        .pop()
        .context("the check of the contract says nothing")?;
    for line in lines {
        println!("{line}");
    }
    Ok((count.to_owned(), check.status.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_nextest_is_read_from_its_report() {
        let xml = "<?xml version=\"1.0\"?>\n<testsuites name=\"nextest-run\" tests=\"5\" failures=\"1\" errors=\"1\" uuid=\"u\">\n<testsuite name=\"a\" tests=\"5\" failures=\"1\">";
        assert_eq!(
            count_in_junit(xml),
            Some(Count {
                passed: 3,
                failed: 2
            })
        );
        assert_eq!(count_in_junit("<html>"), None);
    }

    #[test]
    fn the_count_of_cargo_test_is_read_from_its_result_lines() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s";
        assert_eq!(
            count_in_line(line),
            Some(Count {
                passed: 12,
                failed: 3
            })
        );
        assert_eq!(count_in_line("test a_result ... ok"), None);
    }

    #[test]
    fn only_code_that_runs_asks_for_doctests() {
        assert!(has_running_doc_code(
            "/// ```\n/// let a = 1;\n/// ```\nfn a() {}"
        ));
        assert!(has_running_doc_code("//! ```no_run\n//! a();\n//! ```"));
        assert!(!has_running_doc_code(
            "/// ```text\n/// a\n/// ```\nfn a() {}"
        ));
        assert!(!has_running_doc_code(
            "/// ```json\n/// {}\n/// ```\nfn a() {}"
        ));
        assert!(!has_running_doc_code("let text = \"```\";"));
    }
}
