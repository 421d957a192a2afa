//! Takes credentials out of texts that are no JSON: URLs, connection strings, odd answers.

use std::borrow::Cow;
use std::ops::Range;

/// Words before a `=` or `:` that say that a secret follows.
const WORDS: [&str; 11] = [
    "access_key",
    "accesskey",
    "api_key",
    "apikey",
    "passwd",
    "password",
    "private_key",
    "pwd",
    "secret",
    "secret_key",
    "token",
];

/// The text without `user:password@` in its URLs.
pub(super) fn without_userinfo(text: &str) -> Cow<'_, str> {
    cut(text, userinfos(text))
}

/// The text without `user:password@` in its URLs and without the values of `password=…`.
pub(super) fn without_connection_secrets(text: &str) -> Cow<'_, str> {
    let mut found = userinfos(text);
    found.extend(assigned(text, &['=']));
    cut(text, found)
}

/// An answer that is no JSON, as far as it can be shown. `None` if it can't be read as text at all.
pub(super) fn shown(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(bytes).ok()?;
    // Other encodings, and compressed bytes, would hide what is looked for.
    if text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
    {
        return None;
    }
    let mut found = userinfos(text);
    found.extend(assigned(text, &['=', ':']));
    Some(cut(text, found))
}

/// Calls `visit` with each secret that a text seems to hold.
pub(super) fn secrets(text: &str, visit: &mut impl FnMut(&str)) {
    userinfo_passwords(text, visit);
    for range in assigned(text, &['=', ':']) {
        visit(
            text.get(range)
                .unwrap_or_default()
                .trim_matches(['"', '\'']),
        );
    }
}

/// Calls `visit` with each password that a URL of the text carries.
pub(super) fn userinfo_passwords(text: &str, visit: &mut impl FnMut(&str)) {
    for range in userinfos(text) {
        let userinfo = text.get(range).unwrap_or_default().trim_end_matches('@');
        if let Some((_, password)) = userinfo.split_once(':') {
            visit(password);
        }
    }
}

/// Ranges of `user:password@` behind `://`.
fn userinfos(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let rest = text.get(start..).unwrap_or_default();
        let end = rest
            .find(|c: char| {
                c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>')
            })
            .unwrap_or(rest.len());
        if let Some(sign) = rest.get(..end).and_then(|authority| authority.rfind('@')) {
            found.push(start..start + sign + 1);
        }
    }
    found
}

/// Ranges of the values behind `password=`, `"token": ` and the like.
fn assigned(text: &str, signs: &[char]) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for word in WORDS {
        for (at, _) in lower.match_indices(word) {
            let after = at + word.len();
            let rest = lower.get(after..).unwrap_or_default();
            let unquoted = rest.trim_start_matches(['"', '\'', ' ', '\t', '\\']);
            let Some(value) = unquoted.strip_prefix(signs) else {
                continue;
            };
            let value = value.trim_start_matches(['=', '>', ' ', '\t', '\r', '\n', '\\']);
            let start = text.len() - value.len();
            let length = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value
                    .get(1..)
                    .and_then(|inner| inner.find(quote))
                    .map_or(value.len(), |end| end + 2),
                _ => value
                    .find(|c: char| {
                        c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '&' | '}' | '<')
                    })
                    .unwrap_or(value.len()),
            };
            found.push(start..start + length);
        }
    }
    found
}

fn cut(text: &str, mut ranges: Vec<Range<usize>>) -> Cow<'_, str> {
    if ranges.iter().all(Range::is_empty) {
        return Cow::Borrowed(text);
    }
    ranges.sort_by_key(|range| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        kept.push_str(text.get(from..range.start).unwrap_or_default());
        from = from.max(range.end);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_url_loses_its_user_and_nothing_else() {
        assert_eq!(
            without_userinfo("see postgres://u:p%40x@h:1/db, https://h/x?a=b@c"),
            "see postgres://h:1/db, https://h/x?a=b@c"
        );
        assert_eq!(
            without_userinfo("mongodb+srv://u:p@a@h.example.com"),
            "mongodb+srv://h.example.com"
        );
        assert_eq!(
            without_userinfo("https://h.example.com/x"),
            "https://h.example.com/x"
        );
    }

    #[test]
    fn an_odd_answer_loses_what_it_says_of_secrets() {
        let shown = shown(b"{'password': 'canary-1', \"token\":\"canary-2\" broken\nPWD=canary-3; secret: canary-4\npg://u:canary-5@h/").unwrap();
        assert!(!shown.contains("canary"), "{shown}");
        assert!(shown.contains("pg://h/"), "{shown}");
    }

    #[test]
    fn what_cannot_be_read_as_text_is_not_shown() {
        assert_eq!(shown(b"p\0a\0s\0s\0"), None);
        assert_eq!(shown(&[0x1f, 0x8b, 8, 0]), None);
        assert_eq!(shown(&[0xff, 0xfe]), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_fail(text in "\\PC{0,60}", user in "[a-z]{1,5}", secret in "[a-z0-9]{8,12}") {
            let _ = shown(text.as_bytes());
            let url = format!("{text} pg://{user}:{secret}@host/x");
            let hidden = !without_connection_secrets(&url).contains(&format!(":{secret}@"));
            prop_assert!(hidden);
        }
    }
}
