//! Recording an object that existed before us, to be taken over.

use super::absorb::{Effect, Transition};
use super::command::{NewResource, identity, new_resource};
use super::event::{EventDraft, EventType};
use super::row::Adoption;
use crate::manifest::Kind;
use crate::spec::Spec;
use crate::time::Millis;

/// An object as the provider showed it before it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The provider's id.
    pub provider_id: String,
    /// What it is called there.
    pub name: Option<String>,
    /// What it is made of.
    pub spec: Spec,
}

/// The row of an object that is to be taken over, its spec still empty, and the event of it.
#[must_use]
pub fn adopted_resource(new: NewResource, found: Found, kind: &Kind, now: Millis) -> Transition {
    let mut row = new_resource(new, kind, now).row;
    row.adoption = Some(Adoption::Begun);
    row.identity = identity(kind, &found.spec);
    row.region = region(kind, &found.spec);
    row.provider_name = found.name.unwrap_or_else(|| found.provider_id.clone());
    row.provider_id = Some(found.provider_id);
    let effects = vec![Effect::Publish(EventDraft::about(EventType::Adopted, &row))];
    Transition { row, effects }
}

/// The region that a spec of the kind names.
pub(super) fn region(kind: &Kind, spec: &Spec) -> Option<String> {
    let region = spec.get("region").filter(|_| kind.regional)?;
    region.as_str().map(str::to_owned)
}
