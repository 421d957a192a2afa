//! Which requests a fault, a hold or a count is about.

use serde::{Deserialize, Serialize};

/// A method and a path. In the path, `*` or `{anything}` stands for one segment, a final `**` for
/// the rest; a method `*` is any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// `GET`, `POST`, … or `*`.
    pub method: String,
    /// For example `/v2/databases/*`.
    pub path: String,
}

impl Pattern {
    /// A pattern of a method and a path.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
        }
    }

    /// Whether a request is meant. `path` is without its query.
    #[must_use]
    pub fn matches(&self, method: &str, path: &str) -> bool {
        (self.method == "*" || self.method.eq_ignore_ascii_case(method)) && self.matches_path(path)
    }

    fn matches_path(&self, path: &str) -> bool {
        let mut wanted = self.path.split('/');
        let mut found = path.split('/');
        loop {
            match (wanted.next(), found.next()) {
                (None, None) | (Some("**"), _) => return true,
                (Some(want), Some(segment)) if want == segment => {}
                (Some(want), Some(segment)) if is_wild(want) && !segment.is_empty() => {}
                _ => return false,
            }
        }
    }
}

fn is_wild(segment: &str) -> bool {
    segment == "*" || (segment.starts_with('{') && segment.ends_with('}'))
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn segments_and_rests_match() {
        let one = Pattern::new("get", "/v2/databases/{id}");
        assert!(one.matches("GET", "/v2/databases/a"));
        assert!(!one.matches("GET", "/v2/databases"));
        assert!(!one.matches("GET", "/v2/databases/"));
        assert!(!one.matches("GET", "/v2/databases/a/users"));
        assert!(!one.matches("PUT", "/v2/databases/a"));
        let rest = Pattern::new("*", "/v2/databases/**");
        assert!(rest.matches("PUT", "/v2/databases/a/users/b"));
        assert!(!rest.matches("PUT", "/v2/apps"));
    }
}
