//! What tenants write. The build script compiles these modules too, to derive their schemas, so
//! they use nothing else of the plugin.

pub mod agents;
pub mod firewall;
pub mod functions;
pub mod inference;
pub mod pg;
pub mod pool;
pub mod replica;
pub mod user;
pub mod vpc;
