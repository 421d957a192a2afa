//! Bearer tokens of the API.
//!
//! A token is 256 random bits, so a plain SHA-256 of it is as good as it gets: a slow hash
//! defends guessable inputs, and there is nothing to guess here. The store keeps the hash and
//! looks tokens up by it; the text is shown once and never kept.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use data_encoding::HEXLOWER;
use zeroize::Zeroizing;

use crate::Entropy;

const PREFIX: &str = "brt_";
const RANDOM_BYTES: usize = 32;
const DIGITS: usize = RANDOM_BYTES * 2;

/// The text of a bearer token: `brt_` and 64 hexadecimal digits. Wiped when dropped, shown by
/// no formatter.
#[derive(Clone)]
pub struct TokenText(Zeroizing<String>);

/// What the store keeps of a token: SHA-256 of its text, as 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenHash(String);

/// A text that can't be a token. Says how one looks, and repeats nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Something else altogether.
    #[error("not a Berth token: a token is `{PREFIX}` and {DIGITS} lower-case hexadecimal digits")]
    Prefix,
    /// Cut off or with something attached.
    #[error(
        "a malformed token: expected {DIGITS} hexadecimal digits after `{PREFIX}`, found {found} characters; copy it again, whole"
    )]
    Length {
        /// Characters found after the prefix.
        found: usize,
    },
    /// A character that is no digit.
    #[error(
        "a malformed token: only the digits 0-9 and a-f stand after `{PREFIX}`; copy it again, whole"
    )]
    Digits,
}

impl TokenText {
    /// Makes a new token and its hash.
    #[must_use]
    pub fn generate(entropy: &mut Entropy<'_>) -> (Self, TokenHash) {
        let mut bytes = Zeroizing::new([0; RANDOM_BYTES]);
        entropy(bytes.as_mut_slice());
        let digits = Zeroizing::new(HEXLOWER.encode(bytes.as_slice()));
        let text = Self(Zeroizing::new(format!("{PREFIX}{}", *digits)));
        let hash = text.hash();
        (text, hash)
    }

    /// Takes a token that someone brought, such as the root token of the environment.
    ///
    /// # Errors
    /// When it can't be a token.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let digits = text.strip_prefix(PREFIX).ok_or(TokenError::Prefix)?;
        if digits.len() != DIGITS {
            return Err(TokenError::Length {
                found: digits.chars().count(),
            });
        }
        if !digits
            .bytes()
            .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        {
            return Err(TokenError::Digits);
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// What to store and to look up.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash(HEXLOWER.encode(digest(&SHA256, self.0.as_bytes()).as_ref()))
    }

    /// The text itself, to be shown once.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenText(brt_…)")
    }
}

impl TokenHash {
    /// The hash of a token as it came in a request.
    ///
    /// # Errors
    /// When the text can't be a token.
    pub fn of(text: &str) -> Result<Self, TokenError> {
        Ok(TokenText::parse(text)?.hash())
    }

    /// The hash as it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Enough to find a row by, too little to confirm a guess against a log.
        write!(f, "TokenHash({}…)", self.0.get(..8).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> (TokenText, TokenHash) {
        TokenText::generate(&mut |slice| slice.fill(0xa7))
    }

    #[test]
    fn a_new_token_is_256_random_bits_and_its_hash_is_its_sha_256() {
        let (text, hash) = token();
        assert_eq!(text.expose(), format!("brt_{}", "a7".repeat(32)));
        assert_eq!(TokenHash::of(text.expose()), Ok(hash.clone()));
        assert_eq!(
            hash.as_str(),
            "558a0aaa7c8b44f46b5a61bfc49a5d72a80780ced9c59814a201a511866488c9",
            "as sha256sum has it"
        );
        assert_ne!(hash, TokenText::generate(&mut |slice| slice.fill(0xa8)).1);
    }

    #[test]
    fn formatters_show_neither_token_nor_hash() {
        let (text, hash) = token();
        assert_eq!(format!("{text:?}"), "TokenText(brt_…)");
        assert!(!format!("{hash:?}").contains(hash.as_str()));
    }

    #[test]
    fn what_can_not_be_a_token_says_what_is_wrong() {
        let digits = "0".repeat(64);
        assert_eq!(TokenHash::of(""), Err(TokenError::Prefix));
        assert_eq!(TokenHash::of(&digits), Err(TokenError::Prefix));
        assert_eq!(
            TokenHash::of(&format!("BRT_{digits}")),
            Err(TokenError::Prefix)
        );
        assert_eq!(
            TokenHash::of(&format!("brt_{digits}\n")),
            Err(TokenError::Length { found: 65 })
        );
        assert_eq!(
            TokenHash::of("brt_00"),
            Err(TokenError::Length { found: 2 })
        );
        for wrong in ["A", "g", " ", "\0"] {
            let text = format!("brt_{}{wrong}", &digits[1..]);
            assert_eq!(TokenHash::of(&text), Err(TokenError::Digits));
        }
        assert_eq!(
            TokenHash::of(&format!("brt_{}é", &digits[2..])),
            Err(TokenError::Digits)
        );
    }
}
