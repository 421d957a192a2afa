//! Ownership labels where a provider has only tags.
//!
//! A label becomes the tag `key:value`. A value that the provider's alphabet can't hold as it is
//! (a character outside it, a capital where the provider folds case, too long) is written as `x--`
//! and the lower-case base32 of its bytes, or, longer than that allows, as `h--` and the base32 of
//! its SHA-256. So two values never share a tag, and `x--` can be read back.

use crate::digest;
use crate::text::{base32, from_base32};
use crate::types::{Error, Label};

const SEPARATOR: char = ':';
/// What all keys of ownership labels start with.
const OURS: &str = "better-compute-";
const ENCODED: &str = "x--";
const HASHED: &str = "h--";

/// What a provider's tags are made of.
#[derive(Debug, Clone, Copy)]
pub struct TagAlphabet {
    /// Whether a tag may hold the character. It must allow `[a-z0-9-]` and the separator `:`.
    pub allows: fn(char) -> bool,
    /// The longest tag, in characters; at least 128.
    pub longest: usize,
    /// Tags that differ only in case are one tag.
    pub folds_case: bool,
}

impl TagAlphabet {
    /// The tag of a label. An error if the label's key is none that this alphabet can hold.
    pub fn encode(&self, label: &Label) -> Result<String, Error> {
        let room = self
            .longest
            .saturating_sub(label.key.len() + SEPARATOR.len_utf8());
        if !label.key.chars().all(|c| self.holds(c)) || room < HASHED.len() + 52 {
            return Err(Error::Failed(format!(
                "the label {} can't be a tag of this provider",
                label.key
            )));
        }
        Ok(format!(
            "{}{SEPARATOR}{}",
            label.key,
            self.encode_value(&label.value, room)
        ))
    }

    /// The label that a tag stands for, `None` for a tag that is no ownership label.
    pub fn decode(&self, tag: &str) -> Option<Label> {
        let folded = tag.to_lowercase();
        let tag = if self.folds_case {
            folded.as_str()
        } else {
            tag
        };
        let (key, value) = tag.split_once(SEPARATOR)?;
        key.starts_with(OURS).then(|| Label {
            key: key.to_owned(),
            value: decode_value(value).unwrap_or_else(|| value.to_owned()),
        })
    }

    /// The ownership labels among an object's tags. A tag of a wanted label is that label exactly,
    /// also where its value was hashed.
    pub fn labels(&self, tags: &[String], wanted: &[Label]) -> Vec<Label> {
        tags.iter()
            .filter_map(|tag| {
                wanted
                    .iter()
                    .find(|label| {
                        self.encode(label)
                            .is_ok_and(|encoded| self.same(&encoded, tag))
                    })
                    .cloned()
                    .or_else(|| self.decode(tag))
            })
            .collect()
    }

    /// Whether two tags are one to the provider.
    pub fn same(&self, one: &str, other: &str) -> bool {
        one == other || (self.folds_case && one.to_lowercase() == other.to_lowercase())
    }

    /// Whether a tag is, or could be taken for, an ownership label. Tenants may not write such.
    pub fn reserved(tag: &str) -> bool {
        tag.to_lowercase().starts_with(OURS)
    }

    fn holds(&self, c: char) -> bool {
        (self.allows)(c) && !(self.folds_case && c.is_uppercase())
    }

    fn encode_value(&self, value: &str, room: usize) -> String {
        let plain = !value.is_empty()
            && value.chars().count() <= room
            && value.chars().all(|c| self.holds(c))
            && !value.starts_with(ENCODED)
            && !value.starts_with(HASHED);
        if plain {
            return value.to_owned();
        }
        let encoded = format!("{ENCODED}{}", base32(value.as_bytes()));
        if encoded.len() <= room {
            encoded
        } else {
            format!("{HASHED}{}", base32(&digest::sha256(value)))
        }
    }
}

fn decode_value(value: &str) -> Option<String> {
    String::from_utf8(from_base32(value.strip_prefix(ENCODED)?)?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TAGS: TagAlphabet = TagAlphabet {
        allows: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'),
        longest: 255,
        folds_case: true,
    };

    fn label(key: &str, value: &str) -> Label {
        Label {
            key: key.to_owned(),
            value: value.to_owned(),
        }
    }

    #[test]
    fn an_id_is_readable_in_its_tag() {
        let resource = label("better-compute-resource", "crs_0123456789abcdefghjkmnpqrs");
        assert_eq!(
            TAGS.encode(&resource).unwrap(),
            "better-compute-resource:crs_0123456789abcdefghjkmnpqrs"
        );
    }

    #[test]
    fn a_tag_that_the_provider_capitalised_is_still_ours() {
        let wanted = [label("better-compute-resource", "crs_01")];
        let tags = [
            "Better-Compute-Resource:CRS_01".to_owned(),
            "team:blue".to_owned(),
        ];
        assert_eq!(TAGS.labels(&tags, &wanted), wanted);
    }

    #[test]
    fn a_tag_that_looks_like_a_label_is_reserved_in_any_case() {
        assert!(TagAlphabet::reserved("Better-Compute-Managed:me"));
        assert!(!TagAlphabet::reserved("team:blue"));
    }

    proptest! {
        #[test]
        fn every_tenant_id_gives_a_tag_that_reads_back(value in "[A-Za-z0-9._:-]{1,128}") {
            let wanted = label("better-compute-tenant", &value);
            let tag = TAGS.encode(&wanted).unwrap();
            prop_assert!(tag.len() <= 255);
            prop_assert!(tag.chars().all(|c| TAGS.holds(c)));
            prop_assert_eq!(TAGS.decode(&tag).unwrap(), wanted);
        }

        #[test]
        fn two_values_never_share_a_tag(one in "\\PC{0,300}", other in "\\PC{0,300}") {
            prop_assume!(one != other);
            let key = "better-compute-tenant";
            let (one, other) = (TAGS.encode(&label(key, &one)).unwrap(), TAGS.encode(&label(key, &other)).unwrap());
            prop_assert!(!TAGS.same(&one, &other));
        }

        #[test]
        fn no_tag_of_a_stranger_panics(tag in "\\PC{0,300}") {
            let _ = TAGS.decode(&tag);
        }
    }
}
