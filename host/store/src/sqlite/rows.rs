//! Running statements on a connection.

use std::borrow::Cow;
use std::fmt::Write;

use futures_util::TryStreamExt;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe, Either, Executor, Sqlite};

use super::fault::classify;
use crate::StoreError;
use crate::sql::{Datum, Row, Statement};

/// Runs all statements of a text and returns the rows of each.
pub(super) async fn run<'c>(
    connection: impl Executor<'c, Database = Sqlite>,
    text: Cow<'static, str>,
    values: Vec<Datum>,
) -> Result<Vec<Vec<Row>>, StoreError> {
    // SQLite takes a parameter that nothing is bound to for NULL, without a word.
    debug_assert_eq!(parameters(&text), values.len(), "{text}");
    let arguments = arguments(values)?;
    let query = match text {
        Cow::Borrowed(text) => sqlx::query_with(text, arguments),
        // Texts are put together of this crate's own; values are only ever bound.
        Cow::Owned(text) => sqlx::query_with(AssertSqlSafe(text), arguments),
    };
    let mut answers = connection.fetch_many(query);
    let mut sets = Vec::new();
    let mut rows = Vec::new();
    while let Some(answer) = answers.try_next().await.map_err(classify)? {
        match answer {
            Either::Left(_) => sets.push(std::mem::take(&mut rows)),
            Either::Right(row) => rows.push(Row::Sqlite(row)),
        }
    }
    Ok(sets)
}

/// The highest number among a text's parameters.
fn parameters(text: &str) -> usize {
    let number = |part: &str| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        part.get(..digits)?.parse().ok()
    };
    text.split('$')
        .skip(1)
        .filter_map(number)
        .max()
        .unwrap_or(0)
}

fn arguments(values: Vec<Datum>) -> Result<SqliteArguments, StoreError> {
    let mut arguments = SqliteArguments::default();
    for value in values {
        match value {
            Datum::Integer(value) => arguments.add(value),
            Datum::Text(value) => arguments.add(value),
            Datum::Bytes(value) => arguments.add(value),
        }
        .map_err(|error| StoreError::Failed(format!("a value can't be bound: {error}")))?;
    }
    Ok(arguments)
}

/// Joins statements to one text, with parameters numbered through. Statements run one after another in
/// one trip to the connection's thread, and it is the trips that cost.
pub(super) fn join(prelude: &str, statements: Vec<Statement>) -> (String, Vec<Datum>) {
    let length = statements
        .iter()
        .map(|statement| statement.text.len() + 64)
        .sum::<usize>();
    let mut text = String::with_capacity(prelude.len() + length);
    text.push_str(prelude);
    let mut values = Vec::new();
    for statement in statements {
        append_renumbered(&mut text, &statement.text, values.len());
        text.push_str("; ");
        values.extend(statement.values);
    }
    (text, values)
}

/// Appends a statement whose `$1` is to be the one after `before` parameters. (`$` stands in our texts for
/// nothing else.)
fn append_renumbered(text: &mut String, statement: &str, before: usize) {
    if before == 0 {
        text.push_str(statement);
        return;
    }
    let mut parts = statement.split('$');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        let number = number.parse::<usize>().unwrap_or(0) + before;
        // Writing to a text never fails.
        let _ = write!(text, "${number}{rest}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_statements_keep_their_own_values() {
        let statements = vec![
            Statement::new("UPDATE a SET b = $2 WHERE c = $1")
                .bind(1_i64)
                .bind(2_i64),
            Statement::new("DELETE FROM a"),
            Statement::new("DELETE FROM a WHERE c = $1 OR b = $1").bind(3_i64),
        ];
        let (text, values) = join("SAVEPOINT job; ", statements);
        assert_eq!(
            text,
            "SAVEPOINT job; UPDATE a SET b = $2 WHERE c = $1; DELETE FROM a; \
             DELETE FROM a WHERE c = $3 OR b = $3; "
        );
        assert_eq!(values, [1_i64, 2, 3].map(Datum::from));
    }
}
