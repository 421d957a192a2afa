//! What tenants write. The build script compiles these modules too, to derive their schemas, so
//! they use nothing else of the plugin.

pub mod pg;
pub mod user;
