//! Bytes as text. Small on purpose: a general crate for it was a tenth of a component.

const HEX: &[u8; 16] = b"0123456789abcdef";
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|nibble| HEX.get(usize::from(nibble)).map(|digit| char::from(*digit)))
        .collect()
}

/// RFC 4648 base32 in lower case, without padding.
pub(crate) fn base32(bytes: &[u8]) -> String {
    bytes
        .chunks(5)
        .flat_map(|chunk| {
            let bits = (0..5).fold(0_u64, |bits, index| {
                bits << 8 | u64::from(chunk.get(index).copied().unwrap_or(0))
            });
            let digits = (chunk.len() * 8).div_ceil(5);
            (0..digits).map(move |index| (bits >> (35 - 5 * index)) & 31)
        })
        .filter_map(|digit| {
            BASE32
                .get(usize::try_from(digit).ok()?)
                .map(|digit| char::from(*digit))
        })
        .collect()
}

/// Reads [`base32`] back; `None` for anything else.
pub(crate) fn from_base32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut bits, mut held) = (0_u32, 0);
    for character in text.bytes() {
        let digit = BASE32.iter().position(|digit| *digit == character)?;
        bits = bits << 5 | u32::try_from(digit).ok()?;
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (base32(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn base32_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "my"),
            ("fo", "mzxq"),
            ("foo", "mzxw6"),
            ("foob", "mzxw6yq"),
            ("foobar", "mzxw6ytboi"),
        ] {
            assert_eq!(base32(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn hex_is_lower_case() {
        assert_eq!(hex(&[0, 0xab, 0xff]), "00abff");
    }

    proptest! {
        #[test]
        fn base32_reads_back(bytes: Vec<u8>) {
            prop_assert_eq!(from_base32(&base32(&bytes)).unwrap(), bytes);
        }

        #[test]
        fn other_texts_are_refused_or_exact(text in "\\PC{0,20}") {
            if let Some(bytes) = from_base32(&text) {
                prop_assert_eq!(base32(&bytes), text);
            }
        }
    }
}
