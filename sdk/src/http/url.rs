//! URLs of path segments.

use crate::types::Error;

/// The URL of a path. A segment that is empty or only dots would be another path after
/// normalisation, however it is escaped, so there is no URL of it.
pub(super) fn join(origin: &str, path: &[&str]) -> Result<String, Error> {
    let mut url = origin.trim_end_matches('/').to_owned();
    for segment in path {
        if matches!(*segment, "" | "." | "..") {
            return Err(Error::Failed(format!(
                "\"{segment}\" can't be a segment of a path at the provider"
            )));
        }
        url.push('/');
        escape(segment, &mut url);
    }
    Ok(url)
}

pub(super) fn with_query(url: &str, name: &str, value: &str) -> String {
    let mut url = url.to_owned();
    url.push(if url.contains('?') { '&' } else { '?' });
    escape(name, &mut url);
    url.push('=');
    escape(value, &mut url);
    url
}

/// Percent-encodes everything but RFC 3986's unreserved characters.
fn escape(text: &str, into: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            into.push(char::from(byte));
        } else {
            into.push('%');
            for nibble in [byte >> 4, byte & 15] {
                into.extend(HEX.get(usize::from(nibble)).map(|digit| char::from(*digit)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_stays_one_segment_whatever_is_in_it() {
        assert_eq!(
            join("https://api.example", &["v2", "a/../b?c#d%2e", "users"]).unwrap(),
            "https://api.example/v2/a%2F..%2Fb%3Fc%23d%252e/users"
        );
    }

    #[test]
    fn a_segment_that_would_climb_is_refused() {
        for climbing in ["", ".", ".."] {
            assert!(join("https://api.example", &["v2", climbing]).is_err());
        }
    }

    #[test]
    fn a_query_value_stays_one_value() {
        assert_eq!(
            with_query("https://h/p", "tag", "a&b=c"),
            "https://h/p?tag=a%26b%3Dc"
        );
        assert_eq!(
            with_query("https://h/p?x=1", "y", "2"),
            "https://h/p?x=1&y=2"
        );
    }

    proptest! {
        #[test]
        fn no_segment_adds_another(segment in "\\PC{1,40}") {
            prop_assume!(segment != "." && segment != "..");
            let url = join("https://h", &["a", &segment, "b"]).unwrap();
            prop_assert_eq!(url.matches('/').count(), 5);
            prop_assert!(!url.contains('?') && !url.contains('#'));
        }
    }
}
