//! Lists in pages, numbered or each with a token for the next.
//!
//! A provider's own "next page" link is an absolute URL that could point anywhere, so it is never
//! followed: pages are counted. A token is opaque, and goes back as a query value.

use std::collections::HashSet;

use crate::types::Error;

/// How many pages a walk reads before it gives up.
pub const MAX_PAGES: u32 = 100;

/// What one page held.
#[derive(Debug, Clone)]
pub struct Chunk<T> {
    /// Its items.
    pub items: Vec<T>,
    /// The number of items over all pages, where the provider says it.
    pub total: Option<u64>,
}

/// The page number that a cursor stands for; the first without one.
pub fn page_of(cursor: Option<&str>) -> Result<u32, Error> {
    match cursor {
        None => Ok(1),
        Some(cursor) => cursor
            .parse()
            .ok()
            .filter(|page| (2..=MAX_PAGES).contains(page))
            .ok_or_else(|| {
                Error::Failed(format!("the cursor is not a page from 2 to {MAX_PAGES}"))
            }),
    }
}

/// The cursor after a page, `None` if it was the last: it was not full, or the total is reached.
pub fn next(page: u32, per_page: u32, got: usize, total: Option<u64>) -> Option<String> {
    (goes_on(page, per_page, got, total) && page < MAX_PAGES).then(|| (page + 1).to_string())
}

fn goes_on(page: u32, per_page: u32, got: usize, total: Option<u64>) -> bool {
    let full = got as u64 >= u64::from(per_page);
    full && total.is_none_or(|total| u64::from(page) * u64::from(per_page) < total)
}

/// Reads page after page and returns every item once, by its id: an object may move between pages
/// while they are read.
pub fn walk<T>(
    per_page: u32,
    id: impl Fn(&T) -> String,
    mut read: impl FnMut(u32) -> Result<Chunk<T>, Error>,
) -> Result<Vec<T>, Error> {
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    for page in 1..=MAX_PAGES {
        let chunk = read(page)?;
        let got = chunk.items.len();
        items.extend(chunk.items.into_iter().filter(|item| seen.insert(id(item))));
        if !goes_on(page, per_page, got, chunk.total) {
            return Ok(items);
        }
    }
    Err(Error::Failed(format!(
        "the list goes on after {MAX_PAGES} pages of {per_page}: more than this plugin reads"
    )))
}

/// Reads page after page, each with the token that the one before gave for it, and returns all items.
/// An empty token is none.
pub fn follow<T>(
    mut read: impl FnMut(Option<&str>) -> Result<(Vec<T>, Option<String>), Error>,
) -> Result<Vec<T>, Error> {
    let mut items = Vec::new();
    let mut token: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let (page, next) = read(token.as_deref())?;
        items.extend(page);
        token = next.filter(|next| !next.is_empty());
        if token.is_none() {
            return Ok(items);
        }
    }
    Err(Error::Failed(format!(
        "the list goes on after {MAX_PAGES} pages: more than this plugin reads"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_followed_by_their_tokens_until_there_is_none() {
        for end in [None, Some(String::new())] {
            let seen = follow(|token| {
                Ok(match token {
                    None => (vec![1, 2], Some("b".to_owned())),
                    Some("b") => (vec![3], end.clone()),
                    other => panic!("{other:?}"),
                })
            });
            assert_eq!(seen.unwrap(), [1, 2, 3]);
        }
        let endless = follow(|_| Ok((vec![1], Some("again".to_owned()))));
        assert!(matches!(endless, Err(Error::Failed(message)) if message.contains("100 pages")));
    }

    fn pages(
        all: &[u32],
        per_page: usize,
        total: bool,
    ) -> impl FnMut(u32) -> Result<Chunk<u32>, Error> {
        move |page| {
            let from = (page as usize - 1) * per_page;
            Ok(Chunk {
                items: all.iter().skip(from).take(per_page).copied().collect(),
                total: total.then_some(all.len() as u64),
            })
        }
    }

    #[test]
    fn all_items_over_several_pages_are_seen_once() {
        let all: Vec<u32> = (0..201).collect();
        for total in [true, false] {
            let seen = walk(200, u32::to_string, pages(&all, 200, total)).unwrap();
            assert_eq!(seen, all);
        }
    }

    #[test]
    fn an_item_that_moved_to_the_next_page_is_not_seen_twice() {
        let moved = [1, 2, 2, 3];
        let seen = walk(2, u32::to_string, pages(&moved, 2, true)).unwrap();
        assert_eq!(seen, [1, 2, 3]);
    }

    #[test]
    fn a_list_without_end_is_an_error() {
        let endless = walk(1, u32::to_string, |page| {
            Ok(Chunk {
                items: vec![page],
                total: None,
            })
        });
        assert!(matches!(endless, Err(Error::Failed(message)) if message.contains("100 pages")));
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        assert!(page_of(Some("https://evil.example/?page=2")).is_err());
        assert!(page_of(Some("0")).is_err());
        assert_eq!(page_of(Some("2")).unwrap(), 2);
        assert_eq!(page_of(None).unwrap(), 1);
    }
}
