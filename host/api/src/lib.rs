//! The HTTP API: routes, authentication, strict JSON, errors.
//!
//! `POST /api/compute/{module}/{method}`, JSON in and out. Everything between the socket and a use case
//! of the service is here, and nothing else is: no rule of the contract.

mod answer;
mod body;
mod guard;
mod methods;
mod places;
mod routes;
mod server;
mod settings;

pub use routes::router;
pub use server::serve;
pub use settings::ApiSettings;
