//! The key that wraps every data key, and the file it lives in.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use aws_lc_rs::digest::{Context, SHA256};
use data_encoding::{
    BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE,
};
use zeroize::Zeroizing;

use crate::Entropy;

/// Bytes of a master key.
const KEY_BYTES: usize = 32;

/// A key file holds one short line; more than this is some other file.
const MAX_FILE_BYTES: u64 = 4096;

/// Separates the digest that names a key from every other use of the key.
const KEY_ID_DOMAIN: &[u8] = b"berth master key id v1\0";

/// Which master key wrapped a data key: derived from the key, tells nothing about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; KeyId::BYTES]);

impl KeyId {
    /// Length of an id in bytes.
    pub const BYTES: usize = 8;

    /// An id that was stored.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

/// 256 random bits that wrap the data keys. Wiped when dropped; formatters show only its id.
#[derive(Clone)]
pub struct MasterKey {
    bytes: Zeroizing<[u8; KEY_BYTES]>,
    id: KeyId,
}

/// Why there is no master key. No message holds any part of a key.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// Another length or alphabet.
    #[error(
        "not a master key: expected 32 random bytes written as 64 hexadecimal digits or as base64; `openssl rand -hex 32` makes one"
    )]
    Malformed,
    /// No such file.
    #[error("no master key file at {}: restore it from your backup, or point the setting at the right file; a new key opens none of the secrets sealed with the old one", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// There is a file already where one was to be made.
    #[error("there is a file at {} already, and a master key is never overwritten", path.display())]
    Exists {
        /// The file in the way.
        path: PathBuf,
    },
    /// Others than its owner may read or write the file.
    #[error("{} has mode {mode:04o}, so others can reach the master key: `chmod 600` it, and change the key if they may have read it", path.display())]
    Permissions {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A directory, a pipe, or a file far too long.
    #[error("{} is not a master key file: expected a regular file of one line", path.display())]
    NotAKeyFile {
        /// The path.
        path: PathBuf,
    },
    /// The file holds something else.
    #[error("{} holds no master key: expected 32 bytes as 64 hexadecimal digits or as base64", path.display())]
    MalformedFile {
        /// The file.
        path: PathBuf,
    },
    /// Another process replaces the file's keys.
    #[error("another process changes the keys of {} right now; wait until it has ended", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("the master key file {} can't be {doing}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: `read` or `written`.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl MasterKey {
    /// Takes the 32 bytes of a key.
    #[must_use]
    pub fn from_bytes(bytes: [u8; KEY_BYTES]) -> Self {
        let bytes = Zeroizing::new(bytes);
        let mut digest = Context::new(&SHA256);
        digest.update(KEY_ID_DOMAIN);
        digest.update(bytes.as_slice());
        let mut id = [0; KeyId::BYTES];
        for (to, from) in id.iter_mut().zip(digest.finish().as_ref()) {
            *to = *from;
        }
        Self {
            bytes,
            id: KeyId(id),
        }
    }

    /// Makes a new key.
    #[must_use]
    pub fn generate(entropy: &mut Entropy<'_>) -> Self {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        entropy(bytes.as_mut_slice());
        Self::from_bytes(*bytes)
    }

    /// Reads a key from text, such as an environment variable's value: 64 hexadecimal digits or
    /// base64 (either alphabet, padded or not), white space around it ignored.
    ///
    /// # Errors
    /// [`MasterKeyError::Malformed`].
    pub fn from_text(text: &str) -> Result<Self, MasterKeyError> {
        let text = text.trim().as_bytes();
        let encoding = match text.len() {
            64 => HEXLOWER_PERMISSIVE,
            44 if text.iter().any(|b| matches!(b, b'-' | b'_')) => BASE64URL,
            44 => BASE64,
            _ if text.iter().any(|b| matches!(b, b'-' | b'_')) => BASE64URL_NOPAD,
            _ => BASE64_NOPAD,
        };
        let decoded = encoding
            .decode(text)
            .map(Zeroizing::new)
            .map_err(|_| MasterKeyError::Malformed)?;
        let bytes = <[u8; KEY_BYTES]>::try_from(decoded.as_slice())
            .map_err(|_| MasterKeyError::Malformed)?;
        Ok(Self::from_bytes(bytes))
    }

    /// Reads a file of one key that no one but its owner can reach.
    ///
    /// # Errors
    /// Each way in which the file is missing, open to others, or no key file.
    pub fn from_file(path: &Path) -> Result<Self, MasterKeyError> {
        Self::from_text(&read(path)?)
            .map_err(|_| MasterKeyError::MalformedFile { path: path.into() })
    }

    /// The key as a line of a file.
    pub(crate) fn line(&self) -> Zeroizing<String> {
        Zeroizing::new(HEXLOWER.encode(self.bytes.as_slice()) + "\n")
    }

    /// Makes a new key and the file (mode 0600) that holds it. Never overwrites.
    ///
    /// # Errors
    /// [`MasterKeyError::Exists`], or what the system refused.
    pub fn create_file(path: &Path, entropy: &mut Entropy<'_>) -> Result<Self, MasterKeyError> {
        let key = Self::generate(entropy);
        write_new(path, &key.line())?;
        Ok(key)
    }

    /// Which key this is.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.id
    }

    pub(crate) fn expose(&self) -> &[u8] {
        self.bytes.as_slice()
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey({})", self.id)
    }
}

/// The text of a key file that no one but its owner can reach.
pub(crate) fn read(path: &Path) -> Result<Zeroizing<String>, MasterKeyError> {
    let file = std::fs::File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => MasterKeyError::Missing { path: path.into() },
        _ => io_error(path, "read", source),
    })?;
    let about = file
        .metadata()
        .map_err(|source| io_error(path, "read", source))?;
    if !about.is_file() || about.len() > MAX_FILE_BYTES {
        return Err(MasterKeyError::NotAKeyFile { path: path.into() });
    }
    refuse_open_permissions(path, &about)?;
    let mut text = Zeroizing::new(String::new());
    file.take(MAX_FILE_BYTES)
        .read_to_string(&mut text)
        .map_err(|source| match source.kind() {
            io::ErrorKind::InvalidData => MasterKeyError::MalformedFile { path: path.into() },
            _ => io_error(path, "read", source),
        })?;
    Ok(text)
}

/// Makes a file (mode 0600) that was not there, durably.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), MasterKeyError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => MasterKeyError::Exists { path: path.into() },
        _ => io_error(path, "written", source),
    })?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| sync_directory_of(path))
        .map_err(|source| io_error(path, "written", source))
}

pub(crate) fn io_error(path: &Path, doing: &'static str, source: io::Error) -> MasterKeyError {
    MasterKeyError::Io {
        path: path.into(),
        doing,
        source,
    }
}

#[cfg(unix)]
fn refuse_open_permissions(path: &Path, about: &std::fs::Metadata) -> Result<(), MasterKeyError> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o7777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(MasterKeyError::Permissions {
        path: path.into(),
        mode,
    })
}

#[cfg(not(unix))]
fn refuse_open_permissions(_: &Path, _: &std::fs::Metadata) -> Result<(), MasterKeyError> {
    Ok(())
}

/// A key whose directory entry is lost in a crash takes every secret with it.
#[cfg(unix)]
pub(crate) fn sync_directory_of(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::File::open(directory)?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn sync_directory_of(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff";

    fn key() -> MasterKey {
        MasterKey::from_text(HEX).unwrap()
    }

    #[test]
    fn every_spelling_of_a_key_is_the_same_key() {
        let bytes = key().bytes;
        for text in [
            HEX.to_uppercase(),
            format!("  {HEX}\n"),
            BASE64.encode(bytes.as_slice()),
            BASE64_NOPAD.encode(bytes.as_slice()),
            BASE64URL.encode(bytes.as_slice()),
            BASE64URL_NOPAD.encode(bytes.as_slice()),
        ] {
            assert_eq!(
                MasterKey::from_text(&text).unwrap().key_id(),
                key().key_id()
            );
        }
    }

    #[test]
    fn what_is_no_key_is_refused_without_repeating_it() {
        for text in ["", "hunter22", &HEX[1..], &format!("{HEX}00"), "ä"] {
            let error = MasterKey::from_text(text).unwrap_err();
            assert!(matches!(error, MasterKeyError::Malformed));
            assert!(text.is_empty() || !error.to_string().contains(text));
        }
    }

    #[test]
    fn formatters_show_only_the_id() {
        assert_eq!(
            format!("{:?}", key()),
            format!("MasterKey({})", key().key_id())
        );
        assert!(!HEX.contains(&key().key_id().to_string()));
    }

    #[test]
    fn a_created_file_is_read_back_and_never_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("master.key");
        let made = MasterKey::create_file(&path, &mut |slice| slice.fill(7)).unwrap();
        assert_eq!(MasterKey::from_file(&path).unwrap().key_id(), made.key_id());
        let again = MasterKey::create_file(&path, &mut |slice| slice.fill(8)).unwrap_err();
        assert!(matches!(again, MasterKeyError::Exists { .. }));
        assert_eq!(MasterKey::from_file(&path).unwrap().key_id(), made.key_id());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_reach_is_refused_with_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("master.key");
        MasterKey::create_file(&path, &mut |slice| slice.fill(7)).unwrap();
        let mode_of = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode_of(&path), 0o600);
        for mode in [0o640, 0o604, 0o620, 0o666] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let error = MasterKey::from_file(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("mode {mode:04o}")), "{error}");
            assert!(error.contains("chmod 600"), "{error}");
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
        assert!(MasterKey::from_file(&path).is_ok());
    }

    #[test]
    fn other_files_are_refused_by_what_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("master.key");
        let refused = |path: &Path| MasterKey::from_file(path).unwrap_err();
        assert!(matches!(refused(&path), MasterKeyError::Missing { .. }));
        assert!(matches!(
            refused(directory.path()),
            MasterKeyError::NotAKeyFile { .. }
        ));
        MasterKey::create_file(&path, &mut |slice| slice.fill(7)).unwrap();
        for content in [b"hunter22".as_slice(), b"\xff\xfe", b""] {
            std::fs::write(&path, content).unwrap();
            let error = refused(&path);
            assert!(matches!(error, MasterKeyError::MalformedFile { .. }));
            assert!(!error.to_string().contains("hunter22"));
        }
        std::fs::write(&path, vec![b'0'; 5000]).unwrap();
        assert!(matches!(refused(&path), MasterKeyError::NotAKeyFile { .. }));
    }
}
