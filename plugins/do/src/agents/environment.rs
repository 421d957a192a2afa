//! `do.agents.environment`: a manifest that sessions are started from, owned by its name. The API calls
//! it a config.

use berth_sdk::answers::invalid;
use berth_sdk::manifest::{self, get, kind, outputs, write};
use berth_sdk::paging;
use berth_sdk::types::{Checked, Error, Family, Kind as KindEntry, Operation, Ownership, Phase};
use berth_sdk::{Call, Check, Host, Kind, Listed, Listing, Observed, schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ID, page};
use crate::api::api;
use crate::named;
use crate::spec::agents::Environment as Spec;

/// The kind.
pub(crate) struct Environment;

#[derive(Debug, Deserialize)]
struct ConfigAnswer {
    config: Config,
}

#[derive(Debug, Deserialize)]
struct Configs {
    configs: Option<Vec<Config>>,
    next_page_token: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Config {
    id: String,
    name: Option<String>,
    agentspec_schema_version: Option<String>,
    content_hash: Option<String>,
    created_at: Option<String>,
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
}

impl Kind for Environment {
    const ID: &'static str = "do.agents.environment";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        let configs = "/v2/agents/configs";
        let config = "/v2/agents/configs/{id}";
        KindEntry {
            outputs: outputs(&[
                ("id", "The provider's id of the environment"),
                ("schema_version", "Form of the manifest"),
                ("content_hash", "Hash of the manifest without its secrets"),
                ("created_at", "Time of creation"),
            ]),
            preview: true,
            ownership: Ownership::Name,
            lists_whole: true,
            id_pattern: ID.to_owned(),
            reads: vec![get(config), get(configs)],
            writes: vec![
                write(Operation::Create, "POST", configs),
                write(Operation::Delete, "DELETE", config),
            ],
            ..kind(
                Self::ID,
                "Environment of managed agents",
                Family::Ai,
                schema!("do.agents.environment"),
            )
        }
    }

    fn check(&self, check: &Check<'_, Spec>) -> Result<Checked, Error> {
        match (&check.spec.manifest, &check.spec.secret_manifest) {
            (Some(_), None) | (None, Some(_)) => Ok(manifest::checked()),
            _ => Err(invalid(
                "/manifest",
                "an environment has one manifest: give manifest or secret_manifest",
            )),
        }
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        let all = paging::follow(|token| read_page(call.host(), token))?;
        Ok(all
            .into_iter()
            .find(|config| config.name.as_deref() == Some(call.name()))
            .map(observed))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let answer: ConfigAnswer = api(call.host())
            .get(&["v2", "agents", "configs", call.provider_id()?])
            .send()?
            .json()?;
        named::told(observed(answer.config))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let spec = call.spec();
        let manifest = spec.manifest.as_ref().or(spec.secret_manifest.as_ref());
        let answer: ConfigAnswer = api(call.host())
            .post(&["v2", "agents", "configs"])
            .body(&json!({"name": call.name(), "manifest_yaml": manifest}))
            .send()?
            .json()?;
        Ok(named::created(observed(answer.config), call.name()))
    }

    /// Nothing of it can be changed; only a newer version of its secret can have led here, and that is
    /// for new environments.
    fn update(&self, call: &Call<'_, Spec>, _: &[String]) -> Result<Observed<Outputs>, Error> {
        self.observe(call)
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        match api(call.host())
            .delete(&["v2", "agents", "configs", call.provider_id()?])
            .send()
        {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let (configs, next) = read_page(listing.host(), listing.cursor)?;
        let items = named::all_told(configs.into_iter().map(observed));
        Ok(Listed { items, next })
    }
}

fn read_page(host: &dyn Host, token: Option<&str>) -> Result<(Vec<Config>, Option<String>), Error> {
    let answer: Configs = page(api(host).get(&["v2", "agents", "configs"]), token)
        .send()?
        .json()?;
    let next = answer.next_page_token.filter(|next| !next.is_empty());
    Ok((answer.configs.unwrap_or_default(), next))
}

fn observed(config: Config) -> Observed<Outputs> {
    // An environment has no states: it is there or not.
    let mut observed = Observed::new(
        &config.id,
        Phase::Ready,
        Outputs {
            id: config.id.clone(),
            schema_version: config.agentspec_schema_version,
            content_hash: config.content_hash,
            created_at: config.created_at,
        },
    );
    observed.name = config.name;
    observed
}
