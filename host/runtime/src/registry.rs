//! Which generation of each plugin serves now.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::load::{Digest, Generation};

/// The loaded generations, and the active one of each provider.
///
/// Activating swaps a pointer: calls that run hold their generation and finish on it.
#[derive(Debug, Default)]
pub struct Registry {
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    loaded: BTreeMap<Digest, Arc<Generation>>,
    active: BTreeMap<String, Arc<Generation>>,
}

/// Why the registry refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No such generation is loaded.
    #[error("no generation {0} is loaded; install the component first")]
    NotLoaded(Digest),
    /// It serves now.
    #[error("generation {0} is active; activate another one first")]
    Active(Digest),
}

impl Registry {
    /// Keeps a generation, so that it can be activated or found by its digest.
    pub fn insert(&self, generation: Arc<Generation>) {
        self.write(|inner| inner.loaded.insert(generation.digest().clone(), generation));
    }

    /// Makes a loaded generation the one that serves its provider; returns the one that did.
    ///
    /// # Errors
    /// When it is not loaded.
    pub fn activate(&self, digest: &Digest) -> Result<Option<Arc<Generation>>, RegistryError> {
        self.write(|inner| {
            let generation = inner
                .loaded
                .get(digest)
                .cloned()
                .ok_or_else(|| RegistryError::NotLoaded(digest.clone()))?;
            Ok(inner
                .active
                .insert(generation.manifest().provider.clone(), generation))
        })
    }

    /// Stops serving a provider; its generations stay loaded.
    pub fn deactivate(&self, provider: &str) -> Option<Arc<Generation>> {
        self.write(|inner| inner.active.remove(provider))
    }

    /// Forgets a generation that does not serve. Calls that run on it finish.
    ///
    /// # Errors
    /// When it is active.
    pub fn remove(&self, digest: &Digest) -> Result<Option<Arc<Generation>>, RegistryError> {
        self.write(|inner| {
            if inner
                .active
                .values()
                .any(|generation| generation.digest() == digest)
            {
                return Err(RegistryError::Active(digest.clone()));
            }
            Ok(inner.loaded.remove(digest))
        })
    }

    /// The generation that serves a provider now.
    #[must_use]
    pub fn active(&self, provider: &str) -> Option<Arc<Generation>> {
        self.read(|inner| inner.active.get(provider).cloned())
    }

    /// The active generation that serves a kind, found by the kind's prefix.
    #[must_use]
    pub fn serving(&self, kind: &str) -> Option<Arc<Generation>> {
        let (provider, _) = kind.split_once('.')?;
        self.active(provider)
            .filter(|generation| generation.kind(kind).is_some())
    }

    /// A loaded generation.
    #[must_use]
    pub fn by_digest(&self, digest: &Digest) -> Option<Arc<Generation>> {
        self.read(|inner| inner.loaded.get(digest).cloned())
    }

    /// All loaded generations.
    #[must_use]
    pub fn loaded(&self) -> Vec<Arc<Generation>> {
        self.read(|inner| inner.loaded.values().cloned().collect())
    }

    // Each change is one insert or remove: a panic elsewhere can't leave the maps half changed.
    fn write<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> T {
        change(&mut self.inner.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn read<T>(&self, look: impl FnOnce(&Inner) -> T) -> T {
        look(&self.inner.read().unwrap_or_else(PoisonError::into_inner))
    }
}
