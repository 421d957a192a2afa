//! Short digests for memos: to tell whether something changed without keeping it.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::text::hex;

/// 16 hex digits of the SHA-256 of a value's JSON. Object keys are in the order that the type
/// serialises them in, so a digest compares values of one type.
pub fn of(value: &impl Serialize) -> String {
    // A type that can't be written as JSON has no digest but still compares equal to itself.
    let text = serde_json::to_vec(value).unwrap_or_default();
    let hash = Sha256::digest(&text);
    hex(hash.get(..8).unwrap_or_default())
}

/// A text's SHA-256.
pub(crate) fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
