//! A secret value in memory.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use berth_domain::secret::SecretText;
use zeroize::Zeroizing;

/// The value of a secret: wiped when dropped, shown by no formatter, not serialisable, and
/// compared without telling by time where it differs (its length is no secret).
#[derive(Clone)]
pub struct SecretBytes(Zeroizing<Vec<u8>>);

/// A secret that was needed as text isn't UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the secret's value is not UTF-8 text: store it as text, or encode it (base64, for instance)"
)]
pub struct NotText;

impl SecretBytes {
    /// Takes a value in.
    #[must_use]
    pub fn new(value: Vec<u8>) -> Self {
        Self(Zeroizing::new(value))
    }

    /// The value itself. Every call of this is a place to look at in a review.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The value as text.
    ///
    /// # Errors
    /// When it isn't UTF-8.
    pub fn expose_text(&self) -> Result<&str, NotText> {
        std::str::from_utf8(&self.0).map_err(|_| NotText)
    }

    /// The size in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the value has no bytes at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&SecretText> for SecretBytes {
    fn from(text: &SecretText) -> Self {
        Self::new(text.expose().as_bytes().to_vec())
    }
}

impl TryFrom<&SecretBytes> for SecretText {
    type Error = NotText;

    fn try_from(bytes: &SecretBytes) -> Result<Self, NotText> {
        Ok(Self::new(bytes.expose_text()?.to_owned()))
    }
}

impl From<String> for SecretBytes {
    fn from(text: String) -> Self {
        Self::new(text.into_bytes())
    }
}

impl PartialEq for SecretBytes {
    fn eq(&self, other: &Self) -> bool {
        verify_slices_are_equal(&self.0, &other.0).is_ok()
    }
}

impl Eq for SecretBytes {}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretBytes(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_formatter_shows_the_value() {
        let secret = SecretBytes::from("hunter22".to_owned());
        assert_eq!(format!("{secret:?}"), "SecretBytes(…)");
        assert_eq!(format!("{:#?}", Some(&secret)).matches("hunter").count(), 0);
    }

    #[test]
    fn equal_values_are_equal() {
        let secret = |text: &str| SecretBytes::from(text.to_owned());
        assert_eq!(secret("a"), secret("a"));
        assert_ne!(secret("a"), secret("b"));
        assert_ne!(secret("a"), secret("ab"));
    }

    #[test]
    fn texts_come_and_go_unchanged() {
        let bytes = SecretBytes::from(&SecretText::new("pässword".to_owned()));
        assert_eq!(bytes.expose(), "pässword".as_bytes());
        assert_eq!(
            SecretText::try_from(&bytes),
            Ok(SecretText::new("pässword".to_owned()))
        );
    }

    #[test]
    fn bytes_that_are_no_text_say_so() {
        let bytes = SecretBytes::new(vec![0xff]);
        assert_eq!(bytes.expose_text(), Err(NotText));
        assert_eq!(SecretText::try_from(&bytes), Err(NotText));
        assert_eq!(SecretBytes::new(b"ok".to_vec()).expose_text(), Ok("ok"));
    }
}
