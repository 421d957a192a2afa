//! Sealed secrets and hashed tokens.
//!
//! The vault seals and opens; it stores nothing and knows no clock. A secret is encrypted with a
//! data key of its own (AES-256-GCM), and the data key with a master key. Both encryptions are
//! bound to the tenant, the name and the version of the secret, so that a sealed value moved to
//! another row does not open there. Changing the master key rewraps data keys and never touches
//! a secret's value.
//!
//! Randomness is an argument everywhere: `entropy` must fill the whole slice it is given from a
//! cryptographic source.

mod envelope;
mod master_key;
mod master_keys;
mod sealed;
mod secret_bytes;
mod token;
mod vault;

pub use master_key::{KeyId, MasterKey, MasterKeyError};
pub use master_keys::{KeyFile, MasterKeys};
pub use sealed::{Sealed, SealedError};
pub use secret_bytes::{NotText, SecretBytes};
pub use token::{TokenError, TokenHash, TokenText};
pub use vault::{Context, DEFAULT_MAX_SECRET_BYTES, KeySource, Vault, VaultError};

/// Fills a slice with random bytes.
pub type Entropy<'a> = dyn FnMut(&mut [u8]) + 'a;
