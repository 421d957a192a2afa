//! Reads the tables and the workspace's Rust files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::claims::{Claim, ClaimFault, read_claims};
use crate::report::Report;
use crate::rules::{TableFault, read_table};

/// What can be wrong with tables, claims or the files that hold them.
#[derive(Debug, thiserror::Error)]
pub enum SourceFault {
    /// A row that can't be read.
    #[error(transparent)]
    Table(#[from] TableFault),
    /// A claim that can't hold.
    #[error(transparent)]
    Claim(#[from] ClaimFault),
    /// A claim on a rule that no table has.
    #[error("{}: `{}` claims {}, which no table has; correct the number or add the rule", .0.file, .0.test, .0.rule)]
    UnknownRule(Claim),
    /// There are no rules at all, so a check of them would prove nothing.
    #[error("no rule found in {}", .0.display())]
    NoRules(PathBuf),
    /// A file or folder that can't be read.
    #[error("can't read {}: {error}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

/// The workspace that this crate was built in.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Checks the workspace at `root`. Never fails: what can't be read is a fault of the report.
pub fn check(root: &Path) -> Report {
    let mut faults = Vec::new();

    let tables = root.join("tests/contract/rules");
    let mut rules = Vec::new();
    for path in files(&tables, "md", &mut faults) {
        let Some(text) = read(&path, &mut faults) else {
            continue;
        };
        let (found, wrong) = read_table(&relative(&path, root), &text);
        rules.extend(found);
        faults.extend(wrong.into_iter().map(SourceFault::from));
    }
    if rules.is_empty() {
        faults.push(SourceFault::NoRules(tables));
    }

    let mut claims = Vec::new();
    for path in files(root, "rs", &mut faults) {
        let Some(text) = read(&path, &mut faults) else {
            continue;
        };
        let (found, wrong) = read_claims(&relative(&path, root), &text);
        claims.extend(found);
        faults.extend(wrong.into_iter().map(SourceFault::from));
    }
    Report::new(rules, claims, faults)
}

/// All files with the extension under `folder`, sorted; not those of builds and hidden folders.
fn files(folder: &Path, extension: &str, faults: &mut Vec<SourceFault>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                faults.push(SourceFault::Read {
                    path: folder,
                    error,
                });
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && !name.starts_with("target") {
                folders.push(path);
            } else if !is_folder && path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path, faults: &mut Vec<SourceFault>) -> Option<String> {
    fs::read_to_string(path)
        .map_err(|error| {
            faults.push(SourceFault::Read {
                path: path.to_path_buf(),
                error,
            });
        })
        .ok()
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}
