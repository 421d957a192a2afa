//! Cedar's names of our types, parsed once.

use std::collections::HashMap;
use std::sync::LazyLock;

use cedar_policy::{EntityId, EntityTypeName, EntityUid};

use super::schema::{CALLER, NAMESPACE};
use crate::{Action, ResourceType};

/// Names of entities. Parsing one costs more than deciding does.
pub(crate) struct Names {
    caller: EntityTypeName,
    resources: HashMap<ResourceType, EntityTypeName>,
    actions: HashMap<Action, EntityUid>,
}

static NAMES: LazyLock<Result<Names, String>> = LazyLock::new(Names::parse);

impl Names {
    /// The names; an error only if the vocabulary itself is wrong.
    pub(crate) fn get() -> Result<&'static Self, &'static str> {
        NAMES.as_ref().map_err(String::as_str)
    }

    fn parse() -> Result<Self, String> {
        let action_type = name("Action")?;
        let mut resources = HashMap::new();
        for kind in ResourceType::ALL {
            resources.insert(*kind, name(kind.entity_type())?);
        }
        let actions = Action::ALL.iter().map(|action| {
            let id = EntityId::new(action.as_str());
            (
                *action,
                EntityUid::from_type_name_and_id(action_type.clone(), id),
            )
        });
        Ok(Self {
            caller: name(CALLER)?,
            resources,
            actions: actions.collect(),
        })
    }

    pub(crate) fn caller(&self, id: &str) -> EntityUid {
        EntityUid::from_type_name_and_id(self.caller.clone(), EntityId::new(id))
    }

    pub(crate) fn resource(&self, kind: ResourceType, id: &str) -> Option<EntityUid> {
        let name = self.resources.get(&kind)?.clone();
        Some(EntityUid::from_type_name_and_id(name, EntityId::new(id)))
    }

    pub(crate) fn action(&self, action: Action) -> Option<EntityUid> {
        self.actions.get(&action).cloned()
    }
}

fn name(entity_type: &str) -> Result<EntityTypeName, String> {
    format!("{NAMESPACE}::{entity_type}")
        .parse()
        .map_err(|error| format!("{entity_type} is no name of a type: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_name() {
        let names = Names::get().unwrap();
        assert!(Action::ALL.iter().all(|a| names.action(*a).is_some()));
        assert!(
            ResourceType::ALL
                .iter()
                .all(|r| names.resource(*r, "x").is_some())
        );
    }
}
