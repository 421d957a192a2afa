//! A generation as operators see it.

use berth_domain::platform::GenerationRecord;
use berth_domain::time::Millis;
use serde::Serialize;

/// A generation of a plugin, without its component and manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GenerationView {
    /// SHA-256 of the component, in hex.
    pub digest: String,
    /// The plugin's name: its provider.
    pub plugin: String,
    /// The plugin's own version.
    pub version: String,
    /// One line for people.
    pub title: String,
    /// The kinds that it serves.
    pub kinds: Vec<String>,
    /// Where it wants to send requests.
    pub endpoints: Vec<String>,
    /// It is the one in force.
    pub active: bool,
    /// This host has loaded it.
    pub loaded: bool,
    /// Size of the component in bytes.
    pub size: u64,
    /// When it was installed, in epoch ms.
    pub installed_at: Millis,
    /// When it was last activated, in epoch ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<Millis>,
}

impl GenerationView {
    pub(super) fn of(record: GenerationRecord, loaded: bool) -> Self {
        Self {
            digest: record.digest,
            plugin: record.plugin,
            version: record.version,
            title: record.manifest.title,
            kinds: record
                .manifest
                .kinds
                .into_iter()
                .map(|kind| kind.id)
                .collect(),
            endpoints: record
                .manifest
                .endpoints
                .into_iter()
                .map(|endpoint| endpoint.origin)
                .collect(),
            active: record.active,
            loaded,
            size: record.size,
            installed_at: record.installed_at,
            activated_at: record.activated_at,
        }
    }
}
