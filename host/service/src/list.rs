//! Lists: a bounded part, and a cursor to go on with.

use serde::{Deserialize, Serialize};

use berth_store::Page;

/// Most items of one answer.
pub(crate) const ITEMS_MAX: u32 = 500;
/// Longest cursor.
const CURSOR_BYTES_MAX: usize = 256;

/// An answer with several items.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Items<T> {
    /// At most 500.
    pub items: Vec<T>,
    /// Give it back as `cursor` to go on; absent: there is no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

impl<T> Items<T> {
    /// A page of the store, each item shown by `view`.
    pub(crate) fn of<R>(page: Page<R>, view: impl FnMut(R) -> T) -> Self {
        Self {
            items: page.items.into_iter().map(view).collect(),
            next_cursor: page.next.map(Cursor),
        }
    }
}

/// Where a list goes on: the `nextCursor` of the answer before, given back as it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cursor(pub(crate) String);

impl Cursor {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a text is no cursor.
#[derive(Debug, thiserror::Error)]
#[error("not a cursor: expected the `nextCursor` of an earlier answer, unchanged")]
pub struct CursorError;

impl TryFrom<String> for Cursor {
    type Error = CursorError;
    fn try_from(text: String) -> Result<Self, CursorError> {
        let fits = (1..=CURSOR_BYTES_MAX).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_graphic());
        if fits {
            Ok(Self(text))
        } else {
            Err(CursorError)
        }
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> String {
        cursor.0
    }
}
