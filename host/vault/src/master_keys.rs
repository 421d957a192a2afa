//! The master keys of a deployment: one seals, each of them opens.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::master_key::{io_error, read, sync_directory_of, write_new};
use crate::{KeyId, MasterKey, MasterKeyError};

/// Keys that one file holds at most: one in force and those before it.
const KEYS_MAX: usize = 16;

/// Master keys. The first of a file is the one in force, a line each.
#[derive(Debug, Clone)]
pub struct MasterKeys {
    current: MasterKey,
    previous: Vec<MasterKey>,
}

impl MasterKeys {
    /// Keys of which `current` seals.
    #[must_use]
    pub fn new(current: MasterKey, previous: Vec<MasterKey>) -> Self {
        let mut keys = Self {
            current,
            previous: Vec::new(),
        };
        keys.keep(previous);
        keys
    }

    /// The one that seals.
    #[must_use]
    pub fn current(&self) -> &MasterKey {
        &self.current
    }

    /// Those that only open.
    #[must_use]
    pub fn previous(&self) -> &[MasterKey] {
        &self.previous
    }

    /// The key of an id.
    #[must_use]
    pub fn find(&self, id: KeyId) -> Option<&MasterKey> {
        std::iter::once(&self.current)
            .chain(&self.previous)
            .find(|key| key.key_id() == id)
    }

    /// Has more keys open; those that are known already stay as they are.
    pub fn keep(&mut self, more: impl IntoIterator<Item = MasterKey>) {
        for key in more {
            if self.find(key.key_id()).is_none() {
                self.previous.push(key);
            }
        }
    }

    /// The same keys and a new one that seals from now on.
    #[must_use]
    pub fn succeeded_by(&self, current: MasterKey) -> Self {
        let mut previous = vec![self.current.clone()];
        previous.extend(self.previous.iter().cloned());
        Self::new(current, previous)
    }

    /// Reads a key file that no one but its owner can reach.
    ///
    /// # Errors
    /// Each way in which the file is missing, open to others, or no key file.
    pub fn from_file(path: &Path) -> Result<Self, MasterKeyError> {
        let malformed = || MasterKeyError::MalformedFile { path: path.into() };
        let text = read(path)?;
        let mut keys = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(KEYS_MAX + 1)
            .map(|line| MasterKey::from_text(line).map_err(|_| malformed()))
            .collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() || keys.len() > KEYS_MAX {
            return Err(malformed());
        }
        let current = keys.remove(0);
        Ok(Self::new(current, keys))
    }
}

/// A key file that nobody else replaces as long as this lives.
#[derive(Debug)]
pub struct KeyFile {
    path: PathBuf,
    _lock: File,
}

impl KeyFile {
    /// Takes a key file for replacing it. Readers never wait for that.
    ///
    /// # Errors
    /// [`MasterKeyError::Busy`] while another process has it.
    pub fn lock(path: &Path) -> Result<Self, MasterKeyError> {
        let beside = beside(path, "lock");
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options
            .open(&beside)
            .map_err(|source| io_error(&beside, "written", source))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.into(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(MasterKeyError::Busy { path: path.into() }),
            Err(TryLockError::Error(source)) => Err(io_error(&beside, "written", source)),
        }
    }

    /// The keys as they are in the file.
    ///
    /// # Errors
    /// As [`MasterKeys::from_file`].
    pub fn read(&self) -> Result<MasterKeys, MasterKeyError> {
        MasterKeys::from_file(&self.path)
    }

    /// Replaces the file's keys: whoever reads finds the old ones or the new ones, after a crash too.
    ///
    /// # Errors
    /// What the system refused; the old keys stay then.
    pub fn replace(&self, keys: &MasterKeys) -> Result<(), MasterKeyError> {
        let mut text = Zeroizing::new(String::new());
        for key in std::iter::once(&keys.current).chain(&keys.previous) {
            text.push_str(&key.line());
        }
        let fresh = beside(&self.path, "new");
        // One that a crash left behind: nobody else writes it, for the file is locked.
        match std::fs::remove_file(&fresh) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(io_error(&fresh, "written", source));
            }
            _ => {}
        }
        write_new(&fresh, &text)?;
        std::fs::rename(&fresh, &self.path)
            .and_then(|()| sync_directory_of(&self.path))
            .map_err(|source| io_error(&self.path, "written", source))
    }

    /// Puts a key that is out of force into a file of its own, named by its id; one that is there stays.
    ///
    /// # Errors
    /// What the system refused.
    pub fn lay_aside(&self, key: &MasterKey) -> Result<PathBuf, MasterKeyError> {
        let aside = beside(&self.path, &key.key_id().to_string());
        match write_new(&aside, &key.line()) {
            // Half of one, if a crash came in between, is written again.
            Err(MasterKeyError::Exists { .. })
                if MasterKey::from_file(&aside)
                    .is_ok_and(|there| there.key_id() == key.key_id()) =>
            {
                Ok(aside)
            }
            Err(MasterKeyError::Exists { .. }) => {
                std::fs::remove_file(&aside)
                    .map_err(|source| io_error(&aside, "written", source))?;
                write_new(&aside, &key.line()).map(|()| aside)
            }
            done => done.map(|()| aside),
        }
    }
}

/// `master.key` and `lock` is `master.key.lock`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(fill: u8) -> MasterKey {
        MasterKey::from_bytes([fill; 32])
    }

    fn ids(keys: &MasterKeys) -> Vec<KeyId> {
        let mut ids = vec![keys.current().key_id()];
        ids.extend(keys.previous().iter().map(MasterKey::key_id));
        ids
    }

    #[test]
    fn a_replaced_file_holds_the_new_keys_for_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("master.key");
        MasterKey::create_file(&path, &mut |slice| slice.fill(1)).unwrap();
        let file = KeyFile::lock(&path).unwrap();
        let old = file.read().unwrap();
        assert_eq!(ids(&old), [key(1).key_id()]);
        std::fs::write(directory.path().join("master.key.new"), "half").unwrap();
        file.replace(&old.succeeded_by(key(2))).unwrap();
        assert_eq!(
            ids(&MasterKeys::from_file(&path).unwrap()),
            [key(2).key_id(), key(1).key_id()]
        );
        let aside = file.lay_aside(&key(1)).unwrap();
        std::fs::write(&aside, "half").unwrap();
        assert_eq!(file.lay_aside(&key(1)).unwrap(), aside);
        assert_eq!(file.lay_aside(&key(1)).unwrap(), aside);
        assert_eq!(
            MasterKey::from_file(&aside).unwrap().key_id(),
            key(1).key_id()
        );
        #[cfg(unix)]
        for entry in std::fs::read_dir(directory.path()).unwrap() {
            let mode = std::os::unix::fs::PermissionsExt::mode(
                &entry.unwrap().metadata().unwrap().permissions(),
            );
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn two_cannot_replace_one_file_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("master.key");
        let first = KeyFile::lock(&path).unwrap();
        let second = KeyFile::lock(&path).unwrap_err();
        assert!(matches!(second, MasterKeyError::Busy { .. }), "{second}");
        drop(first);
        KeyFile::lock(&path).unwrap();
    }

    #[test]
    fn a_file_of_no_keys_or_of_something_else_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("master.key");
        let good = key(1).line();
        let too_many: String = (0..=16).map(|n| key(n).line().to_string()).collect();
        for text in ["", "\n\n", &format!("{}hunter22\n", *good), &too_many] {
            let _ = std::fs::remove_file(&path);
            write_new(&path, text).unwrap();
            let refused = MasterKeys::from_file(&path).unwrap_err();
            assert!(matches!(refused, MasterKeyError::MalformedFile { .. }));
            assert!(!refused.to_string().contains("hunter22"));
        }
        assert!(matches!(
            MasterKeys::from_file(directory.path().join("none").as_path()).unwrap_err(),
            MasterKeyError::Missing { .. }
        ));
    }
}
