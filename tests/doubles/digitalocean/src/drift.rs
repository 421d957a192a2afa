//! Changes that someone else makes to an object.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::apps::secrets;
use crate::clusters::catalog;
use crate::controls::{Controls, Refused, no_such};

/// What someone else changes of a cluster, at once. What is left out stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterDrift {
    /// Another name.
    pub name: Option<String>,
    /// Another size.
    pub size: Option<String>,
    /// Another number of nodes.
    pub num_nodes: Option<u64>,
    /// Other storage, in MiB.
    pub storage_size_mib: Option<u64>,
    /// Another region.
    pub region: Option<String>,
    /// Another version.
    pub version: Option<String>,
    /// All its tags.
    pub tags: Option<Vec<String>>,
    /// The password of `doadmin`.
    pub password: Option<String>,
    /// Members of its configuration.
    pub config: Option<Map<String, Value>>,
    /// Updates are pending.
    pub maintenance_pending: Option<bool>,
    /// `true` gives it its first backup now, `false` keeps it without one.
    pub backed_up: Option<bool>,
    /// `false` makes it unable to come online: what it is doing never ends. `true` ends it now.
    pub online: Option<bool>,
}

impl Controls {
    /// Changes a cluster behind the client's back.
    ///
    /// # Errors
    /// When there is no such cluster, or its new name is taken.
    pub fn drift_cluster(&self, id: &str, drift: ClusterDrift) -> Result<(), Refused> {
        let now = self.shared.clock.now();
        let mut guard = self.shared.world();
        let world = &mut *guard;
        let cluster = world.clusters.settled(id, now).ok_or_else(|| no_such(id))?;
        let old_tags = cluster.tags.clone();
        if let Some(size) = &drift.size {
            catalog::size(size)?;
        }
        set(&mut cluster.size, drift.size);
        set(&mut cluster.num_nodes, drift.num_nodes);
        set(&mut cluster.storage_size_mib, drift.storage_size_mib);
        set(&mut cluster.region, drift.region);
        set(&mut cluster.version, drift.version);
        set(&mut cluster.maintenance.pending, drift.maintenance_pending);
        cluster.config.extend(drift.config.unwrap_or_default());
        if let Some(password) = drift.password
            && let Some(primary) = cluster.users.get_mut(crate::users::PRIMARY)
        {
            primary.password = password;
        }
        if let Some(has) = drift.backed_up {
            cluster.backed_up_at = if has { now } else { u64::MAX };
        }
        match (drift.online, &mut cluster.change) {
            (Some(true), Some(change)) => change.done_at = now,
            (Some(false), Some(change)) => change.done_at = u64::MAX,
            _ => {}
        }
        cluster.rendered = None;
        cluster.settle(now);
        if let Some(names) = drift.tags {
            for key in &old_tags {
                world.set_tag(id, key, false);
            }
            for name in names {
                let key = world.tags.ensure(&name);
                world.set_tag(id, &key, true);
            }
        }
        if let Some(name) = drift.name {
            if world.clusters.has_name(&name) {
                return Err(Refused::because(format!("the name `{name}` is taken")));
            }
            world.clusters.rename(id, &name);
        }
        Ok(())
    }

    /// Replaces the spec of an app behind the client's back, as someone in the console would:
    /// a deployment begins. Of the spec only its ciphertexts are checked.
    ///
    /// # Errors
    /// When there is no such app, or a ciphertext isn't of this app.
    pub fn drift_app(&self, id: &str, mut spec: Value) -> Result<(), Refused> {
        let now = self.shared.clock.now();
        let mut world = self.shared.world();
        if world.apps.any(id).is_none() {
            return Err(no_such(id));
        }
        world.with_app(id, now, |world, app| {
            secrets::seal(&mut spec, &mut app.sealed, &mut world.random)?;
            app.spec = spec;
            world.begin_deployment(app, "changed in the console", now, now);
            Ok(())
        })?;
        Ok(())
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
