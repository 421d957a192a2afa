//! Tokens of an endpoint: `/v2/dedicated-inferences/{id}/tokens`.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::record::Token;
use crate::body;
use crate::clock::wall_ms;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::pages::Page;
use crate::times::rfc3339;
use crate::world::{Shared, World};

impl Token {
    /// The token as every read shows it: without its value.
    fn json(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "created_at": rfc3339(self.created_at),
            "is_managed": false,
        })
    }
}

impl World {
    /// Adds a token. What is answered is all that ever shows its value.
    pub(super) fn add_inference_token(
        &mut self,
        id: &str,
        name: &str,
        now: u64,
    ) -> Result<Value, ApiError> {
        let token = Token {
            id: self.random.uuid(),
            name: name.to_owned(),
            created_at: wall_ms(),
        };
        let prefix = &self.config.secrets.password_prefix;
        let mut shown = token.json();
        shown["value"] = format!("{prefix}di_{}", self.random.word(24)).into();
        self.inferences.get(id, now)?.tokens.push(token);
        Ok(shown)
    }
}

#[derive(Deserialize)]
struct NewToken {
    name: String,
}

/// `POST /v2/dedicated-inferences/{id}/tokens`.
pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    world.sweep_inferences(now);
    world.inferences.get(&id, now)?;
    let wanted: NewToken = body::INFERENCE_TOKEN.read(&bytes)?;
    let tokens = &world.inferences.get(&id, now)?.tokens;
    if tokens.iter().any(|token| token.name == wanted.name) {
        return Err(ApiError::conflict(format!(
            "name: a token named `{}` already exists",
            wanted.name
        )));
    }
    let token = world.add_inference_token(&id, &wanted.name, now)?;
    Ok(answer(StatusCode::ACCEPTED, &json!({"token": token})))
}

/// `GET /v2/dedicated-inferences/{id}/tokens`, paged, without values.
pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    page: Page,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let tokens = &world.inferences.get(&id, now)?.tokens;
    let shown: Vec<Value> = page.of(tokens.iter()).map(Token::json).collect();
    let path = format!("/v2/dedicated-inferences/{id}/tokens");
    let links = page.links(&world.config.links_origin, &path, tokens.len());
    Ok(answer(
        StatusCode::OK,
        &json!({"tokens": shown, "links": links, "meta": {"total": tokens.len()}}),
    ))
}

/// `DELETE /v2/dedicated-inferences/{id}/tokens/{token}`.
pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    Path((id, token)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let tokens = &mut world.inferences.get(&id, now)?.tokens;
    let before = tokens.len();
    tokens.retain(|one| one.id != token);
    if tokens.len() == before {
        return Err(ApiError::not_found());
    }
    Ok(empty(StatusCode::NO_CONTENT))
}
