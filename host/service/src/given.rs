//! Optional fields that must not be `null`: absent is absent, and `null` is a wrong value.

use serde::{Deserialize, Deserializer};

/// For `#[serde(default, deserialize_with = "given")]` on an `Option`.
pub(crate) fn given<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// The same for a field that `null` takes away: `Some(None)`.
pub(crate) fn given_or_null<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}
