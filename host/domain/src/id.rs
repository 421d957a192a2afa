//! Identifiers: a prefix and Crockford base32 in lower case.
//!
//! A resource's id is derived from who asked and with which key, so that a retry meets the same row.
//! All others are UUIDv7 (48 bits of time, 74 of randomness), so that they sort by age.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use data_encoding::{Encoding, Specification};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::time::Millis;

/// Characters of the encoded part that we make: 26 hold 130 bits.
pub const ENCODED_LENGTH: usize = 26;
/// Longest encoded part that is taken from outside.
pub const ENCODED_LENGTH_MAX: usize = 52;

static CROCKFORD: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification
        .symbols
        .push_str("0123456789abcdefghjkmnpqrstvwxyz");
    #[expect(
        clippy::expect_used,
        reason = "a constant alphabet of 32 distinct symbols is always valid"
    )]
    specification.encoding().expect("a valid alphabet")
});

/// Randomness for one id, drawn by the caller.
#[derive(Debug, Clone, Copy)]
pub struct IdSeed(pub [u8; 10]);

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a valid id: expected `{prefix}` and 26 to 52 characters of 0-9 a-z without i, l, o, u"
)]
pub struct IdError {
    /// The prefix that this type of id has.
    pub prefix: &'static str,
}

fn encode_130_bits(bytes: &[u8]) -> String {
    let mut text = CROCKFORD.encode(bytes);
    text.truncate(ENCODED_LENGTH);
    text
}

fn is_encoded(text: &str) -> bool {
    (ENCODED_LENGTH..=ENCODED_LENGTH_MAX).contains(&text.len())
        && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'h' | b'j' | b'k' | b'm' | b'n' | b'p'..=b't' | b'v'..=b'z'))
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// What every id of this type starts with.
            pub const PREFIX: &'static str = $prefix;

            /// A fresh id that sorts by its time.
            #[must_use]
            pub fn generate(now: Millis, seed: IdSeed) -> Self {
                let millis = u64::try_from(now.0).unwrap_or(0);
                let uuid = uuid::Builder::from_unix_timestamp_millis(millis, &seed.0).into_uuid();
                let mut bytes = [0_u8; 17];
                bytes[..16].copy_from_slice(uuid.as_bytes());
                Self(format!("{}{}", $prefix, encode_130_bits(&bytes)))
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The part behind the prefix.
            #[must_use]
            pub fn encoded(&self) -> &str {
                &self.0[$prefix.len()..]
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                match text.strip_prefix($prefix) {
                    Some(rest) if is_encoded(rest) => Ok(Self(text.to_owned())),
                    _ => Err(IdError { prefix: $prefix }),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// A project of a tenant.
    ProjectId = "prj_";
    /// Someone or something that calls the API.
    PrincipalId = "prn_";
    /// A bearer token (its record, not its text).
    TokenId = "tok_";
    /// A policy document of a tenant.
    PolicyId = "pol_";
    /// A provider account: a credential at a provider.
    AccountId = "acc_";
    /// A pool on a provider account.
    PoolId = "pool_";
    /// The right of a tenant to use a pool of another.
    OfferId = "off_";
    /// A price in the price book.
    PriceId = "prc_";
    /// What a tenant or a project may spend.
    BudgetId = "bdg_";
    /// A machine of a tenant, as operators record it.
    InstanceId = "ins_";
    /// A network of a tenant, as operators record it.
    NetworkId = "net_";
    /// A cloud resource.
    ResourceId = "crs_";
    /// One run of the reconciler over one resource.
    RunId = "run_";
    /// A published event.
    EventId = "evt_";
    /// An entry of the journal of writes.
    EntryId = "jrn_";
    /// One request of the API, as it is logged and audited.
    RequestId = "req_";
    /// One deployment of Berth: what `better-compute-managed` says.
    DeploymentId = "dep_";
}

impl ResourceId {
    /// The id of the resource that this caller of this tenant asks for under this key.
    ///
    /// SHA-256 over the length-prefixed parts, first 130 bits: no two different triples can be
    /// confused by moving characters between the parts.
    #[must_use]
    pub fn derive(tenant: &TenantId, caller: &PrincipalId, idempotency_key: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [tenant.as_str(), caller.as_str(), idempotency_key] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        Self(format!(
            "{}{}",
            Self::PREFIX,
            encode_130_bits(&hash.finalize())
        ))
    }

    /// The provider-side name of a kind without an identity: `bc-r-` and 24 characters of the id.
    #[must_use]
    pub fn provider_name(&self) -> String {
        format!("bc-r-{}", &self.encoded()[..24])
    }
}

/// A tenant: chosen by the operator, 1 to 128 characters of `A-Z a-z 0-9 . _ : -`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TenantId(String);

/// Why a text is not a tenant's id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a valid tenant id: expected 1 to 128 characters of A-Z a-z 0-9 . _ : -")]
pub struct TenantIdError;

impl TenantId {
    /// The tenant that owns the platform: its accounts are the platform's.
    #[must_use]
    pub fn root() -> Self {
        Self("root".to_owned())
    }

    /// Whether this is the platform's own tenant.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0 == "root"
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TenantId {
    type Err = TenantIdError;
    fn from_str(text: &str) -> Result<Self, TenantIdError> {
        let fits = (1..=128).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-'));
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(TenantIdError)
        }
    }
}

impl TryFrom<String> for TenantId {
    type Error = TenantIdError;
    fn try_from(text: String) -> Result<Self, TenantIdError> {
        text.parse()
    }
}

impl From<TenantId> for String {
    fn from(id: TenantId) -> String {
        id.0
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn principal(n: u8) -> PrincipalId {
        PrincipalId::generate(Millis(1), IdSeed([n; 10]))
    }

    proptest! {
        #[test]
        fn a_generated_id_parses_and_sorts_by_time(a in 0_i64..1 << 47, gap in 1_i64..1 << 40, x: [u8; 10], y: [u8; 10]) {
            let early = RunId::generate(Millis(a), IdSeed(x));
            let late = RunId::generate(Millis(a + gap), IdSeed(y));
            prop_assert_eq!(early.as_str().parse::<RunId>(), Ok(early.clone()));
            prop_assert!(early < late);
        }

        #[test]
        fn parts_of_a_derived_id_cannot_be_shifted(key in "[a-z:]{2,20}", cut in 1_usize..10) {
            let cut = cut.min(key.len() - 1);
            let caller = principal(7);
            let whole = ResourceId::derive(&"t".parse().unwrap(), &caller, &key);
            let moved = ResourceId::derive(&format!("t{}", &key[..cut]).parse().unwrap(), &caller, &key[cut..]);
            prop_assert_ne!(whole, moved);
        }
    }

    #[test]
    fn an_id_of_another_type_or_alphabet_is_refused() {
        for text in [
            "",
            "crs_",
            "pool_0123456789abcdefghjkmnpqrs",
            "crs_0123456789abcdefghijklmnop",
            "crs_0123456789ABCDEFGHJKMNPQRS",
        ] {
            assert!(text.parse::<ResourceId>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_provider_name_is_29_characters_that_every_provider_takes() {
        let id = ResourceId::derive(&TenantId::root(), &principal(1), "k");
        assert_eq!(id.provider_name().len(), 29);
        assert!(
            id.provider_name()
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        );
    }
}
