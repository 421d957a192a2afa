//! Where the master keys are: in the environment, in a file, or in the file that the first start makes.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use berth_vault::{MasterKey, MasterKeyError, MasterKeys, Vault};

use crate::ambient::SystemEntropy;
use crate::config::VaultConfig;

/// The place of the key in force.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// The configuration itself has it.
    Configured(String),
    /// A file that was named.
    Named(PathBuf),
    /// The file in the data directory.
    Implied(PathBuf),
}

/// The place, and the files of keys that only open.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) current: Place,
    previous: Vec<PathBuf>,
}

impl Places {
    /// # Errors
    /// When two places are named.
    pub(crate) fn of(config: &VaultConfig, data_dir: &Path) -> anyhow::Result<Self> {
        let current = match (&config.master_key, &config.master_key_file) {
            (Some(_), Some(_)) => {
                anyhow::bail!("both `vault.masterKey` and `vault.masterKeyFile` are set; keep one")
            }
            (Some(text), None) => Place::Configured(text.clone()),
            (None, Some(file)) => Place::Named(file.clone()),
            (None, None) => Place::Implied(data_dir.join("master.key")),
        };
        Ok(Self {
            current,
            previous: config.previous_key_files.clone(),
        })
    }

    /// The file whose first key is in force, if it is a file.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.current {
            Place::Configured(_) => None,
            Place::Named(file) | Place::Implied(file) => Some(file),
        }
    }

    /// Every key that opens.
    ///
    /// # Errors
    /// The first place that holds no key.
    pub(crate) fn read(&self) -> Result<MasterKeys, MasterKeyError> {
        let mut keys = match &self.current {
            Place::Configured(text) => MasterKeys::new(MasterKey::from_text(text)?, Vec::new()),
            Place::Named(file) | Place::Implied(file) => MasterKeys::from_file(file)?,
        };
        keys.keep(self.previous_keys()?);
        Ok(keys)
    }

    /// The keys of `vault.previousKeyFiles`.
    ///
    /// # Errors
    /// The first file that holds no key.
    pub(crate) fn previous_keys(&self) -> Result<Vec<MasterKey>, MasterKeyError> {
        let mut all = Vec::new();
        for file in &self.previous {
            let keys = MasterKeys::from_file(file)?;
            all.push(keys.current().clone());
            all.extend(keys.previous().iter().cloned());
        }
        Ok(all)
    }

    /// The same with the setting that an error is about.
    ///
    /// # Errors
    /// As [`Places::read`].
    pub(crate) fn read_for_people(&self) -> anyhow::Result<MasterKeys> {
        self.previous_keys().context("`vault.previousKeyFiles`")?;
        let keys = self.read();
        match &self.current {
            Place::Configured(_) => keys.context("`vault.masterKey` is no master key"),
            Place::Named(_) => keys.context("`vault.masterKeyFile` can't be used"),
            Place::Implied(_) => Ok(keys?),
        }
    }

    /// The vault of a host, which reads its keys again when they are rotated. A file in the data directory is
    /// made at the first start, and only then: whatever a new key sealed would be lost when the right one
    /// comes back.
    ///
    /// # Errors
    /// As [`Places::read`]; when the key of a database that was used is gone.
    pub(crate) fn open(self, is_used: bool) -> anyhow::Result<Vault> {
        if let Place::Implied(file) = &self.current
            && !file.exists()
        {
            if is_used {
                anyhow::bail!(
                    "the database has sealed secrets and their master key is not at {}; restore it from your backup, or name it in `vault.masterKeyFile`",
                    file.display()
                );
            }
            MasterKey::create_file(file, &mut |bytes| {
                berth_service::Entropy::fill(&SystemEntropy, bytes);
            })?;
            tracing::info!(file = %file.display(), "made a master key; without it the secrets in the database can't be opened: keep a copy apart from the database");
        }
        let keys = self.read_for_people()?;
        Ok(Vault::of(keys).with_source(Box::new(move || self.read())))
    }
}
