//! How long things take.

use serde::{Deserialize, Serialize};

/// Durations in virtual milliseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Times {
    /// From the creation of a cluster until it is online.
    pub create: u64,
    /// How long a resize takes.
    pub resize: u64,
    /// How long a move to another region takes.
    pub migrate: u64,
    /// How long a major upgrade takes.
    pub upgrade: u64,
    /// How long a cluster still reports `online` after it accepted a change.
    pub status_lag: u64,
    /// How long a deleted cluster can still be read.
    pub linger: u64,
    /// From a cluster's coming online until it has its first backup, without which it can have no
    /// replica.
    pub first_backup: u64,
    /// From the creation of a replica until it is online.
    pub replica: u64,
    /// How long a new inference endpoint is `new`, before it is `provisioning`.
    pub inference_new: u64,
    /// How long it takes to provision an inference endpoint.
    pub inference: u64,
    /// How long a change of an inference endpoint takes.
    pub inference_update: u64,
    /// How long an inference endpoint is `deleting`.
    pub inference_delete: u64,
    /// How long a session of an agent is being provisioned.
    pub session: u64,
    /// How long a session of an agent is being destroyed.
    pub session_destroy: u64,
    /// How long a VPC still counts a member that is gone.
    pub vpc_release: u64,
    /// How long a change of a database user occupies its cluster, and its answer takes.
    pub user: u64,
    /// How long a deployment waits for its build.
    pub pending: u64,
    /// How long a build takes.
    pub build: u64,
    /// From the end of the build until the deployment is active.
    pub deploy: u64,
    /// How long a new deployment can't be seen after the change that made it.
    pub deployment_lag: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            create: 240_000,
            resize: 300_000,
            migrate: 600_000,
            upgrade: 600_000,
            status_lag: 5_000,
            linger: 0,
            first_backup: 120_000,
            replica: 300_000,
            inference_new: 10_000,
            inference: 900_000,
            inference_update: 600_000,
            inference_delete: 60_000,
            session: 10_000,
            session_destroy: 5_000,
            vpc_release: 0,
            user: 500,
            pending: 5_000,
            build: 60_000,
            deploy: 30_000,
            deployment_lag: 0,
        }
    }
}
