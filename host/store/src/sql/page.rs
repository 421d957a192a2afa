//! Parts of lists.

use super::row::read;
use super::{Datum, Row};
use crate::{Page, StoreError};

/// How many rows to ask for to learn whether more follow.
pub(super) fn one_more(limit: u32) -> Datum {
    Datum::Integer(Some(i64::from(limit) + 1))
}

/// Makes a page of rows of which one more than a page holds was asked for.
pub(super) fn page<T>(
    table: &str,
    rows: &[Row],
    limit: u32,
    columns: impl Fn(&Row) -> Result<T, StoreError>,
    cursor: impl Fn(&T) -> String,
) -> Result<Page<T>, StoreError> {
    let items = rows
        .iter()
        .map(|row| read(table, row, &columns))
        .collect::<Result<Vec<T>, _>>()?;
    Ok(cut(items, limit, cursor))
}

/// Cuts what is more than a page holds.
pub(super) fn cut<T>(mut items: Vec<T>, limit: u32, cursor: impl Fn(&T) -> String) -> Page<T> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = items.len() > limit;
    items.truncate(limit);
    let next = if more { items.last().map(cursor) } else { None };
    Page { items, next }
}
