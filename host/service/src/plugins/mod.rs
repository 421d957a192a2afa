//! `plugins`: generations of provider plugins, loaded into the running host. Operators only.

pub mod activate;
pub mod install;
pub mod list;
pub mod rollback;
pub mod show;

mod change;
mod view;

use std::sync::Arc;

use berth_domain::platform::GenerationRecord;
use berth_runtime::{Digest, Generation, LoadError};

use crate::{Code, Service, ServiceError};

pub use change::ChangeView;
pub use view::GenerationView;

fn missing(digest: &Digest) -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        format!("no generation `{digest}` is installed; `plugins/list` lists those that are"),
    )
}

/// The generation of a record, loaded from the store if this host does not have it yet.
async fn loaded(service: &Service, digest: &Digest) -> Result<Arc<Generation>, ServiceError> {
    if let Some(generation) = service.registry().by_digest(digest) {
        return Ok(generation);
    }
    let component = service
        .store()
        .component(digest.as_str())
        .await?
        .ok_or_else(|| missing(digest))?;
    let generation = service.runtime().load(&component).await.map_err(refused)?;
    service.registry().insert(generation.clone());
    Ok(generation)
}

/// A component that the runtime refuses: what is wrong with it, in the runtime's words.
fn refused(error: LoadError) -> ServiceError {
    let text = error.to_string();
    match error {
        LoadError::Host(internal) => {
            let mut refusal = ServiceError::new(
                Code::Unavailable,
                "the host could not load the component right now; nothing was stored: try again, and look at the host's log",
            );
            refusal.internal = Some(internal);
            refusal
        }
        LoadError::Manifest(faults) => {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            ServiceError::invalid("/component", text)
                .reason("manifest")
                .with("faults", faults)
        }
        LoadError::World(faults) => {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            ServiceError::invalid("/component", text)
                .reason("world")
                .with("faults", faults)
        }
        _ => ServiceError::invalid("/component", text).reason("component"),
    }
}

async fn recorded(service: &Service, digest: &Digest) -> Result<GenerationRecord, ServiceError> {
    service
        .store()
        .generation(digest.as_str())
        .await?
        .ok_or_else(|| missing(digest))
}
