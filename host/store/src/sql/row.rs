//! Reading columns. What does not parse is [`StoreError::Unreadable`], and says where it stands.

use std::fmt::Display;
use std::str::FromStr;

use berth_domain::time::Millis;
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Sqlite, Type};

use crate::StoreError;

/// A row as an engine returns it.
pub enum Row {
    /// Of SQLite.
    Sqlite(SqliteRow),
}

impl Row {
    /// Text.
    pub(crate) fn text(&self, column: &str) -> Result<String, StoreError> {
        self.get(column)
    }

    /// Text that may be absent.
    pub(crate) fn optional_text(&self, column: &str) -> Result<Option<String>, StoreError> {
        self.get(column)
    }

    /// A whole number.
    pub(crate) fn integer(&self, column: &str) -> Result<i64, StoreError> {
        self.get(column)
    }

    /// A whole number that may be absent.
    pub(crate) fn optional_integer(&self, column: &str) -> Result<Option<i64>, StoreError> {
        self.get(column)
    }

    /// Bytes.
    pub(crate) fn bytes(&self, column: &str) -> Result<Vec<u8>, StoreError> {
        self.get(column)
    }

    /// A number that counts something.
    pub(crate) fn count<T: TryFrom<i64>>(&self, column: &str) -> Result<T, StoreError> {
        let value = self.integer(column)?;
        T::try_from(value).map_err(|_| unreadable(column, format!("{value} is out of range")))
    }

    /// A flag.
    pub(crate) fn flag(&self, column: &str) -> Result<bool, StoreError> {
        Ok(self.integer(column)? != 0)
    }

    /// A time.
    pub(crate) fn millis(&self, column: &str) -> Result<Millis, StoreError> {
        self.integer(column).map(Millis)
    }

    /// A time that may be absent.
    pub(crate) fn optional_millis(&self, column: &str) -> Result<Option<Millis>, StoreError> {
        Ok(self.optional_integer(column)?.map(Millis))
    }

    /// Text that parses, such as an id.
    pub(crate) fn parsed<T>(&self, column: &str) -> Result<T, StoreError>
    where
        T: FromStr<Err: Display>,
    {
        self.text(column)?
            .parse()
            .map_err(|error| unreadable(column, error))
    }

    /// Text that parses and may be absent.
    pub(crate) fn optional_parsed<T>(&self, column: &str) -> Result<Option<T>, StoreError>
    where
        T: FromStr<Err: Display>,
    {
        self.optional_text(column)?
            .map(|text| text.parse().map_err(|error| unreadable(column, error)))
            .transpose()
    }

    /// The name of an enum's variant.
    pub(crate) fn word<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        let text = self.text(column)?;
        let word: StrDeserializer<'_, WordError> = text.as_str().into_deserializer();
        T::deserialize(word).map_err(|error| unreadable(column, error))
    }

    /// The name of an enum's variant that may be absent.
    pub(crate) fn optional_word<T: DeserializeOwned>(
        &self,
        column: &str,
    ) -> Result<Option<T>, StoreError> {
        self.optional_text(column)?
            .map(|text| {
                let word: StrDeserializer<'_, WordError> = text.as_str().into_deserializer();
                T::deserialize(word).map_err(|error| unreadable(column, error))
            })
            .transpose()
    }

    /// JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        let text = self.text(column)?;
        serde_json::from_str(&text).map_err(|error| unreadable(column, error))
    }

    /// JSON that may be absent.
    pub(crate) fn optional_json<T: DeserializeOwned>(
        &self,
        column: &str,
    ) -> Result<Option<T>, StoreError> {
        self.optional_text(column)?
            .map(|text| serde_json::from_str(&text).map_err(|error| unreadable(column, error)))
            .transpose()
    }

    fn get<T>(&self, column: &str) -> Result<T, StoreError>
    where
        T: for<'r> Decode<'r, Sqlite> + Type<Sqlite>,
    {
        match self {
            Self::Sqlite(row) => row.try_get(column),
        }
        .map_err(|error| unreadable(column, error))
    }
}

fn unreadable(column: &str, problem: impl Display) -> StoreError {
    StoreError::Unreadable(format!("column `{column}`: {problem}"))
}

/// Reads a row of a table, and names both where it can't.
pub(crate) fn read<T>(
    table: &str,
    row: &Row,
    columns: impl FnOnce(&Row) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    columns(row).map_err(|error| match error {
        StoreError::Unreadable(problem) => {
            let id = row.text("id").unwrap_or_else(|_| "?".to_owned());
            StoreError::Unreadable(format!("table `{table}`, row `{id}`, {problem}"))
        }
        other => other,
    })
}
