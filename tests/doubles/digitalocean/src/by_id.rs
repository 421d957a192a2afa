//! Objects of any kind, by their id.

use crate::controls::{Controls, Refused, no_such};
use crate::hiding::Hiding;
use crate::world::World;

impl World {
    /// How an object hides.
    fn hiding_of(&mut self, id: &str) -> Option<&mut Hiding> {
        if let Some(hiding) = self.clusters.hiding_of(id) {
            return Some(hiding);
        }
        if let Some(app) = self.apps.any_mut(id) {
            return Some(&mut app.hiding);
        }
        if let Some(vpc) = self.vpcs.any_mut(id) {
            return Some(&mut vpc.hiding);
        }
        if let Some(namespace) = self.namespaces.any_mut(id) {
            return Some(&mut namespace.hiding);
        }
        if let Some(inference) = self.inferences.any_mut(id) {
            return Some(&mut inference.hiding);
        }
        self.agents.hiding_of(id)
    }

    /// Removes an object; whether there was one.
    fn vanish(&mut self, id: &str, now: u64) -> bool {
        if self.remove_cluster(id, now) {
            return true;
        }
        if let Some((cluster, name)) = self.clusters.of_replica(id) {
            if let Some(replica) = cluster.replicas.remove(&name) {
                self.replica_left(&replica, now);
            }
            return true;
        }
        if self.apps.remove(id).is_some() {
            self.totals.apps_gone += 1;
            return true;
        }
        if self.vpcs.remove(id).is_some() {
            self.totals.vpcs_gone += 1;
            return true;
        }
        if self.namespaces.remove(id).is_some() {
            self.totals.namespaces_gone += 1;
            return true;
        }
        if self.remove_inference(id, now) {
            return true;
        }
        if self.agents.remove_config(id) {
            self.totals.agent_configs_gone += 1;
            return true;
        }
        if self.agents.remove_session(id) {
            self.totals.sessions_gone += 1;
            return true;
        }
        if self.agents.remove_trigger(id) {
            return true;
        }
        if let Some(droplet) = self.droplets.remove(id) {
            self.leave_vpc(&droplet.vpc, droplet.as_member(), now);
            return true;
        }
        false
    }
}

impl Controls {
    /// Makes an object answer 404 to the next `reads` reads, and lists leave it out meanwhile if
    /// `in_lists`. What has no id of its own has a method of its own, such as
    /// [`Controls::hide_pool`].
    ///
    /// # Errors
    /// When there is no such object.
    pub fn hide(&self, id: &str, reads: u32, in_lists: bool) -> Result<(), Refused> {
        let mut world = self.shared.world();
        *world.hiding_of(id).ok_or_else(|| no_such(id))? = Hiding {
            reads,
            until: 0,
            in_lists,
        };
        Ok(())
    }

    /// Removes an object behind the client's back, whatever would speak against it.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn vanish(&self, id: &str) -> Result<(), Refused> {
        let now = self.shared.clock.now();
        if self.shared.world().vanish(id, now) {
            return Ok(());
        }
        Err(no_such(id))
    }
}
