//! Path templates: which paths a plugin may send requests to, and which of them are its own object's.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest template, and longest request path, in bytes.
pub const PATH_BYTES_MAX: usize = 2_048;
/// Most segments of a template or a path.
const PATH_SEGMENTS_MAX: usize = 32;

/// A path whose segments are literal or stand for something.
///
/// `{id}`, `{parent}` and `{name}` stand for one segment that must be the call's own; `{any}` for any.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathTemplate {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Segment {
    Literal(String),
    Id,
    Parent,
    Name,
    Any,
}

/// Why a text is no path template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It does not start with a slash.
    #[error("a path template starts with `/`")]
    NotAbsolute,
    /// Too long.
    #[error("a path template has at most {PATH_BYTES_MAX} bytes and {PATH_SEGMENTS_MAX} segments")]
    TooLong,
    /// Two slashes in a row, or one at the end.
    #[error("a path template has no empty segment: no `//` and no `/` at the end")]
    EmptySegment,
    /// `.` or `..`.
    #[error("a path template has no `.` or `..` segment")]
    DotSegment,
    /// A placeholder that does not exist, or one that is a part of a segment.
    #[error(
        "`{0}` is no placeholder: whole segments `{{id}}`, `{{parent}}`, `{{name}}` and `{{any}}` are"
    )]
    Placeholder(String),
    /// A character that a literal segment can't have.
    #[error(
        "the segment `{0}` has a character outside A-Z a-z 0-9 - . _ ~ : @ $ + , = ! * ( ); a template has no query and nothing encoded"
    )]
    Character(String),
}

/// What the placeholders of a template stand for in a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Binding {
    /// The provider id of the call's object.
    pub id: Option<String>,
    /// The provider id of its parent.
    pub parent: Option<String>,
    /// What the object is called at the provider.
    pub name: Option<String>,
}

/// A path that was matched, and what of the call's own it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Matched {
    /// It holds the call's own provider id.
    pub id: bool,
    /// It holds the provider id of the call's parent.
    pub parent: bool,
    /// It holds the call's own name.
    pub name: bool,
}

impl Matched {
    /// Whether the path proves that it is the call's own object: by its id, or by its parent and name.
    #[must_use]
    pub fn is_own(self) -> bool {
        self.id || (self.parent && self.name)
    }
}

/// The path of a request, decoded once, in a form in which nothing can hide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestPath {
    segments: Vec<String>,
}

/// Why a request's path is refused before it is matched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It does not start with a slash.
    #[error("the path must start with `/`")]
    NotAbsolute,
    /// Too long.
    #[error("the path has more than {PATH_BYTES_MAX} bytes or {PATH_SEGMENTS_MAX} segments")]
    TooLong,
    /// Two slashes in a row, or one at the end.
    #[error("the path has an empty segment: leave out `//` and a `/` at the end")]
    EmptySegment,
    /// `.` or `..`, plain or encoded.
    #[error("the path has a `.` or `..` segment")]
    DotSegment,
    /// A percent sign that two hexadecimal digits do not follow, or bytes that are no UTF-8.
    #[error("the path has a percent-encoding that can't be decoded")]
    Encoding,
    /// A character that servers read in different ways.
    #[error(
        "the path has an encoded or raw control character, slash, backslash, percent sign, `;`, `?` or `#` in a segment"
    )]
    Character,
}

impl PathTemplate {
    /// Whether this path is one of the template's, with the call's own values in its placeholders.
    ///
    /// A placeholder that the call has no value for matches nothing.
    #[must_use]
    pub fn matches(&self, path: &RequestPath, binding: &Binding) -> Option<Matched> {
        if self.segments.len() != path.segments.len() {
            return None;
        }
        let mut matched = Matched::default();
        for (segment, actual) in self.segments.iter().zip(&path.segments) {
            let fits = match segment {
                Segment::Literal(text) => text == actual,
                Segment::Any => true,
                Segment::Id => {
                    matched.id = true;
                    binding.id.as_ref() == Some(actual)
                }
                Segment::Parent => {
                    matched.parent = true;
                    binding.parent.as_ref() == Some(actual)
                }
                Segment::Name => {
                    matched.name = true;
                    binding.name.as_ref() == Some(actual)
                }
            };
            if !fits {
                return None;
            }
        }
        Some(matched)
    }

    /// Whether a path has the template's form, whatever stands in its placeholders.
    #[must_use]
    pub fn resembles(&self, path: &RequestPath) -> bool {
        self.segments.len() == path.segments.len()
            && self
                .segments
                .iter()
                .zip(&path.segments)
                .all(|(segment, actual)| match segment {
                    Segment::Literal(text) => text == actual,
                    _ => true,
                })
    }

    /// Whether some path fits both templates.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.segments.len() == other.segments.len()
            && self
                .segments
                .iter()
                .zip(&other.segments)
                .all(|pair| match pair {
                    (Segment::Literal(a), Segment::Literal(b)) => a == b,
                    _ => true,
                })
    }

    /// Which of the call's own things a path of this template holds.
    #[must_use]
    pub fn holds(&self) -> Matched {
        Matched {
            id: self.segments.contains(&Segment::Id),
            parent: self.segments.contains(&Segment::Parent),
            name: self.segments.contains(&Segment::Name),
        }
    }

    /// Whether it has an `{any}`.
    #[must_use]
    pub fn has_any(&self) -> bool {
        self.segments.contains(&Segment::Any)
    }

    /// Whether it has no placeholder at all.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.segments
            .iter()
            .all(|segment| matches!(segment, Segment::Literal(_)))
    }

    /// Whether its last segment is `{parent}`: a request to it acts on the parent itself.
    #[must_use]
    pub fn ends_in_parent(&self) -> bool {
        self.segments.last() == Some(&Segment::Parent)
    }
}

impl FromStr for PathTemplate {
    type Err = TemplateError;
    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let rest = text.strip_prefix('/').ok_or(TemplateError::NotAbsolute)?;
        if text.len() > PATH_BYTES_MAX || rest.split('/').count() > PATH_SEGMENTS_MAX {
            return Err(TemplateError::TooLong);
        }
        if rest.is_empty() {
            return Ok(Self {
                segments: Vec::new(),
            });
        }
        rest.split('/')
            .map(parse_segment)
            .collect::<Result<_, _>>()
            .map(|segments| Self { segments })
    }
}

fn parse_segment(text: &str) -> Result<Segment, TemplateError> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~:@$+,=!*()".contains(&b);
    match text {
        "" => Err(TemplateError::EmptySegment),
        "." | ".." => Err(TemplateError::DotSegment),
        "{id}" => Ok(Segment::Id),
        "{parent}" => Ok(Segment::Parent),
        "{name}" => Ok(Segment::Name),
        "{any}" => Ok(Segment::Any),
        _ if text.contains(['{', '}']) => Err(TemplateError::Placeholder(text.to_owned())),
        _ if text.bytes().all(plain) => Ok(Segment::Literal(text.to_owned())),
        _ => Err(TemplateError::Character(text.to_owned())),
    }
}

impl TryFrom<String> for PathTemplate {
    type Error = TemplateError;
    fn try_from(text: String) -> Result<Self, TemplateError> {
        text.parse()
    }
}

impl From<PathTemplate> for String {
    fn from(template: PathTemplate) -> String {
        template.to_string()
    }
}

impl fmt::Display for PathTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segments.is_empty() {
            return f.write_str("/");
        }
        for segment in &self.segments {
            let text = match segment {
                Segment::Literal(text) => text.as_str(),
                Segment::Id => "{id}",
                Segment::Parent => "{parent}",
                Segment::Name => "{name}",
                Segment::Any => "{any}",
            };
            write!(f, "/{text}")?;
        }
        Ok(())
    }
}

impl FromStr for RequestPath {
    type Err = PathError;
    /// Parses the path of a URL as it goes over the wire: percent-encoded, without the query.
    fn from_str(text: &str) -> Result<Self, PathError> {
        let rest = text.strip_prefix('/').ok_or(PathError::NotAbsolute)?;
        if text.len() > PATH_BYTES_MAX || rest.split('/').count() > PATH_SEGMENTS_MAX {
            return Err(PathError::TooLong);
        }
        if rest.is_empty() {
            return Ok(Self {
                segments: Vec::new(),
            });
        }
        rest.split('/')
            .map(decode_segment)
            .collect::<Result<_, _>>()
            .map(|segments| Self { segments })
    }
}

/// Decodes a segment once and refuses what a second decoding, or another server's reading, could turn
/// into a different path.
fn decode_segment(raw: &str) -> Result<String, PathError> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = rest.next().and_then(hex).ok_or(PathError::Encoding)?;
            let low = rest.next().and_then(hex).ok_or(PathError::Encoding)?;
            bytes.push(high << 4 | low);
        } else {
            bytes.push(byte);
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| PathError::Encoding)?;
    if text.is_empty() {
        return Err(PathError::EmptySegment);
    }
    if text
        .chars()
        .any(|c| c.is_control() || matches!(c, '/' | '\\' | '%' | ';' | '?' | '#'))
    {
        return Err(PathError::Character);
    }
    if matches!(text.as_str(), "." | "..") {
        return Err(PathError::DotSegment);
    }
    Ok(text)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn template(text: &str) -> PathTemplate {
        text.parse().unwrap()
    }

    fn own() -> Binding {
        Binding {
            id: Some("own-id".into()),
            parent: Some("cluster".into()),
            name: Some("app".into()),
        }
    }

    fn matched(template_text: &str, path: &str) -> Option<Matched> {
        template(template_text).matches(&path.parse().ok()?, &own())
    }

    #[test]
    fn a_template_that_could_be_read_in_two_ways_is_refused() {
        insta::assert_snapshot!(
            ["v2/x", "/v2//x", "/v2/x/", "/v2/../x", "/v2/{uuid}", "/v2/a{id}", "/v2/x?y=1", "/v2/%2e", "/v2/a b"]
                .map(|text| format!("{text} -> {}", text.parse::<PathTemplate>().unwrap_err()))
                .join("\n"),
            @r"
        v2/x -> a path template starts with `/`
        /v2//x -> a path template has no empty segment: no `//` and no `/` at the end
        /v2/x/ -> a path template has no empty segment: no `//` and no `/` at the end
        /v2/../x -> a path template has no `.` or `..` segment
        /v2/{uuid} -> `{uuid}` is no placeholder: whole segments `{id}`, `{parent}`, `{name}` and `{any}` are
        /v2/a{id} -> `a{id}` is no placeholder: whole segments `{id}`, `{parent}`, `{name}` and `{any}` are
        /v2/x?y=1 -> the segment `x?y=1` has a character outside A-Z a-z 0-9 - . _ ~ : @ $ + , = ! * ( ); a template has no query and nothing encoded
        /v2/%2e -> the segment `%2e` has a character outside A-Z a-z 0-9 - . _ ~ : @ $ + , = ! * ( ); a template has no query and nothing encoded
        /v2/a b -> the segment `a b` has a character outside A-Z a-z 0-9 - . _ ~ : @ $ + , = ! * ( ); a template has no query and nothing encoded
        "
        );
    }

    #[test]
    fn only_the_calls_own_values_fit_its_placeholders() {
        assert!(
            matched("/v2/databases/{id}", "/v2/databases/own-id")
                .unwrap()
                .is_own()
        );
        assert_eq!(
            matched("/v2/databases/{id}", "/v2/databases/neighbour"),
            None
        );
        assert!(
            matched(
                "/v2/databases/{parent}/users/{name}",
                "/v2/databases/cluster/users/app"
            )
            .unwrap()
            .is_own()
        );
        assert_eq!(
            matched(
                "/v2/databases/{parent}/users/{name}",
                "/v2/databases/other/users/app"
            ),
            None
        );
        assert!(
            !matched(
                "/v2/databases/{parent}/users",
                "/v2/databases/cluster/users"
            )
            .unwrap()
            .is_own()
        );
        assert!(
            !matched("/v2/databases/{any}", "/v2/databases/own-id")
                .unwrap()
                .is_own()
        );
    }

    #[test]
    fn a_placeholder_without_a_value_matches_nothing() {
        let path: RequestPath = "/v2/databases/x".parse().unwrap();
        assert_eq!(
            template("/v2/databases/{id}").matches(&path, &Binding::default()),
            None
        );
    }

    #[test]
    fn no_encoding_hides_a_way_out_of_a_segment() {
        for path in [
            "/v2/databases/own-id%2F..%2Fneighbour",
            "/v2/databases/own-id/../neighbour",
            "/v2/databases/%2e%2e",
            "/v2/databases/%252e%252e",
            "/v2//databases/own-id",
            "/v2/databases/own-id/",
            "/v2/databases/own-id%00",
            "/v2/databases/own-id%0d%0a",
            "/v2/databases/own-id;x=1",
            "/v2/databases/own-id%3f",
            "/v2/databases/own-id%23",
            "/v2/databases/own-id%5c..",
            "/v2/databases/own-id%",
            "/v2/databases/own-id%zz",
            "/v2/databases/%ff",
        ] {
            assert!(path.parse::<RequestPath>().is_err(), "{path}");
        }
    }

    #[test]
    fn an_encoded_own_value_is_the_same_value() {
        assert!(matched("/v2/databases/{id}", "/v2/databases/own%2Did").is_some());
    }

    #[test]
    fn the_root_is_a_template() {
        assert!(matched("/", "/").is_some());
        assert_eq!(template("/").to_string(), "/");
    }

    proptest! {
        #[test]
        fn a_template_survives_the_trip_through_text(parts in proptest::collection::vec(prop_oneof![
            "[a-z0-9_-]{1,8}", Just("{id}".to_owned()), Just("{parent}".to_owned()), Just("{name}".to_owned()), Just("{any}".to_owned())
        ], 0..6)) {
            let text = format!("/{}", parts.join("/"));
            prop_assert_eq!(template(&text).to_string(), text);
        }

        #[test]
        fn no_path_is_own_unless_it_holds_the_own_value_whole(path in "(/[a-z%0-9.;-]{0,12}){1,4}") {
            let binding = Binding { id: Some("own".into()), ..Binding::default() };
            if let Ok(parsed) = path.parse::<RequestPath>() {
                for text in ["/a/{id}", "/{id}", "/{any}/{id}", "/{id}/{any}"] {
                    if template(text).matches(&parsed, &binding).is_some() {
                        prop_assert!(path.split('/').any(|s| decode_segment(s).as_deref() == Ok("own")));
                    }
                }
            }
        }

        #[test]
        fn templates_that_match_one_path_overlap(path in "(/[ab]){1,3}", a in "(/([ab]|\\{any\\})){1,3}", b in "(/([ab]|\\{any\\})){1,3}") {
            let parsed: RequestPath = path.parse().unwrap();
            let (a, b) = (template(&a), template(&b));
            if a.matches(&parsed, &own()).is_some() && b.matches(&parsed, &own()).is_some() {
                prop_assert!(a.overlaps(&b));
            }
        }
    }
}
