//! Texts from outside, parsed once at the edge.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A refused input: where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct InputError {
    /// JSON Pointer into the request.
    pub field: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl InputError {
    /// A fault at a field.
    #[must_use]
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
        }
    }
}

/// Why a text does not fit its type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}")]
pub struct TextError {
    /// What would be right.
    pub expected: &'static str,
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $expected:literal, $fits:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = TextError;
            fn from_str(text: &str) -> Result<Self, TextError> {
                let fits: fn(&str) -> bool = $fits;
                if fits(text) { Ok(Self(text.to_owned())) } else { Err(TextError { expected: $expected }) }
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextError;
            fn try_from(text: String) -> Result<Self, TextError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

texts! {
    /// A resource's name, unique per kind among a tenant's live resources.
    ResourceName: "1 to 63 characters: a lower-case letter, then lower-case letters, digits or `-`, not ending in `-`", is_name;
    /// A kind's id, such as `do.database.pg`.
    KindId: "at most 64 characters: words of a-z 0-9 joined by single `.` or `-`", is_kind;
    /// What makes a retry of a create the same create.
    IdempotencyKey: "1 to 128 characters of A-Z a-z 0-9 . _ : -", is_key;
    /// A provider's id of an object, as a tenant names it; what one looks like is for its kind to say.
    ProviderId: "1 to 200 characters, without control characters", is_provider_id;
    /// Text for people, kept here and never sent to a provider.
    Description: "at most 256 characters, without control characters", is_description;
    /// The name of a meter, such as `cloud.resource.hours`.
    MeterName: "words `[a-z][a-z0-9-]*` joined by dots, at most 64 characters", is_dotted;
    /// The name of a capacity that kinds book, such as `do.gpus`.
    CapacityName: "words `[a-z][a-z0-9-]*` joined by dots, at most 64 characters", is_dotted;
    /// A currency, such as `EUR`.
    Currency: "three letters A-Z, such as `EUR`", is_currency;
    /// Why an operator does what can't be undone: one line for the audit.
    Grounds: "1 to 512 characters, without control characters", is_grounds;
    /// A title for people of an account, pool, project, principal, policy or token.
    Title: "1 to 128 characters, without control characters", is_title;
}

fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..=63).contains(&bytes.len())
        && bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.last() != Some(&b'-')
        && bytes
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
}

fn is_kind(text: &str) -> bool {
    text.len() <= 64
        && text.split(['.', '-']).all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// Names of meters and of capacities, and kinds behind their provider.
pub(crate) fn is_dotted(text: &str) -> bool {
    text.len() <= 64
        && text.split('.').all(|word| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        })
}

fn is_key(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-'))
}

fn is_currency(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase())
}

fn is_description(text: &str) -> bool {
    text.chars().count() <= 256
        && !text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
}

fn is_grounds(text: &str) -> bool {
    (1..=512).contains(&text.trim().chars().count()) && !text.chars().any(char::is_control)
}

fn is_provider_id(text: &str) -> bool {
    (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

fn is_title(text: &str) -> bool {
    (1..=128).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_contract() {
        for good in ["a", "a1", "my-db", &"a".repeat(63)] {
            assert!(good.parse::<ResourceName>().is_ok(), "{good}");
        }
        for bad in ["", "1a", "A", "a-", "a_b", "é", "a\n", &"a".repeat(64)] {
            assert!(bad.parse::<ResourceName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn kinds_follow_the_contract() {
        for good in ["do.app", "do.database.pg-advanced", "x"] {
            assert!(good.parse::<KindId>().is_ok(), "{good}");
        }
        for bad in [
            "",
            ".",
            "do.",
            "do..app",
            "do.App",
            "do app",
            &"a".repeat(65),
        ] {
            assert!(bad.parse::<KindId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_provider_id_has_at_most_200_characters() {
        assert!("é".repeat(200).parse::<ProviderId>().is_ok());
        for bad in ["", "a\n", &"a".repeat(201)] {
            assert!(bad.parse::<ProviderId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_description_counts_characters_not_bytes() {
        assert!("é".repeat(256).parse::<Description>().is_ok());
        assert!("é".repeat(257).parse::<Description>().is_err());
    }
}
