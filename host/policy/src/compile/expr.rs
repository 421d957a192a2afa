//! Cedar expressions in their JSON form, with what is certain already folded away.

use serde_json::{Value, json};

/// A condition as far as it is known when compiling.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    Always,
    Never,
    When(Value),
}

impl Expr {
    pub(super) fn certain(truth: bool) -> Self {
        if truth { Self::Always } else { Self::Never }
    }

    /// Holds when none of them fails.
    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut open = Vec::new();
        for part in parts {
            match part {
                Self::Always => {}
                Self::Never => return Self::Never,
                Self::When(expr) => open.push(expr),
            }
        }
        balanced("&&", open).map_or(Self::Always, Self::When)
    }

    /// Holds when one of them does.
    pub(super) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut open = Vec::new();
        for part in parts {
            match part {
                Self::Always => return Self::Always,
                Self::Never => {}
                Self::When(expr) => open.push(expr),
            }
        }
        balanced("||", open).map_or(Self::Never, Self::When)
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::When(expr) => Self::When(json!({"!": {"arg": expr}})),
        }
    }

    pub(super) fn not_if(self, negated: bool) -> Self {
        if negated { self.not() } else { self }
    }
}

/// A tree of logarithmic depth: Cedar checks and evaluates recursively.
fn balanced(operator: &str, mut parts: Vec<Value>) -> Option<Value> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let right = balanced(operator, parts.split_off(parts.len() / 2))?;
    let left = balanced(operator, parts)?;
    Some(binary(operator, left, right))
}

pub(super) fn binary(operator: &str, left: Value, right: Value) -> Value {
    json!({operator: {"left": left, "right": right}})
}

/// A text, a number or a truth value; never an object, which Cedar might read as a reference.
pub(super) fn literal(value: impl Into<Literal>) -> Value {
    let Literal(value) = value.into();
    json!({"Value": value})
}

pub(super) struct Literal(Value);

impl From<&String> for Literal {
    fn from(text: &String) -> Self {
        Self(Value::from(text.as_str()))
    }
}

impl From<i64> for Literal {
    fn from(number: i64) -> Self {
        Self(Value::from(number))
    }
}

impl From<bool> for Literal {
    fn from(truth: bool) -> Self {
        Self(Value::from(truth))
    }
}

pub(super) fn set(elements: Vec<Value>) -> Value {
    json!({"Set": elements})
}

pub(super) fn attribute(of: &'static str, name: &'static str) -> Value {
    json!({".": {"left": {"Var": of}, "attr": name}})
}

pub(super) fn has(of: &'static str, name: &'static str) -> Value {
    json!({"has": {"left": {"Var": of}, "attr": name}})
}

/// Matches a text against literals with any text between them.
pub(super) fn like<'l>(text: Value, literals: impl Iterator<Item = &'l str>) -> Expr {
    let literals: Vec<&str> = literals.collect();
    if let [whole] = literals.as_slice() {
        return Expr::When(binary("==", text, literal(&(*whole).to_owned())));
    }
    if literals.iter().all(|part| part.is_empty()) {
        return Expr::Always;
    }
    let mut pattern = Vec::new();
    for (index, part) in literals.iter().enumerate() {
        if index > 0 && pattern.last() != Some(&json!("Wildcard")) {
            pattern.push(json!("Wildcard"));
        }
        if !part.is_empty() {
            pattern.push(json!({"Literal": part}));
        }
    }
    Expr::When(json!({"like": {"left": text, "pattern": pattern}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_certain_is_folded() {
        let open = || Expr::When(json!("x"));
        assert_eq!(Expr::all([Expr::Always, open()]), open());
        assert_eq!(Expr::all([Expr::Never, open()]), Expr::Never);
        assert_eq!(Expr::any([Expr::Never, open()]), open());
        assert_eq!(Expr::any([Expr::Always, open()]), Expr::Always);
        assert_eq!(Expr::all([]), Expr::Always);
        assert_eq!(Expr::any([]), Expr::Never);
        assert_eq!(Expr::Always.not(), Expr::Never);
    }

    #[test]
    fn long_alternatives_make_shallow_trees() {
        let parts = (0..1000).map(|n| Expr::When(json!(n)));
        let Expr::When(tree) = Expr::any(parts) else {
            panic!("not certain");
        };
        fn depth(tree: &Value) -> usize {
            tree.get("||").map_or(0, |node| {
                1 + depth(&node["left"]).max(depth(&node["right"]))
            })
        }
        assert_eq!(depth(&tree), 10);
    }

    #[test]
    fn neighbouring_stars_are_one_wildcard() {
        let Expr::When(pattern) = like(json!("t"), "a**b*".split('*')) else {
            panic!("not certain");
        };
        assert_eq!(
            pattern["like"]["pattern"],
            json!([{"Literal": "a"}, "Wildcard", {"Literal": "b"}, "Wildcard"])
        );
        assert_eq!(like(json!("t"), "**".split('*')), Expr::Always);
    }
}
