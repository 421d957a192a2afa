//! Secrets as values that no formatter shows, and the references that stand for them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::id::TenantId;

/// Longest name of a secret.
pub const SECRET_NAME_MAX: usize = 200;

/// A secret text. Wiped when dropped, shown by no formatter, and not serialisable.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// Takes a value in.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(Zeroizing::new(value))
    }

    /// The value itself. Every call of this is a place to look at in a review.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}

/// `secret://<tenant>/<name>`: stands for a secret where its value must not be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretRef {
    tenant: TenantId,
    name: SecretName,
}

/// The name of a secret within its tenant: segments of `A-Z a-z 0-9 . _ -` joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SecretName(String);

/// Why a text is no reference to a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretRefError {
    /// Another scheme, or no tenant.
    #[error("not a SecretRef: expected `secret://<tenant>/<name>`")]
    Shape,
    /// A name outside the alphabet.
    #[error(
        "not a secret's name: expected 1 to 200 characters of A-Z a-z 0-9 . _ - in segments joined by `/`, none of them `.` or `..`"
    )]
    Name,
}

/// Where the secrets that resources put out are kept in a tenant's store.
pub const OUTPUT_PREFIX: &str = "cloud-resources/";

impl SecretName {
    /// Where a resource's sealed output lives.
    #[must_use]
    pub fn of_output(resource: &crate::id::ResourceId, output: &str) -> Self {
        Self(format!("{OUTPUT_PREFIX}{resource}/{output}"))
    }

    /// Whether the name lies in the part of the store that only the reconciler writes.
    #[must_use]
    pub fn is_output(&self) -> bool {
        self.0.starts_with(OUTPUT_PREFIX)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SecretName {
    type Err = SecretRefError;
    fn from_str(text: &str) -> Result<Self, SecretRefError> {
        let fits = (1..=SECRET_NAME_MAX).contains(&text.len())
            && text.split('/').all(|segment| {
                !matches!(segment, "" | "." | "..")
                    && segment
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
            });
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(SecretRefError::Name)
        }
    }
}

impl TryFrom<String> for SecretName {
    type Error = SecretRefError;
    fn try_from(text: String) -> Result<Self, SecretRefError> {
        text.parse()
    }
}

impl From<SecretName> for String {
    fn from(name: SecretName) -> String {
        name.0
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SecretRef {
    /// The reference to a tenant's secret.
    #[must_use]
    pub fn new(tenant: TenantId, name: SecretName) -> Self {
        Self { tenant, name }
    }

    /// Whose secret it is.
    #[must_use]
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// Its name within the tenant.
    #[must_use]
    pub fn name(&self) -> &SecretName {
        &self.name
    }
}

impl FromStr for SecretRef {
    type Err = SecretRefError;
    fn from_str(text: &str) -> Result<Self, SecretRefError> {
        let rest = text
            .strip_prefix("secret://")
            .ok_or(SecretRefError::Shape)?;
        let (tenant, name) = rest.split_once('/').ok_or(SecretRefError::Shape)?;
        Ok(Self {
            tenant: tenant.parse().map_err(|_| SecretRefError::Shape)?,
            name: name.parse()?,
        })
    }
}

impl TryFrom<String> for SecretRef {
    type Error = SecretRefError;
    fn try_from(text: String) -> Result<Self, SecretRefError> {
        text.parse()
    }
}

impl From<SecretRef> for String {
    fn from(reference: SecretRef) -> String {
        reference.to_string()
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "secret://{}/{}", self.tenant, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_survives_the_trip_through_text() {
        let text = "secret://acme:eu.1/app/env.TOKEN";
        assert_eq!(text.parse::<SecretRef>().unwrap().to_string(), text);
    }

    #[test]
    fn a_reference_that_could_climb_or_hide_is_refused() {
        for text in [
            "secret://acme",
            "secret:///x",
            "secret://acme/",
            "secret://acme/../other/x",
            "secret://acme/a//b",
            "http://acme/x",
            "secret://acme/a b",
        ] {
            assert!(text.parse::<SecretRef>().is_err(), "{text}");
        }
    }

    #[test]
    fn no_formatter_shows_a_secret() {
        assert!(!format!("{:?}", SecretText::new("canary".into())).contains("canary"));
    }
}
