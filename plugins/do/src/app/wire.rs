//! What the API takes and gives.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::api::Meta;

#[derive(Debug, Deserialize)]
pub(super) struct AppAnswer {
    pub(super) app: App,
}

#[derive(Debug, Deserialize)]
pub(super) struct Apps {
    pub(super) apps: Option<Vec<App>>,
    pub(super) meta: Option<Meta>,
}

#[derive(Debug, Deserialize)]
pub(super) struct DeploymentAnswer {
    pub(super) deployment: Deployment,
}

#[derive(Debug, Deserialize)]
pub(super) struct Deployments {
    pub(super) deployments: Option<Vec<Deployment>>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct App {
    pub(super) id: String,
    #[serde(default)]
    pub(super) spec: Map<String, Value>,
    pub(super) pending_deployment: Option<Deployment>,
    pub(super) in_progress_deployment: Option<Deployment>,
    pub(super) active_deployment: Option<Deployment>,
    pub(super) live_url: Option<String>,
    pub(super) live_domain: Option<String>,
    pub(super) default_ingress: Option<String>,
    pub(super) tier_slug: Option<String>,
    pub(super) region: Option<AppRegion>,
    pub(super) dedicated_ips: Option<Vec<DedicatedIp>>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

impl App {
    pub(super) fn name(&self) -> Option<&str> {
        self.spec.get("name")?.as_str()
    }

    /// The deployment that is going on, the one that waits before the one that runs.
    pub(super) fn going_on(&self) -> Option<&Deployment> {
        [&self.pending_deployment, &self.in_progress_deployment]
            .into_iter()
            .flatten()
            .find(|deployment| deployment.phase != Phase::Superseded && !deployment.id.is_empty())
    }

    pub(super) fn active(&self) -> Option<&Deployment> {
        self.active_deployment.as_ref().filter(|deployment| {
            !deployment.id.is_empty() && matches!(deployment.phase, Phase::Active | Phase::Unknown)
        })
    }

    /// The id of the newest deployment that the app shows.
    pub(super) fn newest_deployment(&self) -> Option<String> {
        self.going_on()
            .or(self.active())
            .map(|deployment| deployment.id.clone())
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct AppRegion {
    pub(super) slug: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct DedicatedIp {
    pub(super) ip: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Deployment {
    #[serde(default)]
    pub(super) id: String,
    #[serde(default)]
    pub(super) phase: Phase,
    progress: Option<Progress>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Phase {
    PendingBuild,
    Building,
    PendingDeploy,
    Deploying,
    Active,
    Superseded,
    Error,
    Canceled,
    /// Also what the API may add.
    #[default]
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, Deserialize)]
struct Progress {
    error_steps: Option<i64>,
    steps: Option<Vec<Step>>,
    summary_steps: Option<Vec<Step>>,
}

#[derive(Debug, Clone, Deserialize)]
struct Step {
    component_name: Option<String>,
    status: Option<String>,
    reason: Option<Reason>,
    steps: Option<Vec<Step>>,
}

#[derive(Debug, Clone, Deserialize)]
struct Reason {
    code: Option<String>,
}

impl Deployment {
    pub(super) fn has_failed(&self) -> bool {
        let failed_step = self
            .progress
            .as_ref()
            .and_then(|progress| progress.error_steps)
            .is_some_and(|steps| steps > 0);
        matches!(self.phase, Phase::Error | Phase::Canceled)
            || (failed_step && self.phase != Phase::Active)
    }

    /// What failed, as the API codes it. Its sentences may quote a component's output.
    pub(super) fn failure(&self) -> String {
        let what = if self.phase == Phase::Canceled {
            "was canceled"
        } else {
            "failed"
        };
        let mut message = format!(
            "the deployment {} {what}",
            identifier(&self.id).unwrap_or_default()
        );
        if let Some(step) = self.failed_step(0) {
            if let Some(component) = step.component_name.as_deref().and_then(identifier) {
                message.push_str(&format!(" at component {component}"));
            }
            if let Some(code) = step
                .reason
                .as_ref()
                .and_then(|reason| identifier(reason.code.as_deref()?))
            {
                message.push_str(&format!(": {code}"));
            }
        }
        message
    }

    fn failed_step(&self, from: usize) -> Option<&Step> {
        let progress = self.progress.as_ref()?;
        let steps = progress
            .steps
            .iter()
            .flatten()
            .chain(progress.summary_steps.iter().flatten());
        steps.skip(from).find_map(Step::failed)
    }
}

impl Step {
    /// The innermost step that failed.
    fn failed(&self) -> Option<&Self> {
        (self.status.as_deref() == Some("ERROR")).then(|| {
            self.steps
                .iter()
                .flatten()
                .find_map(Self::failed)
                .filter(|inner| inner.reason.is_some())
                .unwrap_or(self)
        })
    }
}

/// A code or a name, and nothing that could be a value.
fn identifier(text: &str) -> Option<&str> {
    let fits = (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    fits.then_some(text)
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    #[serde(skip_serializing_if = "Option::is_none")]
    live_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live_domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_ingress: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier_slug: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_deployment: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dedicated_ips: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

impl From<&App> for Outputs {
    fn from(app: &App) -> Self {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Self {
            live_url: text(&app.live_url),
            live_domain: text(&app.live_domain),
            default_ingress: text(&app.default_ingress),
            tier_slug: text(&app.tier_slug),
            region: app.region.as_ref().and_then(|region| text(&region.slug)),
            active_deployment: app.active().map(|deployment| deployment.id.clone()),
            dedicated_ips: app
                .dedicated_ips
                .iter()
                .flatten()
                .filter_map(|address| text(&address.ip))
                .collect(),
            created_at: text(&app.created_at),
            updated_at: text(&app.updated_at),
        }
    }
}

/// The spec as shown, with `null` for what is encrypted in it: a ciphertext tells a tenant nothing
/// and differs each time.
pub(super) fn shown(spec: &Map<String, Value>) -> Value {
    const SECRETS: [&str; 4] = ["registry_credentials", "api_key", "token", "password"];
    fn hide(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                let is_secret = fields.get("type").and_then(Value::as_str) == Some("SECRET");
                for (field, value) in fields {
                    let encrypted = value.as_str().is_some_and(|text| text.starts_with("EV["));
                    let hidden = encrypted
                        || SECRETS.contains(&field.as_str())
                        || (is_secret && field == "value");
                    if hidden {
                        *value = Value::Null;
                    } else {
                        hide(value);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(hide),
            _ => {}
        }
    }
    let mut spec = Value::Object(spec.clone());
    if let Some(fields) = spec.as_object_mut() {
        fields.remove("name");
    }
    hide(&mut spec);
    spec
}
