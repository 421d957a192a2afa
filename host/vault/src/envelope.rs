//! AES-256-GCM, as the vault uses it: a key, a nonce, a place, and bytes.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::error::Unspecified;
use zeroize::Zeroizing;

/// Bytes of a nonce.
pub(crate) const NONCE_BYTES: usize = 12;
/// Bytes of a data key.
pub(crate) const DATA_KEY_BYTES: usize = 32;
/// Bytes of a data key once encrypted: itself and the tag.
pub(crate) const WRAPPED_KEY_BYTES: usize = DATA_KEY_BYTES + 16;

/// Encrypts, bound to `place`.
pub(crate) fn encrypt(
    key: &[u8],
    nonce: [u8; NONCE_BYTES],
    place: &[u8],
    plain: &[u8],
) -> Result<Vec<u8>, Unspecified> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key)?);
    // Room for the tag from the start: growing would leave a copy of the plaintext behind.
    let mut buffer = Vec::with_capacity(plain.len() + AES_256_GCM.tag_len());
    buffer.extend_from_slice(plain);
    let nonce = Nonce::assume_unique_for_key(nonce);
    match key.seal_in_place_append_tag(nonce, Aad::from(place), &mut buffer) {
        Ok(()) => Ok(buffer),
        Err(refused) => {
            drop(Zeroizing::new(buffer));
            Err(refused)
        }
    }
}

/// Decrypts what was encrypted with the same key, nonce and place, and nothing else.
pub(crate) fn decrypt(
    key: &[u8],
    nonce: [u8; NONCE_BYTES],
    place: &[u8],
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, Unspecified> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key)?);
    let mut buffer = Zeroizing::new(sealed.to_vec());
    let nonce = Nonce::assume_unique_for_key(nonce);
    let length = key
        .open_in_place(nonce, Aad::from(place), &mut buffer)?
        .len();
    buffer.truncate(length);
    Ok(buffer)
}
