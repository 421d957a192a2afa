//! Names at the provider.

use std::borrow::Cow;

use crate::digest;
use crate::text::hex;

/// The name itself if it fits, else its head and eight hex digits of its hash: the same name always
/// gives the same short one, and two long names with one head stay apart.
///
/// `longest` is in characters and should be at least 12.
pub fn within(name: &str, longest: usize) -> Cow<'_, str> {
    const HASH: usize = 8;
    if name.chars().count() <= longest {
        return Cow::Borrowed(name);
    }
    let head: String = name
        .chars()
        .take(longest.saturating_sub(HASH + 1))
        .collect();
    let hash = hex(&digest::sha256(name));
    Cow::Owned(format!(
        "{}-{}",
        head.trim_end_matches('-'),
        hash.get(..HASH).unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_fits_is_left_alone() {
        assert_eq!(
            within("bc-r-0123456789abcdef01234567", 29),
            "bc-r-0123456789abcdef01234567"
        );
    }

    #[test]
    fn long_names_with_one_head_stay_apart_and_stable() {
        let one = within("a-very-long-name-one", 16);
        let two = within("a-very-long-name-two", 16);
        assert_ne!(one, two);
        assert_eq!(one, within("a-very-long-name-one", 16));
        assert!(one.len() <= 16 && two.len() <= 16);
    }
}
