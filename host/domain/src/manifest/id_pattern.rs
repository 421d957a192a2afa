//! What a provider id of a kind looks like.

use regex_lite::{Regex, RegexBuilder};

/// Longest pattern, in bytes.
pub const ID_PATTERN_BYTES_MAX: usize = 256;
/// Longest provider id, in bytes.
pub const PROVIDER_ID_BYTES_MAX: usize = 512;

/// Texts that no provider id may be, since a path could not hold them safely.
const UNSAFE_IDS: [&str; 12] = [
    "", ".", "..", "a/b", "a\\b", "a?b", "a#b", "a%2fb", "a;b", "a b", "a\nb", "/",
];

/// A kind's pattern of provider ids, compiled; it is matched whole, in linear time.
#[derive(Debug, Clone)]
pub struct IdPattern(Regex);

/// Why a text is no pattern of provider ids.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdPatternError {
    /// Empty or too long.
    #[error("a pattern has 1 to {ID_PATTERN_BYTES_MAX} bytes")]
    Length,
    /// No regular expression, or one that takes too much room.
    #[error("not a regular expression: {0}")]
    Broken(String),
    /// It takes a text that a path can't hold.
    #[error(
        "it matches {0:?}, which a path can't hold; name the characters that an id has, such as `[0-9a-f-]{{36}}`"
    )]
    TooWide(&'static str),
}

impl IdPattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When it is no regular expression, or takes texts that can't stand in a path.
    pub fn compile(pattern: &str) -> Result<Self, IdPatternError> {
        if !(1..=ID_PATTERN_BYTES_MAX).contains(&pattern.len()) {
            return Err(IdPatternError::Length);
        }
        let build = |text: &str| {
            RegexBuilder::new(text)
                .size_limit(64 * 1024)
                .build()
                .map_err(|error| IdPatternError::Broken(error.to_string()))
        };
        // By itself first: `a)|(b` is none, though it would be one between our parentheses.
        build(pattern)?;
        let whole = Self(build(&format!("^(?:{pattern})$"))?);
        match UNSAFE_IDS.into_iter().find(|text| whole.0.is_match(text)) {
            Some(text) => Err(IdPatternError::TooWide(text)),
            None => Ok(whole),
        }
    }

    /// Whether a text is a provider id of the kind, and safe in a path.
    #[must_use]
    pub fn matches(&self, id: &str) -> bool {
        (1..=PROVIDER_ID_BYTES_MAX).contains(&id.len())
            && !matches!(id, "." | "..")
            && !id.chars().any(|c| {
                c.is_control()
                    || c.is_whitespace()
                    || matches!(c, '/' | '\\' | '?' | '#' | '%' | ';')
            })
            && self.0.is_match(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_matched_whole() {
        let pattern = IdPattern::compile("[0-9]+|app-[a-z]+").unwrap();
        assert!(pattern.matches("12"));
        assert!(pattern.matches("app-x"));
        assert!(!pattern.matches("12x"));
        assert!(!pattern.matches("x12"));
    }

    #[test]
    fn a_pattern_that_takes_what_a_path_cannot_hold_is_refused() {
        assert_eq!(
            IdPattern::compile(".*").unwrap_err(),
            IdPatternError::TooWide("")
        );
        assert_eq!(
            IdPattern::compile(".+").unwrap_err(),
            IdPatternError::TooWide(".")
        );
        assert_eq!(
            IdPattern::compile("[a-z/]+").unwrap_err(),
            IdPatternError::TooWide("a/b")
        );
        assert!(matches!(
            IdPattern::compile("a)|(b"),
            Err(IdPatternError::Broken(_))
        ));
        assert!(matches!(
            IdPattern::compile("a{1000}{1000}"),
            Err(IdPatternError::Broken(_))
        ));
    }

    #[test]
    fn an_id_that_a_path_cannot_hold_never_matches() {
        let pattern = IdPattern::compile("[^x/]{3}").map(|p| p.matches("a;c"));
        assert_ne!(pattern, Ok(true), "refused or not matched");
    }
}
