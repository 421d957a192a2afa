//! The provider's paths.

use std::sync::Arc;

use axum::Router;
use axum::middleware;
use axum::routing::{get, post, put};

use crate::apps::{deployments, routes as apps};
use crate::clusters::{changes, create, reads, settings};
use crate::error::ApiError;
use crate::world::Shared;
use crate::{projects, query, tags, users};

/// Every endpoint of the provider that this double has.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .merge(databases())
        .merge(tagging())
        .merge(app_platform())
        .route("/v2/projects/{id}/resources", post(projects::assign))
        .route_layer(middleware::from_fn(query::check))
        .fallback(|| async { ApiError::no_such_path() })
        .method_not_allowed_fallback(|| async { ApiError::wrong_method() })
        .with_state(shared)
}

fn databases() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v2/databases", get(reads::list).post(create::create))
        .route("/v2/databases/options", get(reads::options))
        .route("/v2/databases/{id}", get(reads::get).delete(reads::delete))
        .route("/v2/databases/{id}/resize", put(changes::resize))
        .route("/v2/databases/{id}/migrate", put(changes::migrate))
        .route("/v2/databases/{id}/upgrade", put(changes::upgrade))
        .route("/v2/databases/{id}/maintenance", put(settings::maintenance))
        .route(
            "/v2/databases/{id}/install_update",
            put(settings::install_update),
        )
        .route(
            "/v2/databases/{id}/autoscale",
            get(settings::autoscale).put(settings::set_autoscale),
        )
        .route(
            "/v2/databases/{id}/do_settings",
            get(settings::do_settings).put(settings::set_do_settings),
        )
        .route(
            "/v2/databases/{id}/config",
            get(settings::config).patch(settings::set_config),
        )
        .route(
            "/v2/databases/{id}/firewall",
            get(settings::firewall).put(settings::set_firewall),
        )
        .route("/v2/databases/{id}/ca", get(reads::ca))
        .route("/v2/databases/{id}/backups", get(reads::backups))
        .route(
            "/v2/databases/{id}/users",
            get(users::list).post(users::create),
        )
        .route(
            "/v2/databases/{id}/users/{name}",
            get(users::get).put(users::update).delete(users::delete),
        )
        .route(
            "/v2/databases/{id}/users/{name}/reset_auth",
            post(users::reset_auth),
        )
}

fn tagging() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v2/tags", get(tags::list).post(tags::create))
        .route("/v2/tags/{tag}", get(tags::get).delete(tags::delete))
        .route(
            "/v2/tags/{tag}/resources",
            post(tags::assign).delete(tags::unassign),
        )
}

fn app_platform() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v2/apps", get(apps::list).post(apps::create))
        .route("/v2/apps/propose", post(apps::propose))
        .route("/v2/apps/regions", get(apps::regions))
        .route("/v2/apps/tiers/instance_sizes", get(apps::instance_sizes))
        .route(
            "/v2/apps/{id}",
            get(apps::get).put(apps::update).delete(apps::delete),
        )
        .route("/v2/apps/{id}/alerts", get(deployments::alerts))
        .route("/v2/apps/{id}/health", get(deployments::health))
        .route(
            "/v2/apps/{id}/deployments",
            get(deployments::list).post(deployments::create),
        )
        .route(
            "/v2/apps/{id}/deployments/{deployment}",
            get(deployments::get),
        )
        .route(
            "/v2/apps/{id}/deployments/{deployment}/cancel",
            post(deployments::cancel),
        )
}

/// Paths whose DELETE has a body.
pub(crate) fn delete_has_body(path: &str) -> bool {
    path.starts_with("/v2/tags/") && path.ends_with("/resources")
}
