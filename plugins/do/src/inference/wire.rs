//! What the API takes and gives.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::SHOWN;
use crate::api::Meta;
use crate::spec::inference::Spec;

#[derive(Debug, Deserialize)]
pub(super) struct EndpointAnswer {
    pub(super) dedicated_inference: Endpoint,
}

/// The answer to a create.
#[derive(Debug, Deserialize)]
pub(super) struct Created {
    pub(super) dedicated_inference: Endpoint,
    pub(super) token: Option<Token>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Token {
    pub(super) value: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Endpoints {
    pub(super) dedicated_inferences: Option<Vec<Endpoint>>,
    pub(super) meta: Option<Meta>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Endpoint {
    pub(super) id: String,
    pub(super) status: Option<String>,
    region: Option<String>,
    vpc_uuid: Option<String>,
    spec: Option<Shown>,
    pending_deployment_spec: Option<Pending>,
    endpoints: Option<Names>,
    created_at: Option<String>,
    updated_at: Option<String>,
}

/// That there is one is all that counts.
#[derive(Debug, Deserialize)]
struct Pending {}

#[derive(Debug, Deserialize)]
struct Names {
    public_endpoint_fqdn: Option<String>,
    private_endpoint_fqdn: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Shown {
    version: Option<u64>,
    name: Option<String>,
    region: Option<String>,
    vpc: Option<Value>,
    enable_public_endpoint: Option<bool>,
    model_deployments: Option<Vec<Deployment>>,
}

#[derive(Debug, Deserialize)]
struct Deployment {
    model_id: Option<String>,
    model_slug: Option<String>,
    accelerators: Option<Vec<Accelerator>>,
}

#[derive(Debug, Deserialize)]
struct Accelerator {
    scale: Option<u64>,
    accelerator_slug: Option<String>,
}

/// How many replicas a spec runs.
pub(super) fn replicas(spec: &Spec) -> u32 {
    spec.replicas.unwrap_or(1)
}

/// The deployment of a spec, in place of the one that has this id.
pub(super) fn deployment(spec: &Spec, model_id: Option<&str>) -> Value {
    let mut deployment = json!({
        "model_slug": spec.model_slug,
        "model_provider": "hugging_face",
        "accelerators": [{
            "scale": replicas(spec),
            "type": "prefill_decode",
            "accelerator_slug": spec.accelerator_slug
        }]
    });
    if let Some(id) = model_id {
        deployment["model_id"] = json!(id);
    }
    deployment
}

impl Endpoint {
    pub(super) fn name(&self) -> Option<&str> {
        self.spec.as_ref()?.name.as_deref()
    }

    /// It serves as its spec says, and takes an update.
    pub(super) fn is_settled(&self) -> bool {
        self.status.as_deref() == Some("active") && self.pending_deployment_spec.is_none()
    }

    fn deployment(&self) -> Option<&Deployment> {
        self.spec.as_ref()?.model_deployments.as_ref()?.first()
    }

    fn accelerator(&self) -> Option<&Accelerator> {
        self.deployment()?.accelerators.as_ref()?.first()
    }

    /// Fields that it does not show as wanted. What it does not show can't be compared.
    pub(super) fn open(&self, spec: &Spec) -> Vec<&'static str> {
        let differs =
            |shown: Option<&String>, wanted: &String| shown.is_some_and(|shown| shown != wanted);
        let model = self
            .deployment()
            .and_then(|shown| shown.model_slug.as_ref());
        let accelerator = self.accelerator();
        let slug = accelerator.and_then(|shown| shown.accelerator_slug.as_ref());
        let scale = accelerator.and_then(|shown| shown.scale);
        SHOWN
            .into_iter()
            .zip([
                differs(model, &spec.model_slug),
                differs(slug, &spec.accelerator_slug),
                scale.is_some_and(|shown| shown != u64::from(replicas(spec))),
            ])
            .filter_map(|(field, open)| open.then_some(field))
            .collect()
    }

    /// The whole spec with the wanted deployment: what it shows of all else goes back as it came.
    pub(super) fn changed(&self, spec: &Spec) -> Option<Value> {
        let shown = self.spec.as_ref()?;
        let model_id = self
            .deployment()
            .and_then(|deployment| deployment.model_id.as_deref())
            .filter(|id| !id.is_empty());
        Some(json!({
            "version": shown.version.unwrap_or(1),
            "name": shown.name,
            "region": shown.region.as_ref().unwrap_or(&spec.region),
            "vpc": shown.vpc.clone().unwrap_or_else(|| json!({"uuid": self.vpc_uuid})),
            "enable_public_endpoint": shown
                .enable_public_endpoint
                .or(spec.enable_public_endpoint)
                .unwrap_or_default(),
            "model_deployments": [deployment(spec, model_id)]
        }))
    }

    /// The spec as the API shows it, null where it does not.
    pub(super) fn shown(&self) -> [(&'static str, Value); 6] {
        let shown = self.spec.as_ref();
        let region = shown
            .and_then(|shown| shown.region.as_ref())
            .or(self.region.as_ref());
        let deployment = self.deployment();
        let accelerator = self.accelerator();
        [
            ("region", json!(region)),
            ("vpc_uuid", json!(self.vpc_uuid)),
            (
                "enable_public_endpoint",
                json!(shown.and_then(|shown| shown.enable_public_endpoint)),
            ),
            (
                "model_slug",
                json!(deployment.and_then(|shown| shown.model_slug.as_ref())),
            ),
            (
                "accelerator_slug",
                json!(accelerator.and_then(|shown| shown.accelerator_slug.as_ref())),
            ),
            ("replicas", json!(accelerator.and_then(|shown| shown.scale))),
        ]
    }
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vpc_uuid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_endpoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private_endpoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

impl Outputs {
    pub(super) fn of(endpoint: &Endpoint, shows_vpc: bool) -> Self {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let names = endpoint.endpoints.as_ref();
        Self {
            status: text(&endpoint.status),
            region: text(&endpoint.region),
            vpc_uuid: text(&endpoint.vpc_uuid).filter(|_| shows_vpc),
            public_endpoint: names.and_then(|names| text(&names.public_endpoint_fqdn)),
            private_endpoint: names.and_then(|names| text(&names.private_endpoint_fqdn)),
            created_at: text(&endpoint.created_at),
            updated_at: text(&endpoint.updated_at),
        }
    }
}
