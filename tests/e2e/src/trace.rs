//! Finding a secret in everything that a run left behind.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, BASE64URL, HEXLOWER, HEXUPPER};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _};

use crate::programs::find;

/// A text that stands nowhere by chance, with what it looks like when it is encoded.
#[derive(Debug, Clone)]
pub struct Canary {
    text: String,
    shapes: Vec<Vec<u8>>,
}

/// Where a canary was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(String);

impl Place {
    /// An answer of the API that a caller got.
    pub(crate) fn answers() -> Self {
        Self("an answer of the API".to_owned())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Canary {
    /// A canary of letters and digits, which no percent- or JSON-encoding changes.
    ///
    /// # Panics
    /// When it is too short to be told from chance, or has other characters.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        assert!(text.len() >= 16 && plain, "`{text}` is no canary");
        let bytes = text.as_bytes();
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        let mut shapes = vec![
            bytes.to_vec(),
            reversed,
            HEXLOWER.encode(bytes).into_bytes(),
            HEXUPPER.encode(bytes).into_bytes(),
        ];
        // In a longer text a canary begins at any of the three places of a base64 group; what is
        // shared with its neighbours is cut off.
        for encoding in [BASE64, BASE64URL] {
            for skip in 0..3 {
                let whole = &bytes[skip..skip + (bytes.len() - skip) / 3 * 3];
                shapes.push(encoding.encode(whole).into_bytes());
            }
        }
        shapes.sort();
        shapes.dedup();
        Self {
            text: text.to_owned(),
            shapes,
        }
    }

    /// The canary as it is.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it stands in there, as it is or encoded.
    #[must_use]
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.shapes.iter().any(|shape| find(bytes, shape).is_some())
    }

    /// Every file under a folder in whose bytes it stands: databases, their logs, everything.
    pub(crate) fn in_files(&self, folder: &Path) -> Vec<Place> {
        files(folder)
            .into_iter()
            .filter(|file| fs::read(file).is_ok_and(|bytes| self.is_in(&bytes)))
            .map(|file| Place(format!("the file {}", file.display())))
            .collect()
    }

    /// Every column of every table of every database under a folder in which it stands, even where
    /// its bytes are spread over pages.
    pub(crate) async fn in_tables(&self, folder: &Path) -> Vec<Place> {
        let mut places = Vec::new();
        for file in files(folder) {
            let is_database =
                fs::read(&file).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3\0"));
            if is_database {
                self.in_database(&file, &mut places)
                    .await
                    .unwrap_or_else(|error| panic!("can't search {}: {error}", file.display()));
            }
        }
        places
    }

    async fn in_database(&self, file: &Path, places: &mut Vec<Place>) -> Result<(), sqlx::Error> {
        let options = SqliteConnectOptions::new().filename(file).read_only(true);
        let mut database: SqliteConnection = options.disable_statement_logging().connect().await?;
        let columns = sqlx::query(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'",
        )
        .fetch_all(&mut database)
        .await?;
        for row in columns {
            let (table, column): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            let statement = format!(
                "SELECT count(*) FROM \"{table}\" WHERE instr(CAST(\"{column}\" AS BLOB), $1) > 0"
            );
            for shape in &self.shapes {
                let query = sqlx::query_scalar::<_, i64>(AssertSqlSafe(statement.clone()));
                let rows = query.bind(shape.clone()).fetch_one(&mut database).await?;
                if rows > 0 {
                    places.push(Place(format!("{rows} rows of {table}.{column}")));
                }
            }
        }
        database.close().await
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_is_found_however_it_is_encoded() {
        let canary = Canary::new("canary0123456789");
        for lead in ["", "a", "ab"] {
            let text = format!("{lead}canary0123456789z");
            assert!(canary.is_in(text.as_bytes()));
            assert!(
                canary.is_in(BASE64.encode(text.as_bytes()).as_bytes()),
                "{lead}"
            );
            assert!(canary.is_in(HEXLOWER.encode(text.as_bytes()).as_bytes()));
        }
        assert!(!canary.is_in(b"canary012345678 9"));
    }

    #[tokio::test]
    async fn a_canary_is_found_in_tables() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("a.db"))
            .create_if_missing(true);
        let mut database: SqliteConnection = options.connect().await.unwrap();
        let canary = Canary::new("canary0123456789");
        for statement in [
            "CREATE TABLE a (b TEXT, c BLOB)",
            "INSERT INTO a VALUES ('none', 'xcanary0123456789')",
        ] {
            sqlx::query(statement).execute(&mut database).await.unwrap();
        }
        let places = canary.in_tables(folder.path()).await;
        assert_eq!(places, [Place("1 rows of a.c".to_owned())]);
        assert_eq!(canary.in_files(folder.path()).len(), 1);
    }
}
