//! Objects that nobody here made: tenants take them over and let them go, and so does another deployment.

use berth_domain::id::ResourceId;
use berth_domain::label::{self, Label};
use berth_domain::resource::{EventType, Found, Resource, release};
use berth_domain::spec::Spec;
use serde_json::json;

use super::labelling::anothers_label;
use super::provider::Object;
use super::world::{Lawful, Tale, World};
use crate::kinds;

impl World {
    pub(super) fn stranger_makes(&mut self) {
        let number = self.provider.objects.len() + self.rows.len();
        let name = format!("theirs-{number}-{}", self.now.0);
        let fields = Spec::from_iter([
            ("size".to_owned(), json!(self.random.below(9))),
            ("colour".to_owned(), json!("red")),
        ]);
        let failed = self.random.percent(5);
        let object = Object::made_by_a_stranger("sim.cluster", &name, fields, failed, self.now);
        self.tell(format!("a stranger makes {}", object.id));
        self.provider.add(object);
    }

    /// Objects of strangers that no live row has.
    fn adoptable(&self) -> Vec<Object> {
        let is_recorded = |id: &str| {
            self.rows
                .values()
                .any(|row| row.is_live() && row.provider_id.as_deref() == Some(id))
        };
        self.provider
            .objects
            .iter()
            .filter(|object| object.owner.is_none() && object.name.starts_with("theirs"))
            .filter(|object| !is_recorded(&object.id))
            .cloned()
            .collect()
    }

    /// Another deployment's object as well: the host that was asked looked a moment too early.
    pub(super) fn adopt(&mut self) -> Lawful {
        let objects = self.adoptable();
        let Some(object) = self.random.pick(&objects).cloned() else {
            self.stranger_makes();
            return Ok(());
        };
        let number = u8::try_from(self.rows.len()).unwrap();
        let found = Found {
            provider_id: object.id.clone(),
            name: Some(object.name),
            spec: object.fields,
        };
        let row = kinds::adopted_row(&kinds::cluster(), number, found, self.now);
        self.tell(format!("tenant adopts {} as {}", object.id, row.id));
        let tale = Tale {
            events: vec![EventType::Adopted],
            ..Tale::default()
        };
        self.tales.insert(row.id.clone(), tale);
        self.rows.insert(row.id.clone(), row);
        Ok(())
    }

    pub(super) fn release(&mut self, id: &ResourceId) -> Lawful {
        let row = self.rows[id].clone();
        let kind = &self.kinds[row.kind.as_str()];
        let children = self.live_children(id);
        let Ok(transition) = release(row, kind.releasable, children, self.now) else {
            return Ok(());
        };
        self.tell(format!("tenant releases {id}"));
        self.store(transition)
    }

    /// Another deployment takes over what carries nobody's label.
    pub(super) fn another_takes(&mut self) {
        let is_free = |object: &&mut Object| {
            object.name.starts_with("theirs")
                && label::values(&object.labels, label::MANAGED)
                    .next()
                    .is_none()
        };
        let Some(object) = self.provider.objects.iter_mut().find(is_free) else {
            return;
        };
        object.labels.push(anothers_label());
        let told = format!("another deployment takes {}", object.id);
        let owner = object.owner.clone();
        if let Some(owner) = owner {
            // Its labels were off: whoever had it has lost it.
            self.tales.get_mut(&owner).unwrap().stripped = true;
        }
        self.tell(told);
    }

    pub(super) fn another_lets_go(&mut self) {
        let is_theirs = |label: &Label| *label == anothers_label();
        let told: Vec<String> = self
            .provider
            .objects
            .iter_mut()
            .filter(|object| object.labels.iter().any(is_theirs))
            .map(|object| {
                object.labels.retain(|label| !is_theirs(label));
                format!("another deployment lets {} go", object.id)
            })
            .collect();
        for told in told {
            self.tell(told);
        }
    }

    /// What a change of a row says of whose an object is.
    pub(super) fn change_owner(&mut self, before: &Resource, after: &Resource) -> Lawful {
        let Some(id) = after.provider_id.clone() else {
            return Ok(());
        };
        let owner = if before.is_being_adopted() && !after.is_being_adopted() {
            if let Some(Some(owner)) = self.provider.owners.get(&id) {
                return Err(format!("{} took {id} over from {owner}", after.id));
            }
            Some(after.id.clone())
        } else if before.is_live() && after.state == berth_domain::resource::State::Released {
            None
        } else {
            return Ok(());
        };
        self.provider.owners.insert(id.clone(), owner.clone());
        if let Some(object) = self.provider.object_mut(&id) {
            object.owner = owner;
        }
        Ok(())
    }

    /// Labels are written on what is the row's, and on what is nobody's for a takeover.
    pub(super) fn judge_label(&mut self, row: &Resource, id: &str) {
        let is_lawful = match self.provider.owners.get(id) {
            Some(Some(owner)) => *owner == row.id,
            Some(None) => row.is_being_adopted(),
            None => false,
        };
        if !is_lawful || row.provider_id.as_deref() != Some(id) {
            self.broken = Some(format!("{} labels {id}, which is not its own", row.id));
        }
    }
}
