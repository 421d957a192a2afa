//! Ids, passwords and ciphertexts from a seed, so that a failing run can be repeated.

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

/// A SplitMix64 generator. It is not secure, and needn't be: what it makes opens nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        for chunk in bytes.chunks_mut(8) {
            let random = self.next().to_le_bytes();
            for (to, from) in chunk.iter_mut().zip(random) {
                *to = from;
            }
        }
        bytes
    }

    /// A UUID of version 4.
    pub(crate) fn uuid(&mut self) -> String {
        let high = self.next();
        let low = self.next();
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            0x8000 | ((low >> 48) & 0x3fff),
            low & 0xffff_ffff_ffff,
        )
    }

    /// A password that starts with `prefix`.
    pub(crate) fn password(&mut self, prefix: &str) -> String {
        format!("{prefix}AVNS_{}", self.word(19))
    }

    /// Letters and digits.
    pub(crate) fn word(&mut self, length: usize) -> String {
        (0..length)
            .map(|_| {
                let digit = u32::try_from(self.next() % 36).unwrap_or_default();
                char::from_digit(digit, 36).unwrap_or('0')
            })
            .collect()
    }

    /// What an encrypted value of an app looks like.
    pub(crate) fn ciphertext(&mut self) -> String {
        let nonce = BASE64.encode(&self.bytes::<24>());
        let sealed = BASE64.encode(&self.bytes::<40>());
        format!("EV[1:{nonce}:{sealed}]")
    }

    /// A request id.
    pub(crate) fn request_id(&mut self) -> String {
        self.uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_same_seed_gives_the_same_ids() {
        let (mut one, mut two) = (Random::seeded(7), Random::seeded(7));
        let first = one.uuid();
        assert_eq!(first, two.uuid());
        assert_ne!(first, one.uuid());
        assert_eq!(first.len(), 36);
        assert_eq!(first.as_bytes()[14], b'4');
    }
}
