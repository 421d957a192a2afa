//! Compiles components, and keeps what was compiled.
//!
//! A kept file is machine code that will be run, and wasmtime trusts it: bits that flip on a disk are
//! accepted or poison the engine. So each file starts with the SHA-256 of its rest, and one that does
//! not hold is compiled anew. Whoever can write the directory can run code in the host: it must
//! belong to the host alone, which is why it is made with mode 0700.

use std::hash::{Hash as _, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::{Digest, LoadError};

const SUM_BYTES: usize = 32;

/// Compiles a component, or takes it from the cache.
pub(crate) fn compile(
    engine: &Engine,
    bytes: &[u8],
    digest: &Digest,
    cache: Option<&Path>,
) -> Result<Component, LoadError> {
    let file = cache.map(|folder| file_of(engine, digest, folder));
    if let Some(component) = file.as_deref().and_then(|file| load(engine, file)) {
        return Ok(component);
    }
    let component = Component::from_binary(engine, bytes)
        .map_err(|error| LoadError::Corrupt(format!("{:#}", error)))?;
    if let Some(file) = file
        && let Err(error) = store(&component, &file)
    {
        // The next start compiles again; nothing else depends on it.
        tracing::warn!(file = %file.display(), %error, "a compiled component could not be kept");
    }
    Ok(component)
}

/// Named after all that the machine code depends on: the component, and the engine's settings.
fn file_of(engine: &Engine, digest: &Digest, folder: &Path) -> PathBuf {
    let mut hasher = Sha256Hasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    let engine = format!("{:x}", hasher.0.finalize());
    folder.join(format!(
        "{digest}-{}.cwasm",
        engine.get(..16).unwrap_or_default()
    ))
}

struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

fn load(engine: &Engine, file: &Path) -> Option<Component> {
    let bytes = std::fs::read(file).ok()?;
    let (sum, code) = bytes.split_at_checked(SUM_BYTES)?;
    if sum != &Sha256::digest(code)[..] {
        tracing::warn!(file = %file.display(), "a kept component is damaged; it is compiled anew");
        return None;
    }
    #[expect(
        unsafe_code,
        reason = "the bytes are what `serialize` gave this host for this engine: the folder is the host's own, the name carries the engine's compatibility hash, and the sum was checked above"
    )]
    // SAFETY: see the reason above.
    let component = unsafe { Component::deserialize(engine, code) };
    component.inspect_err(|error| tracing::warn!(file = %file.display(), %error, "a kept component can't be used; it is compiled anew")).ok()
}

/// Writes the file beside its place and moves it there, so that no reader sees a half of it.
fn store(component: &Component, file: &Path) -> std::io::Result<()> {
    let folder = file.parent().ok_or(std::io::ErrorKind::InvalidInput)?;
    make_private(folder)?;
    let code = component.serialize().map_err(std::io::Error::other)?;
    let draft = folder.join(format!(
        "{}.{}.{:?}.draft",
        file.file_name().unwrap_or_default().to_string_lossy(),
        std::process::id(),
        std::thread::current().id()
    ));
    let written = write(&draft, &code).and_then(|()| std::fs::rename(&draft, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}

fn write(draft: &Path, code: &[u8]) -> std::io::Result<()> {
    let mut out = std::fs::File::create(draft)?;
    out.write_all(&Sha256::digest(code))?;
    out.write_all(code)?;
    out.sync_all()
}

#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}
