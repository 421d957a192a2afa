//! The workspace's own files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Folders that hold what was built, fetched or left by a run.
const NOT_OURS: [&str; 5] = [".git", "target", "node_modules", "berth-data", ".berth"];

/// All files under `folder` whose name ends in one of the extensions, or that have none and stand in
/// a hidden folder (`.ci/run`); sorted.
pub fn under(folder: &Path, extensions: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let cannot_read = || format!("can't read {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(cannot_read)? {
            let entry = entry.with_context(cannot_read)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let kind = entry.file_type().with_context(cannot_read)?;
            if kind.is_dir() {
                if !NOT_OURS.contains(&name.as_ref()) && !name.starts_with("target-") {
                    folders.push(entry.path());
                }
            } else if kind.is_file() && is_wanted(&entry.path(), extensions) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_wanted(path: &Path, extensions: &[&str]) -> bool {
    match path.extension() {
        Some(extension) => extensions.iter().any(|wanted| extension == *wanted),
        None => {
            extensions.contains(&"")
                && path
                    .parent()
                    .and_then(Path::file_name)
                    .is_some_and(|folder| folder.to_string_lossy().starts_with('.'))
        }
    }
}
