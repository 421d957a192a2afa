//! The word that somebody probably meant.

/// The word of the vocabulary that is most like `text`, if any is like it at all.
pub(super) fn nearest<'w>(text: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let text = text.to_lowercase();
    let allowed = (text.chars().count() / 3).max(2);
    words
        .into_iter()
        .map(|word| {
            (
                strsim::damerau_levenshtein(&text, &word.to_lowercase()),
                word,
            )
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_nonsense_is_not() {
        let words = ["Effect", "Action", "Resource"];
        assert_eq!(nearest("effect", words), Some("Effect"));
        assert_eq!(nearest("Actoin", words), Some("Action"));
        assert_eq!(nearest("zebra", words), None);
    }
}
