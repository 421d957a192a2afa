//! Hands on what the provider says of an account, whether or not it makes sense.

use serde_json::Value;

use crate::bindings::berth::provider::http::{self, Request};
use crate::bindings::berth::provider::types::{
    Application, Error, InstallsOn, Retry, Severity, Signal,
};
use crate::manifest::ORIGIN;

/// The items at `/v2/catalog`.
pub(crate) fn catalog() -> Result<Vec<Application>, Error> {
    let items = items("/v2/catalog")?;
    Ok(items.iter().map(application).collect())
}

/// The items at `/v2/signals`.
pub(crate) fn signals() -> Result<Vec<Signal>, Error> {
    let items = items("/v2/signals")?;
    Ok(items.iter().map(signal).collect())
}

fn items(path: &str) -> Result<Vec<Value>, Error> {
    let request = Request {
        method: "GET".to_owned(),
        url: format!("{ORIGIN}{path}"),
        headers: Vec::new(),
        body: None,
        timeout: None,
    };
    let answer = http::send(&request).map_err(|error| Error::Unavailable(format!("{error:?}")))?;
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    match answer.status {
        200 => serde_json::from_str(&text).map_err(|error| Error::Failed(error.to_string())),
        403 => Err(Error::Denied(text)),
        429 => Err(Error::Throttled(Retry {
            message: text,
            after: Some(7_000),
        })),
        501 => Err(Error::Unsupported(text)),
        _ => Err(Error::Unavailable(text)),
    }
}

fn text(item: &Value, name: &str) -> String {
    item[name].as_str().unwrap_or_default().to_owned()
}

fn application(item: &Value) -> Application {
    Application {
        slug: text(item, "slug"),
        title: text(item, "title"),
        installs_on: match item["on"].as_str() {
            Some("kubernetes") => InstallsOn::Kubernetes,
            _ => InstallsOn::Instance,
        },
    }
}

fn signal(item: &Value) -> Signal {
    Signal {
        id: text(item, "id"),
        severity: match item["severity"].as_str() {
            Some("critical") => Severity::Critical,
            Some("warning") => Severity::Warning,
            _ => Severity::Info,
        },
        title: text(item, "title"),
        detail: item["detail"].as_str().map(str::to_owned),
        at: item["at"].as_u64().unwrap_or_default(),
        kind: text(item, "kind"),
        provider_id: text(item, "providerId"),
    }
}
