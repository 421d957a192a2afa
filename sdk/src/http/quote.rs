//! What of a provider's error text may be shown.
//!
//! A provider's sentence is the best explanation a tenant can get ("size … is not available in
//! region …") and the worst place for a secret: providers echo inputs and connection strings in it.
//! So words are shown and values are not, unless they are values that this request itself sent.

use crate::answers::one_line;

/// The longest quotation.
const LONGEST: usize = 200;
/// The longest word that is taken for a word of a language.
const LONGEST_WORD: usize = 16;
/// The most digits that are taken for a count or a status.
const LONGEST_NUMBER: usize = 6;
const LEFT_OUT: &str = "…";

/// The sentence with everything left out that is neither a word, a small number nor sent by us.
pub(super) fn quote(sentence: &str, sent: &str) -> String {
    let words: Vec<&str> = sentence
        .split_whitespace()
        .take(LONGEST)
        .map(|word| if harmless(word, sent) { word } else { LEFT_OUT })
        .collect();
    one_line(&words.join(" "), LONGEST)
}

fn harmless(word: &str, sent: &str) -> bool {
    let bare = word.trim_matches(|c: char| c.is_ascii_punctuation());
    bare.is_empty() || is_word(bare) || is_number(bare) || was_sent(bare, sent)
}

/// Letters as people write them: lower case after the first, or a short abbreviation.
fn is_word(word: &str) -> bool {
    let letters = word.split(['-', '\'', '/', '_']).all(|part| {
        let tail_is_lower = part.chars().skip(1).all(|c| c.is_ascii_lowercase());
        let short_capitals = part.len() <= 4 && part.chars().all(|c| c.is_ascii_uppercase());
        part.chars().all(|c| c.is_ascii_alphabetic()) && (tail_is_lower || short_capitals)
    });
    letters && word.len() <= LONGEST_WORD
}

fn is_number(word: &str) -> bool {
    word.len() <= LONGEST_NUMBER && word.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn was_sent(word: &str, sent: &str) -> bool {
    const SHORTEST: usize = 3;
    word.len() >= SHORTEST && sent.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_what_we_sent_are_quoted() {
        let sent = r#"{"size":"db-s-9vcpu-99gb","region":"nyc9"}"#;
        assert_eq!(
            quote(
                "Size 'db-s-9vcpu-99gb' is not available in region nyc9.",
                sent
            ),
            "Size 'db-s-9vcpu-99gb' is not available in region nyc9."
        );
    }

    #[test]
    fn values_that_we_did_not_send_are_left_out() {
        assert_eq!(
            quote(
                "can't reach postgresql://doadmin:AVNS_x1@db.example:25060/defaultdb\nwith password hunter2horse",
                "{}"
            ),
            "can't reach … with password …"
        );
    }

    #[test]
    fn a_quotation_is_one_line_and_short() {
        let long = "again\n".repeat(1000);
        let quoted = quote(&long, "");
        assert!(quoted.chars().count() <= LONGEST + 1);
        assert!(!quoted.contains('\n'));
    }
}
