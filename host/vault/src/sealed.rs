//! The sealed form of a secret, and its bytes in the store.

use crate::KeyId;
use crate::envelope::{NONCE_BYTES, WRAPPED_KEY_BYTES};

/// The one layout there is so far.
const LAYOUT: u8 = 1;

/// A sealed secret: safe to store, opens only in its own place and with its master key.
///
/// Stored as one layout byte, the master key's id (8), the nonce (12) and ciphertext (48) of the
/// data key, then the nonce (12) and ciphertext (the value's length and 16) of the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    pub(crate) key_id: KeyId,
    pub(crate) wrap_nonce: [u8; NONCE_BYTES],
    pub(crate) wrapped_key: [u8; WRAPPED_KEY_BYTES],
    pub(crate) nonce: [u8; NONCE_BYTES],
    pub(crate) ciphertext: Vec<u8>,
}

/// Why stored bytes are no sealed secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealedError {
    /// Written by a newer Berth.
    #[error(
        "the sealed secret has layout {0}, and this build knows {LAYOUT}: run the version of Berth that wrote it, or a newer one"
    )]
    Layout(u8),
    /// Not even the fixed parts are there.
    #[error(
        "the sealed secret has {0} bytes, fewer than any sealed secret has: the stored value is damaged, restore it or write the secret again"
    )]
    Truncated(usize),
}

impl Sealed {
    /// Bytes that sealing adds to a value.
    pub const OVERHEAD_BYTES: usize =
        1 + KeyId::BYTES + NONCE_BYTES + WRAPPED_KEY_BYTES + NONCE_BYTES + 16;

    /// Which master key opens it.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The bytes to store.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::OVERHEAD_BYTES + self.ciphertext.len());
        bytes.push(LAYOUT);
        bytes.extend_from_slice(self.key_id.as_bytes());
        bytes.extend_from_slice(&self.wrap_nonce);
        bytes.extend_from_slice(&self.wrapped_key);
        bytes.extend_from_slice(&self.nonce);
        bytes.extend_from_slice(&self.ciphertext);
        bytes
    }

    /// Reads stored bytes. Whether they are genuine shows when they are opened.
    ///
    /// # Errors
    /// When they are of another layout or too few.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SealedError> {
        let truncated = SealedError::Truncated(bytes.len());
        let (&layout, rest) = bytes.split_first().ok_or(truncated)?;
        if layout != LAYOUT {
            return Err(SealedError::Layout(layout));
        }
        let (key_id, rest) = rest.split_first_chunk().ok_or(truncated)?;
        let (wrap_nonce, rest) = rest.split_first_chunk().ok_or(truncated)?;
        let (wrapped_key, rest) = rest.split_first_chunk().ok_or(truncated)?;
        let (nonce, ciphertext) = rest.split_first_chunk().ok_or(truncated)?;
        if ciphertext.len() < 16 {
            return Err(truncated);
        }
        Ok(Self {
            key_id: KeyId::from_bytes(*key_id),
            wrap_nonce: *wrap_nonce,
            wrapped_key: *wrapped_key,
            nonce: *nonce,
            ciphertext: ciphertext.to_vec(),
        })
    }
}

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealed")
            .field("key_id", &self.key_id)
            .field(
                "bytes",
                &(Self::OVERHEAD_BYTES - 16 + self.ciphertext.len()),
            )
            .finish_non_exhaustive()
    }
}
