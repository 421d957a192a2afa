//! Reading JSON into a type, and saying where it does not fit.
//!
//! The parser says line and column. Turning them into a path afterwards, only when something is wrong,
//! keeps a wrapper around every type of every plugin out of its component.

use serde::de::DeserializeOwned;

/// A step into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into the member of this name, as it is written.
    Member(String),
    /// Into the item of this index.
    Item(usize),
}

/// A document that does not fit its type.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// Where.
    pub(crate) path: Vec<Step>,
    /// What is wrong, in the parser's words: they may quote the document.
    pub(crate) error: serde_json::Error,
}

/// Reads a whole document.
pub(crate) fn read<T: DeserializeOwned>(document: &[u8]) -> Result<T, Misfit> {
    serde_json::from_slice(document).map_err(|error| Misfit {
        path: path_to(document, error.line(), error.column()),
        error,
    })
}

impl Misfit {
    /// The path as a JSON Pointer.
    pub(crate) fn pointer(&self) -> String {
        self.path
            .iter()
            .map(|step| match step {
                Step::Member(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
                Step::Item(index) => format!("/{index}"),
            })
            .collect()
    }

    /// The path as people write it: `database.users[2].name`, and `.` for the whole document.
    pub(crate) fn place(&self) -> String {
        let path: String = self
            .path
            .iter()
            .map(|step| match step {
                Step::Member(name) => format!(".{name}"),
                Step::Item(index) => format!("[{index}]"),
            })
            .collect();
        match path.strip_prefix('.') {
            Some(rest) => rest.to_owned(),
            None if path.is_empty() => ".".to_owned(),
            None => path,
        }
    }
}

/// A container that is open at some place.
enum Open {
    /// An object, and the member that is being read.
    Object(Option<String>),
    /// A list, and the index of the item.
    List(usize),
}

/// The path to a place of a document: line and column as the parser counts them.
fn path_to(document: &[u8], line: usize, column: usize) -> Vec<Step> {
    let before: usize = document
        .split_inclusive(|byte| *byte == b'\n')
        .take(line.saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    let end = before.saturating_add(column).min(document.len());
    let mut rest = document.get(..end).unwrap_or_default();
    let mut open: Vec<Open> = Vec::new();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'{' => open.push(Open::Object(None)),
            b'[' => open.push(Open::List(0)),
            b'}' | b']' => {
                open.pop();
            }
            b',' => match open.last_mut() {
                Some(Open::Object(member)) => *member = None,
                Some(Open::List(index)) => *index += 1,
                None => {}
            },
            b'"' => {
                let (text, after) = string(rest);
                rest = after;
                if let Some(Open::Object(member @ None)) = open.last_mut() {
                    *member = Some(String::from_utf8_lossy(text).into_owned());
                }
            }
            _ => {}
        }
    }
    open.into_iter()
        .filter_map(|open| match open {
            Open::Object(member) => member.map(Step::Member),
            Open::List(index) => Some(Step::Item(index)),
        })
        .collect()
}

/// What stands before the closing quote, and what behind it.
fn string(text: &[u8]) -> (&[u8], &[u8]) {
    let mut escaped = false;
    let quote = text.iter().position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    });
    match quote.and_then(|quote| text.split_at_checked(quote)) {
        Some((inside, rest)) => (inside, rest.get(1..).unwrap_or_default()),
        None => (text, &[]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "only read")]
        name: Option<String>,
        #[expect(dead_code, reason = "only read")]
        items: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    struct Inner {
        #[expect(dead_code, reason = "only read")]
        size: u8,
    }

    fn misfit(document: &str) -> (String, String) {
        let misfit = read::<Outer>(document.as_bytes()).unwrap_err();
        (misfit.place(), misfit.pointer())
    }

    #[test]
    fn a_misfit_is_found_where_it_stands() {
        for (document, place, pointer) in [
            (
                r#"{"items": [{"size": 1}, {"size": "x"}]}"#,
                "items[1].size",
                "/items/1/size",
            ),
            (
                "{\n \"items\": [\n  {\"size\": 700}]}",
                "items[0].size",
                "/items/0/size",
            ),
            (r#"{"items": [{"size": 1}, {}]}"#, "items[1]", "/items/1"),
            (
                r#"{"items": [], "na\"me/~": 1}"#,
                "na\\\"me/~",
                "/na\\\"me~1~0",
            ),
            (r#"{"name": "a, [b", "items": 7}"#, "items", "/items"),
            (r#"{"name": "x"}"#, ".", ""),
            (r#"{"items": [{"size": 1}, "#, "items[1]", "/items/1"),
            ("7", ".", ""),
            ("", ".", ""),
        ] {
            assert_eq!(
                misfit(document),
                (place.to_owned(), pointer.to_owned()),
                "{document}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_document_panics(document in "[\\[\\]{}\",:\\\\a1\\n ]{0,60}", line in 0_usize..9, column in 0_usize..99) {
            let _ = path_to(document.as_bytes(), line, column);
            let _ = read::<Outer>(document.as_bytes()).map_err(|misfit| misfit.place());
        }
    }
}
