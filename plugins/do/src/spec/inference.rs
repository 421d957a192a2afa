//! The spec of `do.inference.dedicated`.

use serde::Deserialize;

use crate::JsonSchema;

/// An endpoint that serves one model on GPUs of its own, in a network.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Data centre, such as `atl1`.
    #[schemars(regex(pattern = r"^[a-z0-9-]{2,16}$"))]
    pub region: String,
    /// One of the tenant's networks to live in.
    #[schemars(extend("x-networks" = true), length(min = 1, max = 128))]
    pub network: Option<String>,
    /// VPC to live in, by the provider's id.
    #[schemars(extend("x-account-wide" = true), regex(pattern = r"^[0-9a-f-]{36}$"))]
    pub vpc_uuid: Option<String>,
    /// The endpoint has a public name too. Left out: it is reached from its network only.
    pub enable_public_endpoint: Option<bool>,
    /// Model at Hugging Face, such as `mistral/mistral-7b-instruct-v3`.
    #[schemars(length(min = 1, max = 255), regex(pattern = r"^[A-Za-z0-9_./-]+$"))]
    pub model_slug: String,
    /// GPUs of each replica, such as `gpu-mi300x1-192gb`: one of them.
    #[schemars(regex(pattern = r"^gpu-[a-z0-9]{1,32}x[1-9][0-9]{0,2}-[a-z0-9-]{1,32}$"))]
    pub accelerator_slug: String,
    /// Replicas that run. Left out: one.
    #[schemars(range(min = 1, max = 1000))]
    pub replicas: Option<u32>,
    /// Replicas to hold quota for: GPUs are booked for the larger of this and `replicas`, so that a
    /// later rise up to it is not refused. What runs is `replicas`.
    #[serde(rename = "maxReplicas")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_replicas: Option<u32>,
    /// Token for a model that Hugging Face gives only to those who agreed to its terms.
    #[schemars(extend("x-secret" = true))]
    pub hugging_face_token: Option<String>,
}
