//! An app's spec, as the JSON that the host validated by the kind's schema.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The fields of a spec. All but `project_id` are the provider's app spec.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Spec(Map<String, Value>);

impl Spec {
    /// The provider's app spec, under the name that the host gave.
    pub(super) fn of_app(&self, name: &str) -> Map<String, Value> {
        let mut spec = self.0.clone();
        spec.remove("project_id");
        spec.insert("name".to_owned(), Value::from(name));
        spec
    }

    pub(super) fn project_id(&self) -> Option<&str> {
        self.0.get("project_id")?.as_str()
    }

    /// Components of these lists: each with its list and place in it.
    pub(super) fn components<'a>(
        &'a self,
        lists: &'a [&'static str],
    ) -> impl Iterator<Item = (&'static str, usize, &'a Value)> {
        lists.iter().flat_map(|list| {
            let components = self.0.get(*list).and_then(Value::as_array);
            components
                .into_iter()
                .flatten()
                .enumerate()
                .map(|(index, component)| (*list, index, component))
        })
    }
}
