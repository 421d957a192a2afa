//! Apps: `/v2/apps`.

pub(crate) mod catalog;
pub(crate) mod deployments;
pub(crate) mod record;
mod render;
pub(crate) mod routes;
pub(crate) mod secrets;
pub(crate) mod validate;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

pub(crate) use record::App;

use crate::config::Times;
use crate::error::ApiError;

/// All apps, by id, by name and in the order of their creation.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Apps {
    by_id: HashMap<String, App>,
    by_name: HashMap<String, String>,
    by_order: BTreeMap<u64, String>,
    next: u64,
    /// So many deployments from now on fail.
    pub(crate) failing: u32,
}

impl Apps {
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(crate) fn next_order(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(crate) fn insert(&mut self, app: App) {
        self.by_name.insert(app.name.clone(), app.id.clone());
        self.by_order.insert(app.order, app.id.clone());
        self.by_id.insert(app.id.clone(), app);
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<App> {
        let app = self.by_id.remove(id)?;
        self.by_order.remove(&app.order);
        self.by_name.remove(&app.name);
        Some(app)
    }

    /// An app as it is now, or the answer 404.
    pub(crate) fn get(&mut self, id: &str, now: u64, times: &Times) -> Result<&mut App, ApiError> {
        let app = self.by_id.get_mut(id).ok_or_else(ApiError::not_found)?;
        app.settle(now, times);
        Ok(app)
    }

    /// Ids, newest first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &String> {
        self.by_order.values().rev()
    }

    pub(crate) fn any(&self, id: &str) -> Option<&App> {
        self.by_id.get(id)
    }

    pub(crate) fn any_mut(&mut self, id: &str) -> Option<&mut App> {
        self.by_id.get_mut(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }
}
