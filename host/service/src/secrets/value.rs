//! A secret value as it comes in: wiped when dropped, shown by no formatter.

use berth_domain::secret::SecretText;
use serde::{Deserialize, Deserializer};

/// A secret value. Not serialisable.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretValue(pub(crate) SecretText);

impl SecretValue {
    /// Takes a value in.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(SecretText::new(value))
    }
}

impl std::fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretValue(…)")
    }
}

impl<'de> Deserialize<'de> for SecretValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}
