//! Use cases, one file a method, and the reconciler.
//!
//! A method is `async fn(&Service, &Caller, Input) -> Result<Output, ServiceError>`; its input is parsed
//! at the edge, so that nothing in here meets a text that does not fit its type.

mod ambient;
mod caller;
mod error;
mod settings;

pub use ambient::{Clock, Entropy};
pub use caller::Caller;
pub use error::{Code, ServiceError};
pub use settings::{ReconcileSettings, Settings};
