//! `budgets`: what a tenant, or a project of it, may spend in a calendar month of UTC. They are the tenant's
//! own brake, set by its policies; what the platform allows a tenant are quotas.

pub mod delete;
pub mod list;
pub mod put;
mod spent;
mod view;

pub(crate) use spent::check_budgets;
pub use view::BudgetView;
