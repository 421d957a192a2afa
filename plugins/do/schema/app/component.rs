//! Components of an app. What every component has is repeated in each: `deny_unknown_fields` and
//! `flatten` exclude one another, and a misspelt field must be an error.

use schemars::JsonSchema;

use super::{Cors, LogDestination, Route};

macro_rules! component {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Name in the app.
            #[schemars(regex(pattern = r"^[a-z][a-z0-9-]{0,30}[a-z0-9]$"))]
            pub name: String,
            /// Public git repository to build.
            pub git: Option<Git>,
            /// Repository of the account's GitHub installation.
            pub github: Option<LinkedRepository>,
            /// Repository of the account's GitLab installation.
            pub gitlab: Option<LinkedRepository>,
            /// Repository of the account's Bitbucket installation.
            pub bitbucket: Option<LinkedRepository>,
            /// Directory of the source in the repository.
            #[schemars(length(max = 1024))]
            pub source_dir: Option<String>,
            /// Environment variables.
            #[schemars(length(max = 256))]
            pub envs: Option<Vec<Env>>,
            /// Where logs go.
            #[schemars(length(max = 8))]
            pub log_destinations: Option<Vec<LogDestination>>,
            $($(#[$attribute])* pub $field: $type,)*
        }
    };
}

component! {
    /// A component that answers requests.
    Service {
        /// Image to run instead of building.
        image: Option<Image>,
        /// Dockerfile in the repository.
        #[schemars(length(max = 1024))]
        dockerfile_path: Option<String>,
        /// Command that builds.
        #[schemars(length(max = 4096))]
        build_command: Option<String>,
        /// Command that runs.
        #[schemars(length(max = 4096))]
        run_command: Option<String>,
        /// Build environment, such as `node-js`.
        #[schemars(length(max = 64))]
        environment_slug: Option<String>,
        /// Instances.
        #[schemars(range(min = 1, max = 250))]
        instance_count: Option<u32>,
        /// Size of each instance, such as `apps-s-1vcpu-0.5gb`.
        #[schemars(regex(pattern = r"^[a-z0-9_.-]{1,64}$"))]
        instance_size_slug: Option<String>,
        /// Instances by load.
        autoscaling: Option<Autoscaling>,
        /// Who may call from a browser.
        cors: Option<Cors>,
        /// When an instance may get requests.
        health_check: Option<HealthCheck>,
        /// When an instance is to be restarted.
        liveness_health_check: Option<HealthCheck>,
        /// Protocol between edge and component.
        protocol: Option<Protocol>,
        /// Port that it listens on.
        #[schemars(range(min = 1, max = 65535))]
        http_port: Option<u16>,
        /// Ports for other components.
        #[schemars(length(max = 32), inner(range(min = 1, max = 65535)))]
        internal_ports: Option<Vec<u16>>,
        /// Paths that it answers. Prefer `ingress`.
        #[schemars(length(max = 64))]
        routes: Option<Vec<Route>>,
        /// How an instance is stopped.
        termination: Option<Termination>,
    }
}

component! {
    /// Files served as they are built.
    StaticSite {
        /// Dockerfile in the repository.
        #[schemars(length(max = 1024))]
        dockerfile_path: Option<String>,
        /// Command that builds.
        #[schemars(length(max = 4096))]
        build_command: Option<String>,
        /// Build environment, such as `html`.
        #[schemars(length(max = 64))]
        environment_slug: Option<String>,
        /// Page of a directory.
        #[schemars(length(max = 255))]
        index_document: Option<String>,
        /// Page for what is not found.
        #[schemars(length(max = 255))]
        error_document: Option<String>,
        /// Page for everything that is not found, with status 200.
        #[schemars(length(max = 255))]
        catchall_document: Option<String>,
        /// Directory that the build writes.
        #[schemars(length(max = 1024))]
        output_dir: Option<String>,
        /// Who may call from a browser.
        cors: Option<Cors>,
        /// Paths that it answers. Prefer `ingress`.
        #[schemars(length(max = 64))]
        routes: Option<Vec<Route>>,
    }
}

component! {
    /// A component that runs without answering requests.
    Worker {
        /// Image to run instead of building.
        image: Option<Image>,
        /// Dockerfile in the repository.
        #[schemars(length(max = 1024))]
        dockerfile_path: Option<String>,
        /// Command that builds.
        #[schemars(length(max = 4096))]
        build_command: Option<String>,
        /// Command that runs.
        #[schemars(length(max = 4096))]
        run_command: Option<String>,
        /// Build environment, such as `node-js`.
        #[schemars(length(max = 64))]
        environment_slug: Option<String>,
        /// Instances.
        #[schemars(range(min = 1, max = 250))]
        instance_count: Option<u32>,
        /// Size of each instance, such as `apps-s-1vcpu-0.5gb`.
        #[schemars(regex(pattern = r"^[a-z0-9_.-]{1,64}$"))]
        instance_size_slug: Option<String>,
        /// Instances by load.
        autoscaling: Option<Autoscaling>,
        /// When an instance is to be restarted.
        liveness_health_check: Option<HealthCheck>,
        /// How an instance is stopped.
        termination: Option<Grace>,
    }
}

component! {
    /// A component that runs around deployments.
    Job {
        /// When it runs.
        kind: Option<JobKind>,
        /// Image to run instead of building.
        image: Option<Image>,
        /// Dockerfile in the repository.
        #[schemars(length(max = 1024))]
        dockerfile_path: Option<String>,
        /// Command that builds.
        #[schemars(length(max = 4096))]
        build_command: Option<String>,
        /// Command that runs.
        #[schemars(length(max = 4096))]
        run_command: Option<String>,
        /// Build environment, such as `node-js`.
        #[schemars(length(max = 64))]
        environment_slug: Option<String>,
        /// Instances.
        #[schemars(range(min = 1, max = 250))]
        instance_count: Option<u32>,
        /// Size of each instance, such as `apps-s-1vcpu-0.5gb`.
        #[schemars(regex(pattern = r"^[a-z0-9_.-]{1,64}$"))]
        instance_size_slug: Option<String>,
        /// How an instance is stopped.
        termination: Option<Grace>,
    }
}

component! {
    /// Functions.
    Function {
        /// Who may call from a browser.
        cors: Option<Cors>,
        /// Paths that they answer. Prefer `ingress`.
        #[schemars(length(max = 64))]
        routes: Option<Vec<Route>>,
    }
}

/// An environment variable.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"properties": {"type": {"const": "SECRET"}, "value": {"x-secret": true}}},
    {"properties": {"type": {"const": "GENERAL"}}}
]))]
pub struct Env {
    /// Name of the variable.
    #[schemars(regex(pattern = r"^[_A-Za-z][_A-Za-z0-9]{0,255}$"))]
    pub key: String,
    /// `SECRET`: the value is a SecretRef. `GENERAL`: the value is readable by all who may read the app.
    #[serde(rename = "type")]
    pub secrecy: Secrecy,
    /// The value, or for a secret its SecretRef.
    #[schemars(length(max = 32768))]
    pub value: String,
    /// When it is set.
    pub scope: Option<Scope>,
}

/// Whether a variable is secret.
#[derive(JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Secrecy {
    /// Readable.
    General,
    /// Encrypted at the provider.
    Secret,
}

/// When a variable is set.
#[derive(JsonSchema)]
pub enum Scope {
    /// While running.
    #[serde(rename = "RUN_TIME")]
    Running,
    /// While building.
    #[serde(rename = "BUILD_TIME")]
    Building,
    /// Both.
    #[serde(rename = "RUN_AND_BUILD_TIME")]
    Both,
}

/// A public git repository.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Git {
    /// URL to clone.
    #[schemars(length(min = 1, max = 2048))]
    pub repo_clone_url: String,
    /// Branch to build.
    #[schemars(length(min = 1, max = 255))]
    pub branch: Option<String>,
}

/// A repository that the account's owner linked.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkedRepository {
    /// `owner/name`.
    #[schemars(extend("x-account-wide" = true), length(min = 1, max = 255))]
    pub repo: String,
    /// Branch to build.
    #[schemars(length(min = 1, max = 255))]
    pub branch: Option<String>,
    /// Deploy at every push.
    pub deploy_on_push: Option<bool>,
}

/// A container image.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// Registry. `DOCR` is the account's own.
    pub registry_type: RegistryType,
    /// Name in the registry, `owner` for Docker Hub and GHCR.
    #[schemars(length(min = 1, max = 255))]
    pub registry: Option<String>,
    /// Credentials for a private image, `user:token`, as a SecretRef.
    #[schemars(extend("x-secret" = true), length(min = 1, max = 512))]
    pub registry_credentials: Option<String>,
    /// Repository of the image.
    #[schemars(length(min = 1, max = 255))]
    pub repository: String,
    /// Tag; `latest` if neither it nor a digest is given.
    #[schemars(length(min = 1, max = 128))]
    pub tag: Option<String>,
    /// Digest; exclusive with the tag.
    #[schemars(length(min = 1, max = 128))]
    pub digest: Option<String>,
    /// Deploy when the image changes.
    pub deploy_on_push: Option<DeployOnPush>,
}

/// Container registries.
#[derive(JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RegistryType {
    /// Docker Hub.
    DockerHub,
    /// The account's own.
    Docr,
    /// GitHub's.
    Ghcr,
}

/// Deploying when an image changes.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeployOnPush {
    /// Whether to.
    pub enabled: bool,
}

/// Instances by load.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Autoscaling {
    /// Fewest instances.
    #[schemars(range(min = 1, max = 250))]
    pub min_instance_count: u32,
    /// Most instances.
    #[schemars(range(min = 1, max = 250))]
    pub max_instance_count: u32,
    /// What load is.
    pub metrics: Metrics,
}

/// Measures of load. `requests_per_second` and `request_duration` are for services.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// Processor use.
    pub cpu: Option<Cpu>,
    /// Requests.
    pub requests_per_second: Option<RequestsPerSecond>,
    /// Time that a request takes.
    pub request_duration: Option<RequestDuration>,
}

/// Processor use.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// Average to keep, in percent.
    #[schemars(range(min = 1, max = 100))]
    pub percent: u8,
}

/// Requests a second.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestsPerSecond {
    /// Average an instance to keep.
    #[schemars(range(min = 1))]
    pub per_instance: u32,
}

/// Time that a request takes.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestDuration {
    /// 95th percentile to keep.
    #[schemars(range(min = 1))]
    pub p95_milliseconds: u32,
}

/// A check of an instance.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthCheck {
    /// Port to ask.
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<u16>,
    /// Path to ask.
    #[schemars(length(min = 1, max = 1024))]
    pub http_path: Option<String>,
    /// Seconds before the first check.
    #[schemars(range(min = 0, max = 3600))]
    pub initial_delay_seconds: Option<u32>,
    /// Seconds between checks.
    #[schemars(range(min = 1, max = 300))]
    pub period_seconds: Option<u32>,
    /// Seconds that an answer may take.
    #[schemars(range(min = 1, max = 120))]
    pub timeout_seconds: Option<u32>,
    /// Good answers in a row that make it healthy.
    #[schemars(range(min = 1, max = 50))]
    pub success_threshold: Option<u32>,
    /// Bad answers in a row that make it unhealthy.
    #[schemars(range(min = 1, max = 50))]
    pub failure_threshold: Option<u32>,
}

/// Protocols.
#[derive(JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// HTTP/2.
    Http2,
}

/// How a service's instance is stopped.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Termination {
    /// Seconds between taking its requests away and stopping it.
    #[schemars(range(min = 1, max = 110))]
    pub drain_seconds: Option<u32>,
    /// Seconds between asking it to stop and killing it.
    #[schemars(range(min = 1, max = 600))]
    pub grace_period_seconds: Option<u32>,
}

/// How an instance without requests is stopped.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grace {
    /// Seconds between asking it to stop and killing it.
    #[schemars(range(min = 1, max = 600))]
    pub grace_period_seconds: u32,
}

/// When a job runs.
#[derive(JsonSchema)]
pub enum JobKind {
    /// Before a deployment.
    #[serde(rename = "PRE_DEPLOY")]
    Before,
    /// After a deployment.
    #[serde(rename = "POST_DEPLOY")]
    After,
    /// After a deployment that failed.
    #[serde(rename = "FAILED_DEPLOY")]
    AfterFailure,
}
