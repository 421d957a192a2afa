//! Compiled schemas of kinds: one a generation and kind.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use berth_domain::manifest::Kind;
use berth_domain::spec::SpecSchema;

use crate::ServiceError;

/// Most compiled schemas that are kept. A generation has some tens of kinds.
const KEPT_MAX: usize = 1_024;

#[derive(Debug, Default)]
pub(crate) struct SchemaCache {
    compiled: Mutex<HashMap<(String, String), Arc<SpecSchema>>>,
}

impl SchemaCache {
    /// The compiled schema of a kind in a generation.
    pub(crate) fn of(&self, generation: &str, kind: &Kind) -> Result<Arc<SpecSchema>, ServiceError> {
        let key = (generation.to_owned(), kind.id.clone());
        if let Some(schema) = self.lock().get(&key) {
            return Ok(schema.clone());
        }
        // Compiled outside the lock: two callers may do it at once, and either result is right.
        let schema = SpecSchema::compile(&kind.spec_schema).map(Arc::new).map_err(|error| {
            ServiceError::internal(format!("the schema of kind {} of generation {generation} was valid when it was installed: {error}", kind.id))
        })?;
        let mut compiled = self.lock();
        if compiled.len() >= KEPT_MAX {
            compiled.clear();
        }
        compiled.insert(key, schema.clone());
        Ok(schema)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Arc<SpecSchema>>> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
