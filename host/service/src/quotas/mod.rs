//! `quotas`: how much of a capacity a tenant may book on a pool. Operators set them: no tenant raises its
//! own. What a tenant may have of a kind is its `tenants/update`.

pub mod delete;
pub mod get;
pub mod list;
pub mod put;
mod view;

pub use view::QuotaView;
