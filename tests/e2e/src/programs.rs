//! Where the programs and components are that a test runs.

use std::path::{Path, PathBuf};

/// The workspace's root.
fn workspace() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// The host's program: `BERTH_BIN`, or where cargo puts it.
///
/// # Panics
/// When it is not there.
#[must_use]
pub fn berth() -> PathBuf {
    let path =
        std::env::var_os("BERTH_BIN").map_or_else(|| target().join("debug/berth"), PathBuf::from);
    there(path, "cargo build --package berth --features failpoints")
}

/// Where hosts of all tests keep what they compiled, so that each component is compiled once.
pub(crate) fn compile_cache() -> PathBuf {
    target().join("e2e-cache")
}

/// A component that tests load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// The DigitalOcean plugin.
    Do,
    /// Its next version, with one output more.
    DoNext,
    /// The one that misbehaves.
    Hostile,
    /// A yard of cranes and sheds: what DigitalOcean lacks.
    Yard,
}

impl Component {
    /// Its file: in `BERTH_COMPONENTS`, or where `cargo xtask` puts it.
    ///
    /// # Panics
    /// When it is not there.
    #[must_use]
    pub fn path(self) -> PathBuf {
        let folder = std::env::var_os("BERTH_COMPONENTS")
            .map_or_else(|| workspace().join("target/components"), PathBuf::from);
        let file = match self {
            Self::Do => "do.wasm",
            Self::DoNext => "do-next.wasm",
            Self::Hostile => "guest-hostile.wasm",
            Self::Yard => "guest-yard.wasm",
        };
        there(folder.join(file), "cargo xtask test")
    }

    /// Its bytes.
    ///
    /// # Panics
    /// When it can't be read.
    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        let path = self.path();
        std::fs::read(&path)
            .unwrap_or_else(|error| panic!("can't read {}: {error}", path.display()))
    }

    /// Its bytes with every `old` replaced by a `new` of the same length: another generation, in
    /// which a kind has another name for instance.
    ///
    /// # Panics
    /// When `old` is not in it or the lengths differ.
    #[must_use]
    pub fn with(self, old: &str, new: &str) -> Vec<u8> {
        assert_eq!(
            old.len(),
            new.len(),
            "lengths are written all over a component"
        );
        let mut bytes = self.bytes();
        let mut found = 0;
        let mut at = 0;
        while let Some(next) = find(&bytes[at..], old.as_bytes()) {
            at += next;
            bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
            at += new.len();
            found += 1;
        }
        assert!(found > 0, "`{old}` is not in {self:?}");
        bytes
    }
}

/// Bytes as base64, as `plugins/install` takes a component.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    data_encoding::BASE64.encode(bytes)
}

pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    loop {
        let at = from
            + haystack
                .get(from..)?
                .iter()
                .position(|byte| *byte == first)?;
        if haystack[at..].starts_with(needle) {
            return Some(at);
        }
        from = at + 1;
    }
}

fn there(path: PathBuf, by: &str) -> PathBuf {
    assert!(
        path.exists(),
        "{} is not there; build it first: `{by}`",
        path.display()
    );
    path
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_needle_is_found_wherever_it_is() {
        assert_eq!(find(b"aab", b"ab"), Some(1));
        assert_eq!(find(b"ab", b"ab"), Some(0));
        assert_eq!(find(b"aaa", b"ab"), None);
        assert_eq!(find(b"", b"ab"), None);
    }
}
