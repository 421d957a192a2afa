//! An account that outlives its double.

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::world::World;

/// The account of a double, to be written to a file and given to another one.
#[derive(Serialize, Deserialize)]
pub struct Saved {
    virtual_ms: u64,
    world: World,
}

impl Saved {
    /// Virtual time and world of a saved account, under another configuration.
    pub(crate) fn into_world(self, config: Config) -> (u64, World) {
        let mut world = self.world;
        world.config = config.into();
        (self.virtual_ms, world)
    }

    /// The account as JSON.
    pub(crate) fn write(virtual_ms: u64, world: &World) -> String {
        #[derive(Serialize)]
        struct Borrowed<'a> {
            virtual_ms: u64,
            world: &'a World,
        }
        // Every key of every map in it is a string, so that it always serialises.
        serde_json::to_string(&Borrowed { virtual_ms, world }).unwrap_or_default()
    }
}
