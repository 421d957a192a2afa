//! What the API takes and gives. Everything that it gives is optional: it leaves fields out while a
//! cluster is made, and those that the token's scopes do not cover. Types are wide: one odd cluster of
//! the account must not make its whole list unreadable.

use berth_sdk::Call;
use berth_sdk::answers::invalid;
use berth_sdk::types::{Error, Label};
use serde::{Deserialize, Serialize};

use crate::database::connection::Connections;
use crate::network;
use crate::spec::pg::{Autoscale, BackupRestore, DoSettings, Rule, RuleSource, Spec};
use crate::tags;

#[derive(Debug, Deserialize)]
pub(super) struct ClusterAnswer {
    pub(super) database: Cluster,
}

#[derive(Debug, Deserialize)]
pub(super) struct Clusters {
    databases: Option<Vec<Cluster>>,
}

impl Clusters {
    pub(super) fn postgres(self) -> impl Iterator<Item = Cluster> {
        self.databases
            .into_iter()
            .flatten()
            .filter(Cluster::is_postgres)
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Cluster {
    pub(super) id: String,
    pub(super) name: String,
    engine: Option<String>,
    pub(super) status: Option<String>,
    pub(super) version: Option<String>,
    pub(super) semantic_version: Option<String>,
    pub(super) region: Option<String>,
    pub(super) size: Option<String>,
    pub(super) num_nodes: Option<u64>,
    pub(super) storage_size_mib: Option<u64>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) private_network_uuid: Option<String>,
    pub(super) project_id: Option<String>,
    pub(super) created_at: Option<String>,
    #[cfg_attr(
        not(feature = "next"),
        expect(dead_code, reason = "an output of the next version")
    )]
    pub(super) version_end_of_life: Option<String>,
    pub(super) maintenance_window: Option<MaintenanceWindow>,
    #[serde(flatten)]
    pub(super) connections: Connections,
    pub(super) metrics_endpoints: Option<Vec<MetricsEndpoint>>,
}

impl Cluster {
    pub(super) fn is_postgres(&self) -> bool {
        self.engine.as_deref() == Some("pg")
    }

    pub(super) fn tags(&self) -> &[String] {
        self.tags.as_deref().unwrap_or_default()
    }

    pub(super) fn labels(&self, wanted: &[Label]) -> Vec<Label> {
        tags::TAGS.labels(self.tags(), wanted)
    }

    pub(super) fn is_online(&self) -> bool {
        self.status.as_deref() == Some("online")
    }

    /// The major version: what a spec names and `upgrade` moves.
    pub(super) fn major(&self) -> Option<&str> {
        self.version.as_deref()?.split('.').next()
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct MaintenanceWindow {
    pub(super) day: Option<String>,
    pub(super) hour: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MetricsEndpoint {
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u64>,
}

/// The plain outputs. Those that the API left out are left out.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Outputs {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) port: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) database: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ssl: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) private_host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) private_port: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) standby_host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) standby_port: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) standby_private_host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) standby_private_port: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) semantic_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) storage_size_mib: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) metrics_endpoints: Option<Vec<MetricsEndpoint>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created_at: Option<String>,
    #[cfg(feature = "next")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version_end_of_life: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct CreateBody<'a> {
    name: &'a str,
    engine: &'static str,
    region: &'a str,
    size: &'a str,
    num_nodes: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    storage_size_mib: Option<u64>,
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private_network_uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<Rule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    autoscale: Option<&'a Autoscale>,
    #[serde(skip_serializing_if = "Option::is_none")]
    do_settings: Option<&'a DoSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_restore: Option<&'a BackupRestore>,
}

impl<'a> CreateBody<'a> {
    pub(super) fn new(call: &'a Call<'a, Spec>) -> Result<Self, Error> {
        let spec = call.spec();
        let mut tags = tags::encode(call.labels())?;
        tags.extend(spec.tags.iter().flatten().cloned());
        let network = network::part_in(call, spec.network.as_deref(), &spec.region)?;
        Ok(Self {
            name: call.name(),
            engine: "pg",
            region: &spec.region,
            size: &spec.size,
            num_nodes: spec.num_nodes,
            version: spec.version.as_deref(),
            storage_size_mib: spec.storage_size_mib,
            tags,
            private_network_uuid: network.or(spec.private_network_uuid.as_deref()),
            project_id: spec.project_id.as_deref(),
            rules: rules(call)?,
            autoscale: spec.autoscale.as_ref(),
            do_settings: spec.do_settings.as_ref(),
            backup_restore: spec.backup_restore.as_ref(),
        })
    }
}

/// The rules of the spec, and one for each of the tenant's instances.
fn rules(call: &Call<'_, Spec>) -> Result<Vec<Rule>, Error> {
    let trusted = call.spec().instances.as_deref().unwrap_or_default();
    let instances = call
        .instances()
        .iter()
        .filter(|instance| trusted.contains(&instance.id))
        .map(|instance| Rule {
            source: RuleSource::Droplet,
            value: instance.provider_id.clone(),
            description: None,
        });
    let rules: Vec<Rule> = call
        .spec()
        .rules
        .iter()
        .flatten()
        .cloned()
        .chain(instances)
        .collect();
    if rules.is_empty() && !trusted.is_empty() {
        // Without rules everyone may connect, and the tenant wanted some instances alone.
        return Err(invalid(
            "/instances",
            "none of these instances is there any more, and a cluster without trusted sources is open to everyone: name others, or give rules",
        ));
    }
    Ok(rules)
}
