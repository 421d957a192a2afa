//! `do.functions.namespace`: a namespace of functions, owned by its label, which is our name.

use berth_sdk::manifest::{Secrets as _, get, kind, outputs, write};
use berth_sdk::types::{Error, Family, Kind as KindEntry, Operation, Ownership, Phase};
use berth_sdk::{Call, Host, Kind, Listed, Listing, Observed, schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::api::{UUID, api};
use crate::named;
use crate::spec::functions::Spec;

/// The kind.
pub(crate) struct Namespace;

#[derive(Debug, Deserialize)]
struct NamespaceAnswer {
    namespace: Found,
}

#[derive(Debug, Deserialize)]
struct Namespaces {
    namespaces: Option<Vec<Found>>,
}

#[derive(Debug, Deserialize)]
struct Found {
    /// What paths call it; `uuid` is only half of its credentials.
    namespace: String,
    uuid: Option<String>,
    label: Option<String>,
    region: Option<String>,
    api_host: Option<String>,
    created_at: Option<String>,
    key: Option<String>,
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    namespace: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
}

impl Kind for Namespace {
    const ID: &'static str = "do.functions.namespace";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        let namespaces = "/v2/functions/namespaces";
        let namespace = "/v2/functions/namespaces/{id}";
        KindEntry {
            outputs: outputs(&[
                ("namespace", "The provider's id of the namespace"),
                ("uuid", "User name of its API"),
                ("api_host", "URL of its API"),
                ("region", "Data centre"),
                ("label", "Name at the provider"),
                ("created_at", "Time of creation"),
            ]),
            secret_outputs: outputs(&[("key", "Password of its API; the user name is `uuid`")]),
            regional: true,
            ownership: Ownership::Name,
            lists_whole: true,
            id_pattern: format!("fn-{UUID}"),
            reads: vec![
                get(namespace).own(&["/namespace/key"]),
                get(namespaces).foreign(&["/namespaces/*/key"]),
            ],
            writes: vec![
                write(Operation::Create, "POST", namespaces).own(&["/namespace/key"]),
                write(Operation::Delete, "DELETE", namespace),
            ],
            ..kind(
                Self::ID,
                "Functions namespace",
                Family::Platform,
                schema!("do.functions.namespace"),
            )
        }
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        Ok(all(call.host())?
            .into_iter()
            .find(|namespace| namespace.label.as_deref() == Some(call.name()))
            .map(|namespace| observed(namespace).without_secrets()))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let answer: NamespaceAnswer = api(call.host())
            .get(&["v2", "functions", "namespaces", call.provider_id()?])
            .send()?
            .json()?;
        named::told(observed(answer.namespace))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let answer: NamespaceAnswer = api(call.host())
            .post(&["v2", "functions", "namespaces"])
            .body(&json!({"region": call.spec().region, "label": call.name()}))
            .send()?
            .json()?;
        Ok(named::created(observed(answer.namespace), call.name()))
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        match api(call.host())
            .delete(&["v2", "functions", "namespaces", call.provider_id()?])
            .send()
        {
            Ok(_) | Err(Error::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let items = named::all_told(all(listing.host())?.into_iter().map(observed));
        Ok(Listed { items, next: None })
    }
}

/// The API gives all of them in one answer.
fn all(host: &dyn Host) -> Result<Vec<Found>, Error> {
    let answer: Namespaces = api(host)
        .get(&["v2", "functions", "namespaces"])
        .send()?
        .json()?;
    Ok(answer.namespaces.unwrap_or_default())
}

fn observed(namespace: Found) -> Observed<Outputs> {
    // A namespace has no states: it is there or not.
    let mut observed = Observed::new(
        &namespace.namespace,
        Phase::Ready,
        Outputs {
            namespace: namespace.namespace.clone(),
            uuid: namespace.uuid,
            api_host: namespace.api_host,
            region: namespace.region.clone(),
            label: namespace.label.clone(),
            created_at: namespace.created_at,
        },
    );
    observed.name = namespace.label;
    observed.spec = namespace.region.map(|region| json!({"region": region}));
    observed.secret("key", namespace.key.as_deref());
    observed
}
