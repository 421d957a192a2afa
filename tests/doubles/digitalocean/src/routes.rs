//! The provider's paths.

use std::sync::Arc;

use axum::Router;
use axum::middleware;
use axum::routing::{get, post, put};

use crate::agents::{self, configs, events, sessions, signals, triggers};
use crate::apps::{deployments, routes as apps};
use crate::clusters::replicas::routes as replicas;
use crate::clusters::{changes, create, dbs, pools, reads, settings, trust};
use crate::error::ApiError;
use crate::inference::{routes as inference, tokens};
use crate::vpcs::routes as vpcs;
use crate::world::Shared;
use crate::{functions, one_clicks, projects, query, tags, users};

/// Every endpoint of the provider that this double has.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .merge(databases())
        .merge(in_databases())
        .merge(networks())
        .merge(serverless())
        .merge(managed_agents(&shared))
        .merge(analysis(&shared))
        .route("/v2/1-clicks", get(one_clicks::list))
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
            get(trust::get).put(trust::set),
        )
        .route("/v2/databases/{id}/ca", get(reads::ca))
        .route("/v2/databases/{id}/backups", get(reads::backups))
}

/// What lives in a cluster.
fn in_databases() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v2/databases/{id}/dbs", get(dbs::list).post(dbs::create))
        .route(
            "/v2/databases/{id}/dbs/{name}",
            get(dbs::get).delete(dbs::delete),
        )
        .route(
            "/v2/databases/{id}/pools",
            get(pools::list).post(pools::create),
        )
        .route(
            "/v2/databases/{id}/pools/{name}",
            get(pools::get).put(pools::update).delete(pools::delete),
        )
        .route(
            "/v2/databases/{id}/replicas",
            get(replicas::list).post(replicas::create),
        )
        .route(
            "/v2/databases/{id}/replicas/{name}",
            get(replicas::get).delete(replicas::delete),
        )
        .route(
            "/v2/databases/{id}/replicas/{name}/promote",
            put(replicas::promote),
        )
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

fn networks() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v2/vpcs", get(vpcs::list).post(vpcs::create))
        .route(
            "/v2/vpcs/{id}",
            get(vpcs::get)
                .patch(vpcs::patch)
                .put(vpcs::put)
                .delete(vpcs::delete),
        )
        .route("/v2/vpcs/{id}/members", get(vpcs::members))
}

fn serverless() -> Router<Arc<Shared>> {
    Router::new()
        .route(
            "/v2/functions/namespaces",
            get(functions::list).post(functions::create),
        )
        .route(
            "/v2/functions/namespaces/{id}",
            get(functions::get).delete(functions::delete),
        )
        .route(
            "/v2/dedicated-inferences",
            get(inference::list).post(inference::create),
        )
        .route("/v2/dedicated-inferences/sizes", get(inference::sizes))
        .route(
            "/v2/dedicated-inferences/gpu-model-config",
            get(inference::models),
        )
        .route(
            "/v2/dedicated-inferences/{id}",
            get(inference::get)
                .patch(inference::patch)
                .delete(inference::delete),
        )
        .route("/v2/dedicated-inferences/{id}/ca", get(inference::ca))
        .route(
            "/v2/dedicated-inferences/{id}/accelerators",
            get(inference::accelerators),
        )
        .route(
            "/v2/dedicated-inferences/{id}/tokens",
            get(tokens::list).post(tokens::create),
        )
        .route(
            "/v2/dedicated-inferences/{id}/tokens/{token}",
            axum::routing::delete(tokens::delete),
        )
}

fn managed_agents(shared: &Arc<Shared>) -> Router<Arc<Shared>> {
    let preview = middleware::from_fn_with_state(Arc::clone(shared), agents::preview);
    Router::new()
        .route(
            "/v2/agents/configs",
            get(configs::list).post(configs::create),
        )
        .route(
            "/v2/agents/configs/{id}",
            get(configs::get).delete(configs::delete),
        )
        .route(
            "/v2/agents/configs/{id}/sessions",
            get(sessions::list_of_config),
        )
        .route(
            "/v2/agents/sessions",
            get(sessions::list).post(sessions::create),
        )
        .route(
            "/v2/agents/sessions/{id}",
            get(sessions::get)
                .patch(sessions::patch)
                .delete(sessions::delete),
        )
        .route("/v2/agents/sessions/{id}/pause", post(sessions::pause))
        .route("/v2/agents/sessions/{id}/resume", post(sessions::resume))
        .route("/v2/agents/sessions/{id}/events", get(events::replay))
        .route("/v2/agents/triggers", get(triggers::list))
        .route("/v2/agents/triggers/{id}", get(triggers::get))
        .route(
            "/v2/agents/triggers/{id}/executions",
            get(triggers::executions),
        )
        .route_layer(preview)
}

fn analysis(shared: &Arc<Shared>) -> Router<Arc<Shared>> {
    let preview = middleware::from_fn_with_state(Arc::clone(shared), agents::signals_preview);
    Router::new()
        .route("/v1/consent", get(signals::consents))
        .route("/v1/signals/agents/{id}/sessions", get(signals::sessions))
        .route(
            "/v1/signals/sessions/{id}/dialogues",
            get(signals::dialogues),
        )
        .route("/v1/signals/exports/options", get(signals::options))
        .route_layer(preview)
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
