//! Whether all wishes came true, and whether all is gone in the end.

use berth_domain::resource::{Desired, Reason, Resource, State};

use super::labelling::anothers_label;
use super::provider::Wanted;
use super::world::{Lawful, World};
use crate::kinds::{TOKEN, UPDATABLE};

impl World {
    pub(super) fn has_twin(&self, row: &Resource) -> bool {
        let kind = &self.kinds[row.kind.as_str()];
        let parent = self.parent_object(row);
        let wanted = Wanted {
            row,
            kind,
            parent: parent.as_deref(),
            deployment: &self.deployment,
            token_version: self.token_version(),
            now: self.now,
        };
        self.provider.twin_of(&wanted).is_some()
    }

    fn is_anothers(&self, row: &Resource) -> bool {
        let id = row.provider_id.as_deref().unwrap_or_default();
        let object = self.provider.object(id);
        object.is_some_and(|object| object.labels.contains(&anothers_label()))
    }

    pub(super) fn wishes_came_true(&self) -> Lawful {
        if let Some(row) = self.rows.values().find(|row| row.is_releasing()) {
            return Err(format!("{} is still being released in peace", row.id));
        }
        for row in self
            .rows
            .values()
            .filter(|row| row.desired == Desired::Present)
        {
            let tale = &self.tales[&row.id];
            let reason = row.message.as_ref().map(|message| message.reason);
            let parent_is_lost = row
                .parent
                .as_ref()
                .is_some_and(|parent| self.rows[parent].state == State::Error);
            match (row.state, reason) {
                (State::Error, Some(Reason::GoneAtProvider)) if tale.vanished => continue,
                (State::Error, Some(Reason::ManagedByAnother))
                    if row.is_being_adopted() && self.is_anothers(row) =>
                {
                    continue;
                }
                (State::Error, Some(Reason::Exists)) if self.has_twin(row) => continue,
                (State::Error, Some(Reason::Failed))
                    if self
                        .provider
                        .objects
                        .iter()
                        .any(|object| object.owner.as_ref() == Some(&row.id) && object.failed) =>
                {
                    continue;
                }
                (State::Pending | State::Error, _)
                    if row.provider_id.is_none() && parent_is_lost =>
                {
                    continue;
                }
                (State::Ready, _) => {}
                _ => {
                    return Err(format!(
                        "{} is {} ({:?}) in peace",
                        row.id, row.state, row.message
                    ));
                }
            }
            let object = row
                .provider_id
                .as_ref()
                .and_then(|id| self.provider.object(id))
                .ok_or("ready without an object")?;
            for field in UPDATABLE {
                if !tale.drifted.contains(field) && object.fields.get(field) != row.spec.get(field)
                {
                    return Err(format!(
                        "{field} of {} is {:?}, not as wanted",
                        row.id,
                        object.fields.get(field)
                    ));
                }
            }
            if row.spec.contains_key(TOKEN) && object.token_version != self.token_version() {
                return Err(format!("{} has an old version of the secret", row.id));
            }
            if !row.unapplied.is_empty() {
                return Err(format!("{} is ready with unapplied fields", row.id));
            }
        }
        Ok(())
    }

    pub(super) fn all_is_gone(&self) -> Lawful {
        for row in self.rows.values().filter(|row| row.is_live()) {
            let reason = row.message.as_ref().map(|message| message.reason);
            let stays = self.tales[&row.id].stripped
                || row
                    .parent
                    .as_ref()
                    .is_some_and(|parent| self.tales[parent].stripped)
                || self
                    .rows
                    .values()
                    .any(|child| child.parent.as_ref() == Some(&row.id) && child.is_live());
            if !(stays && matches!(reason, Some(Reason::NotManaged | Reason::Waiting))) {
                return Err(format!(
                    "{} is still {} ({:?})",
                    row.id, row.state, row.message
                ));
            }
        }
        for object in &self.provider.objects {
            let Some(owner) = &object.owner else { continue };
            if self.rows[owner].state == State::Deleted && object.gone_at.is_none() {
                return Err(format!("{} outlived {owner}", object.id));
            }
        }
        Ok(())
    }
}
