//! Seals, opens and rewraps.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use zeroize::Zeroizing;

use crate::envelope::{DATA_KEY_BYTES, NONCE_BYTES, decrypt, encrypt};
use crate::{
    Entropy, KeyId, MasterKey, MasterKeyError, MasterKeys, Sealed, SealedError, SecretBytes,
};

/// Largest value of a secret, in bytes, unless [`Vault::with_max_secret_bytes`] says otherwise.
pub const DEFAULT_MAX_SECRET_BYTES: usize = 64 * 1024;

/// Tell the two encryptions of an envelope apart, so that neither passes for the other.
const VALUE_DOMAIN: &[u8] = b"berth secret value v1";
const DATA_KEY_DOMAIN: &[u8] = b"berth secret data key v1";

/// The place of a secret: what is sealed here opens only here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context<'a> {
    /// The tenant that the secret belongs to.
    pub tenant: &'a str,
    /// Its name within the tenant.
    pub name: &'a str,
    /// Its version, counted by whoever stores it.
    pub version: u64,
}

impl Context<'_> {
    /// The place as bytes that no other place has: each part is preceded by its length.
    fn bound(&self, domain: &[u8], key: Option<KeyId>) -> Vec<u8> {
        let key = key.as_ref().map_or(&[] as &[u8], |id| id.as_bytes());
        let version = self.version.to_be_bytes();
        let parts = [
            domain,
            key,
            self.tenant.as_bytes(),
            self.name.as_bytes(),
            &version,
        ];
        let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }
}

/// Why a secret was not sealed or not opened. No message holds any part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// Over the limit.
    #[error("the secret has {size} bytes, and `vault.max_secret_bytes` allows {limit}")]
    TooLarge {
        /// Size of the value in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Wrapped by a master key that the host was not given.
    #[error(
        "the secret is sealed with the master key {key_id}, which this host does not have: add that key to the previous master keys"
    )]
    UnknownKey {
        /// The key it needs.
        key_id: KeyId,
    },
    /// Changed, or moved from another tenant, name or version.
    #[error(
        "the sealed secret does not open in this place: it was altered, or it belongs to another tenant, name or version; restore it or write the secret again"
    )]
    DoesNotOpen,
    /// Not a sealed secret.
    #[error(transparent)]
    Malformed(#[from] SealedError),
    /// The cipher refused to work.
    #[error("the cipher refused to seal the secret: nothing was stored, try again")]
    Cipher,
}

/// Where the keys of a deployment are read again from.
pub type KeySource = Box<dyn Fn() -> Result<MasterKeys, MasterKeyError> + Send + Sync>;

/// Holds the master keys: seals with the current one, opens with any.
///
/// Keys may be rotated while it is in use. It then reads them again from its source: when it is told to, and
/// when it meets a secret whose key it does not have. A key that it had it keeps until it is dropped, so what
/// was read from the store a moment ago still opens.
pub struct Vault {
    keys: RwLock<Arc<MasterKeys>>,
    source: Option<KeySource>,
    max_secret_bytes: usize,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault")
            .field("keys", &self.keys())
            .field("max_secret_bytes", &self.max_secret_bytes)
            .finish_non_exhaustive()
    }
}

impl Vault {
    /// A vault that seals with `current` and opens also what a previous key wrapped.
    #[must_use]
    pub fn new(current: MasterKey, previous: Vec<MasterKey>) -> Self {
        Self::of(MasterKeys::new(current, previous))
    }

    /// A vault of these keys.
    #[must_use]
    pub fn of(keys: MasterKeys) -> Self {
        Self {
            keys: RwLock::new(Arc::new(keys)),
            source: None,
            max_secret_bytes: DEFAULT_MAX_SECRET_BYTES,
        }
    }

    /// Sets where keys are read again from.
    #[must_use]
    pub fn with_source(mut self, source: KeySource) -> Self {
        self.source = Some(source);
        self
    }

    /// Sets the largest value that is sealed. Larger ones sealed before still open.
    #[must_use]
    pub fn with_max_secret_bytes(mut self, limit: usize) -> Self {
        self.max_secret_bytes = limit;
        self
    }

    /// The key that seals, to find what still has to be rewrapped.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.keys().current().key_id()
    }

    /// Every key that opens, the one in force included.
    #[must_use]
    pub fn keys(&self) -> Arc<MasterKeys> {
        self.keys
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Reads the keys again, if there is a source: the one in force there seals from now on.
    ///
    /// # Errors
    /// What the source fails with; the keys stay as they are then.
    pub fn reload(&self) -> Result<KeyId, MasterKeyError> {
        let Some(source) = &self.source else {
            return Ok(self.key_id());
        };
        let mut fresh = source()?;
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        fresh.keep(std::iter::once(keys.current().clone()));
        fresh.keep(keys.previous().iter().cloned());
        let id = fresh.current().key_id();
        *keys = Arc::new(fresh);
        Ok(id)
    }

    /// Seals a value for its place, with a data key of its own.
    ///
    /// # Errors
    /// [`VaultError::TooLarge`].
    pub fn seal(
        &self,
        context: &Context<'_>,
        plaintext: &SecretBytes,
        entropy: &mut Entropy<'_>,
    ) -> Result<Sealed, VaultError> {
        if plaintext.len() > self.max_secret_bytes {
            return Err(VaultError::TooLarge {
                size: plaintext.len(),
                limit: self.max_secret_bytes,
            });
        }
        let mut data_key = Zeroizing::new([0; DATA_KEY_BYTES]);
        entropy(data_key.as_mut_slice());
        let nonce = fresh_nonce(entropy);
        let place = context.bound(VALUE_DOMAIN, None);
        let ciphertext = encrypt(data_key.as_slice(), nonce, &place, plaintext.expose())
            .map_err(|_| VaultError::Cipher)?;
        self.wrap(context, data_key.as_slice(), entropy, nonce, ciphertext)
    }

    /// Opens a sealed value in its place.
    ///
    /// # Errors
    /// [`VaultError::UnknownKey`], or [`VaultError::DoesNotOpen`] for anything that was not
    /// sealed for exactly this place.
    pub fn open(&self, context: &Context<'_>, sealed: &Sealed) -> Result<SecretBytes, VaultError> {
        let data_key = self.unwrap(context, sealed)?;
        let place = context.bound(VALUE_DOMAIN, None);
        let mut value = decrypt(&data_key, sealed.nonce, &place, &sealed.ciphertext)
            .map_err(|_| VaultError::DoesNotOpen)?;
        Ok(SecretBytes::new(std::mem::take(&mut *value)))
    }

    /// Wraps the data key of a sealed value with the current master key. The value itself is
    /// never decrypted; a sealed value that is current already is wrapped anew all the same.
    ///
    /// # Errors
    /// As for [`Vault::open`].
    pub fn rewrap(
        &self,
        context: &Context<'_>,
        sealed: &Sealed,
        entropy: &mut Entropy<'_>,
    ) -> Result<Sealed, VaultError> {
        let data_key = self.unwrap(context, sealed)?;
        let ciphertext = sealed.ciphertext.clone();
        self.wrap(context, &data_key, entropy, sealed.nonce, ciphertext)
    }

    fn wrap(
        &self,
        context: &Context<'_>,
        data_key: &[u8],
        entropy: &mut Entropy<'_>,
        nonce: [u8; NONCE_BYTES],
        ciphertext: Vec<u8>,
    ) -> Result<Sealed, VaultError> {
        let keys = self.keys();
        let master = keys.current();
        let key_id = master.key_id();
        let wrap_nonce = fresh_nonce(entropy);
        let place = context.bound(DATA_KEY_DOMAIN, Some(key_id));
        let wrapped = encrypt(master.expose(), wrap_nonce, &place, data_key)
            .map_err(|_| VaultError::Cipher)?;
        Ok(Sealed {
            key_id,
            wrap_nonce,
            wrapped_key: wrapped.try_into().map_err(|_| VaultError::Cipher)?,
            nonce,
            ciphertext,
        })
    }

    fn unwrap(
        &self,
        context: &Context<'_>,
        sealed: &Sealed,
    ) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let key_id = sealed.key_id();
        let mut keys = self.keys();
        if keys.find(key_id).is_none() && self.reload().is_ok() {
            keys = self.keys();
        }
        let master = keys.find(key_id).ok_or(VaultError::UnknownKey { key_id })?;
        let place = context.bound(DATA_KEY_DOMAIN, Some(key_id));
        decrypt(
            master.expose(),
            sealed.wrap_nonce,
            &place,
            &sealed.wrapped_key,
        )
        .map_err(|_| VaultError::DoesNotOpen)
    }
}

fn fresh_nonce(entropy: &mut Entropy<'_>) -> [u8; NONCE_BYTES] {
    let mut nonce = [0; NONCE_BYTES];
    entropy(&mut nonce);
    nonce
}
