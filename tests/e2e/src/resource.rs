//! A resource as the API shows it.

use std::ops::Index;

use serde_json::Value;

/// A resource as one answer had it.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource(pub Value);

impl Resource {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.text("id")
    }

    /// Its state.
    #[must_use]
    pub fn state(&self) -> &str {
        self.text("state")
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.0["version"]
            .as_u64()
            .unwrap_or_else(|| panic!("no version: {self:?}"))
    }

    /// Its id at the provider.
    ///
    /// # Panics
    /// When it has none.
    #[must_use]
    pub fn provider_id(&self) -> &str {
        self.text("providerId")
    }

    /// Why it is as it is, for programs, or nothing.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.0["message"]["reason"].as_str().unwrap_or_default()
    }

    /// Why it is as it is, for people, or nothing.
    #[must_use]
    pub fn message(&self) -> &str {
        self.0["message"]["text"].as_str().unwrap_or_default()
    }

    /// Names of its secret outputs.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        self.0["secretOutputs"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// What the object is called at the provider where the kind has no identity.
    #[must_use]
    pub fn provider_name(&self) -> String {
        format!("bc-r-{}", &self.id()["crs_".len()..][..24])
    }

    /// A reference to one of its sealed outputs.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn secret(&self, output: &str) -> &str {
        self.0["secretOutputs"][output]
            .as_str()
            .unwrap_or_else(|| panic!("no secret output `{output}`: {self:?}"))
    }

    fn text(&self, name: &str) -> &str {
        self.0[name]
            .as_str()
            .unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }
}

impl Index<&str> for Resource {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        &self.0[name]
    }
}

/// The `name`s of the items of an answer, in order.
#[must_use]
pub fn names(answer: &Value) -> Vec<String> {
    let items = answer["items"].as_array();
    let items = items.unwrap_or_else(|| panic!("an answer has no items: {answer}"));
    items
        .iter()
        .map(|item| item["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}
