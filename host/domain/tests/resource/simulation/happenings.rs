//! What tenants and outsiders do meanwhile.

use berth_domain::id::ResourceId;
use berth_domain::resource::EventType;
use berth_domain::resource::{Accepted, Amendment, Demand, amend, condemn};
use berth_domain::spec::{Spec, merge_patch};
use serde_json::{Value, json};

use super::provider::Wanted;
use super::world::{Lawful, Tale, World};
use crate::kinds::{self, TOKEN, UPDATABLE};

impl World {
    pub(super) fn something_happens(&mut self) -> Lawful {
        let ids: Vec<ResourceId> = self.rows.keys().cloned().collect();
        let Some(id) = self.random.pick(&ids).cloned() else {
            return self.record();
        };
        match self.random.below(26) {
            0..=3 if ids.len() < 6 => self.record(),
            4 if ids.len() < 6 => self.adopt(),
            20..=21 => self.release(&id),
            22 => {
                self.stranger_makes();
                Ok(())
            }
            23 if ids.len() < 6 => self.adopt(),
            24 => {
                self.another_takes();
                Ok(())
            }
            25 => {
                self.another_lets_go();
                Ok(())
            }
            0..=10 => self.amend(&id),
            11..=12 => self.condemn(&id),
            13..=15 => {
                self.twin_appears(&id);
                Ok(())
            }
            16 => {
                self.vanish(&id);
                Ok(())
            }
            17 => {
                self.strip(&id);
                Ok(())
            }
            _ => {
                self.autoscale(&id);
                Ok(())
            }
        }
    }

    pub(super) fn record(&mut self) -> Lawful {
        let number = u8::try_from(self.rows.len()).unwrap();
        let parents: Vec<ResourceId> = self
            .rows
            .values()
            // One that is released in the same moment takes a child as well.
            .filter(|row| row.kind.as_str() == "sim.cluster" && !row.is_condemned())
            .map(|row| row.id.clone())
            .collect();
        let parent = self.random.pick(&parents).cloned();
        let (kind, parent) = match self.random.below(3) {
            0 => (kinds::app(), None),
            1 if parent.is_some() => (kinds::user(), parent),
            _ => (kinds::cluster(), None),
        };
        let row = kinds::row(&kind, number, parent.as_ref(), self.now);
        self.tell(format!("tenant creates {} {}", kind.id, row.id));
        let tale = Tale {
            events: vec![EventType::Created],
            ..Tale::default()
        };
        self.tales.insert(row.id.clone(), tale);
        self.rows.insert(row.id.clone(), row);
        Ok(())
    }

    pub(super) fn amend(&mut self, id: &ResourceId) -> Lawful {
        let row = self.rows[id].clone();
        let field = *self.random.pick(&UPDATABLE).unwrap();
        if field == TOKEN {
            self.renew_the_secret();
            return Ok(());
        }
        let value = match self.random.below(5) {
            0 => Value::Null,
            number => json!(number),
        };
        let spec = merge_patch(
            &row.spec,
            &Spec::from_iter([(field.to_owned(), value.clone())]),
        );
        let is_change = row.spec.get(field) != spec.get(field);
        let amendment = Amendment {
            spec: Some(Accepted {
                spec,
                defaults: Spec::new(),
                named: Default::default(),
                demand: Demand::default(),
            }),
            generation: "digest".to_owned(),
            description: None,
        };
        let kind = &self.kinds[row.kind.as_str()];
        let Ok(transition) = amend(row, amendment, Some(kind), self.now) else {
            return Ok(());
        };
        self.tell(format!("tenant amends {id} {field}={value}"));
        if is_change {
            let tale = self.tales.get_mut(id).unwrap();
            tale.untold.insert(field.to_owned());
            tale.drifted.remove(field);
        }
        self.store(transition)
    }

    /// The secret that every spec names has a new version from now on.
    pub(super) fn renew_the_secret(&mut self) {
        *self.secret_versions.get_mut(&kinds::token()).unwrap() += 1;
        self.tell("tenant renews the secret");
        for tale in self.tales.values_mut() {
            tale.untold.insert(TOKEN.to_owned());
        }
    }

    pub(super) fn token_version(&self) -> u64 {
        self.secret_versions[&kinds::token()]
    }

    pub(super) fn condemn(&mut self, id: &ResourceId) -> Lawful {
        if !self.rows[id].is_live() {
            return Ok(());
        }
        self.tell(format!("tenant deletes {id}"));
        let transition = condemn(self.rows[id].clone(), self.now);
        self.store(transition)
    }

    /// Somebody makes an object of the row's name, before one of ours may be there.
    pub(super) fn twin_appears(&mut self, id: &ResourceId) {
        let row = self.rows[id].clone();
        let kind = self.kinds[row.kind.as_str()].clone();
        let parent = self.parent_object(&row);
        let is_adopted = row.adoption.is_some();
        if is_adopted
            || self.provider.may_have_arrived.contains(id)
            || (kind.is_child() && parent.is_none())
        {
            return;
        }
        let wanted = Wanted {
            row: &row,
            kind: &kind,
            parent: parent.as_deref(),
            deployment: &self.deployment,
            token_version: self.token_version(),
            now: self.now,
        };
        if self.provider.twin_of(&wanted).is_none() {
            self.provider.add_twin(&wanted);
            self.tell(format!("a twin appears of {id}"));
        }
    }

    pub(super) fn own_object(&self, id: &ResourceId) -> Option<String> {
        self.provider
            .objects
            .iter()
            .find(|object| object.owner.as_ref() == Some(id) && object.gone_at.is_none())
            .map(|object| object.id.clone())
    }

    pub(super) fn vanish(&mut self, id: &ResourceId) {
        let row = &self.rows[id];
        let to_be_taken = row
            .provider_id
            .clone()
            .filter(|_| row.is_live() && row.is_being_adopted())
            .filter(|id| self.provider.object(id).is_some());
        let Some(object) = self.own_object(id).or(to_be_taken) else {
            return;
        };
        if !self.random.percent(20) {
            return;
        }
        self.tell(format!("{object} of {id} vanishes"));
        self.provider.remove(&object);
        if self.rows[id].provider_id.is_none() {
            // Nobody ever knew it: another one is no replacement.
            self.provider.made_for.remove(id);
        }
        let rows: Vec<ResourceId> = self
            .rows
            .values()
            .filter(|row| row.parent.as_ref() == Some(id) || row.id == *id)
            .map(|row| row.id.clone())
            .collect();
        for id in rows {
            self.tales.get_mut(&id).unwrap().vanished = true;
        }
    }

    pub(super) fn strip(&mut self, id: &ResourceId) {
        let Some(object) = self.own_object(id) else {
            return;
        };
        let row = &self.rows[id];
        // Between a proof and its delete nobody could see it.
        let is_run_over = self.running.as_ref() == Some(id);
        if is_run_over || row.kind.as_str() != "sim.cluster" || row.provider_id.is_none() {
            return;
        }
        self.tell(format!("the labels are stripped off {object} of {id}"));
        self.provider.object_mut(&object).unwrap().labels.clear();
        self.tales.get_mut(id).unwrap().stripped = true;
    }

    pub(super) fn autoscale(&mut self, id: &ResourceId) {
        let tale = self.tales.get_mut(id).unwrap();
        let settled = tale.untold.is_empty()
            && self.rows[id].unapplied.is_empty()
            && self.rows[id].ready_at.is_some();
        let Some(object) = self.own_object(id) else {
            return;
        };
        if settled {
            let size = json!(100 + self.random.below(9));
            self.tales
                .get_mut(id)
                .unwrap()
                .drifted
                .insert("size".to_owned());
            self.provider
                .object_mut(&object)
                .unwrap()
                .fields
                .insert("size".to_owned(), size);
            self.tell(format!("an autoscaler resizes {object} of {id}"));
        }
    }
}
