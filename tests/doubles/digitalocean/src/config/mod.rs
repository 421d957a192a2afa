//! What a double is started with, and what a test may change while it runs.

mod durations;

use serde::{Deserialize, Serialize};

pub use durations::Times;

/// Everything that can be set. `token`, `seed` and the ports are fixed once the double has
/// started; all else can be changed while it runs (`PATCH /settings`, [`crate::Controls::configure`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The one bearer token that is accepted.
    pub token: String,
    /// Port of the provider API; 0 lets the system choose.
    pub port: u16,
    /// Port of the control API; 0 lets the system choose.
    pub control_port: u16,
    /// Seed of ids, passwords and ciphertexts: two doubles of one seed hand out the same ones.
    pub seed: u64,
    /// Virtual milliseconds that pass in a real one. 0 freezes time, so that only `advance` moves it.
    pub speed: f64,
    /// Origin of the links in paged lists. The real API always names its own public origin there,
    /// whatever origin the client called, so a client that follows them blindly is caught.
    pub links_origin: String,
    /// The largest request body that is read, in bytes.
    pub max_body: usize,
    /// Limits of requests per token.
    pub rate: RateLimits,
    /// How long things take.
    pub times: Times,
    /// What can be seen, and when.
    pub visibility: Visibility,
    /// How refusals look.
    pub refusals: Refusals,
    /// What secrets look like and where they leak.
    pub secrets: Secrets,
    /// How much of the past is kept.
    pub log: LogLimits,
    /// How many 1-Click applications there are.
    pub one_clicks: OneClicks,
    /// How much the account may have.
    pub limits: Limits,
    /// Which previews are enabled for the account.
    pub previews: Previews,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            token: "dop_v1_double".into(),
            port: 0,
            control_port: 0,
            seed: 1,
            speed: 1.0,
            links_origin: "https://api.digitalocean.com".into(),
            max_body: 1 << 20,
            rate: RateLimits::default(),
            times: Times::default(),
            visibility: Visibility::default(),
            refusals: Refusals::default(),
            secrets: Secrets::default(),
            log: LogLimits::default(),
            one_clicks: OneClicks::default(),
            limits: Limits::default(),
            previews: Previews::default(),
        }
    }
}

/// Requests allowed in two sliding windows. Windows are real time, since a client waits in real
/// time; shorten them to scale the limits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimits {
    /// Off by default: no limit and no rate headers.
    pub enabled: bool,
    /// Requests in the long window.
    pub per_hour: usize,
    /// Requests in the short window.
    pub per_minute: usize,
    /// Length of the long window in milliseconds.
    pub hour_ms: u64,
    /// Length of the short window in milliseconds.
    pub minute_ms: u64,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            enabled: false,
            per_hour: 5000,
            per_minute: 250,
            hour_ms: 3_600_000,
            minute_ms: 60_000,
        }
    }
}

/// What can be seen of an object, and when.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Visibility {
    /// How many reads of a new cluster or app answer 404 first.
    pub not_found_reads: u32,
    /// For how many virtual milliseconds a new cluster or app answers 404.
    pub not_found_ms: u64,
    /// Whether a new object is missing in lists, too, as long as its reads answer 404.
    pub hidden_in_lists: bool,
    /// Whether a cluster shows its connections while it is being created.
    pub connection_while_creating: bool,
    /// Whether a session of an agent can still be read when it is destroyed.
    pub destroyed_sessions: bool,
    /// Whether a session of an agent shows `resume_on_topoff`.
    pub session_settings_in_reads: bool,
    /// Whether reads of a database user show its `settings`. The real API isn't reliable there.
    pub user_settings_in_reads: bool,
}

impl Default for Visibility {
    fn default() -> Self {
        Self {
            not_found_reads: 0,
            not_found_ms: 0,
            hidden_in_lists: false,
            connection_while_creating: true,
            destroyed_sessions: true,
            session_settings_in_reads: true,
            user_settings_in_reads: false,
        }
    }
}

/// How refusals look that the document leaves open.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Refusals {
    /// Status for a change of a cluster that isn't online: 409, 412, 422 or 423.
    pub busy_status: u16,
    /// Status for a second change of a cluster's users while one is under way.
    pub parallel_user_status: u16,
    /// Whether a cluster that isn't online can be deleted.
    pub delete_while_busy: bool,
    /// Whether a cluster that has replicas can be deleted; they go with it.
    pub delete_with_replicas: bool,
    /// Status for a connection pool of a database or user that isn't there: 404 or 422.
    pub pool_reference_status: u16,
    /// Whether errors of agents have the shape `{"error": {"code", "message"}}` of their own.
    pub nested_agent_errors: bool,
    /// Status for a change of an inference endpoint that is busy: 403 or 409.
    pub inference_busy_status: u16,
    /// Status for deleting a VPC that has members: 403 or 409.
    pub vpc_members_status: u16,
}

impl Default for Refusals {
    fn default() -> Self {
        Self {
            busy_status: 412,
            parallel_user_status: 409,
            delete_while_busy: true,
            delete_with_replicas: true,
            pool_reference_status: 422,
            nested_agent_errors: true,
            inference_busy_status: 403,
            vpc_members_status: 403,
        }
    }
}

/// What secrets look like, who sees them and where they leak.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secrets {
    /// Every password, and so every URI, that is handed out starts with this canary.
    pub password_prefix: String,
    /// Hides passwords and URIs, as for a token without the scope `database:view_credentials`.
    pub hide_credentials: bool,
    /// What reads of a database user show of its password.
    pub user_passwords: UserPasswords,
    /// A canary at the end of the message of every error.
    pub error_canary: String,
    /// Every error's message repeats the body of its request.
    pub echo_request: bool,
    /// Every error's message repeats the authorization header of its request.
    pub echo_authorization: bool,
}

/// What reads of a database user show of its password. Its creation always shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserPasswords {
    /// The password.
    #[default]
    Shown,
    /// An empty string.
    Empty,
    /// No such field.
    Absent,
}

/// How many 1-Click applications there are of each type, those that a test adds not counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OneClicks {
    /// Those that install on a droplet.
    pub droplet: usize,
    /// Those that install on a Kubernetes cluster.
    pub kubernetes: usize,
}

impl Default for OneClicks {
    fn default() -> Self {
        Self {
            droplet: 180,
            kubernetes: 40,
        }
    }
}

/// Which previews are enabled for the account. The paths of the others answer 403.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Previews {
    /// Managed Agents: `/v2/agents`.
    pub agents: bool,
    /// Signals: `/v1/consent` and `/v1/signals`.
    pub signals: bool,
}

impl Default for Previews {
    fn default() -> Self {
        Self {
            agents: true,
            signals: true,
        }
    }
}

/// How much the account may have.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Functions namespaces.
    pub namespaces: usize,
    /// GPUs of all inference endpoints together.
    pub gpus: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            namespaces: 100,
            gpus: 1000,
        }
    }
}

/// How much of the past is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogLimits {
    /// Entries kept; the oldest go first.
    pub entries: usize,
    /// The largest answer that is kept with its entry, in bytes.
    pub answer_bytes: usize,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self {
            entries: 50_000,
            answer_bytes: 64 << 10,
        }
    }
}

impl Config {
    /// This configuration with the members of `patch` (RFC 7396) put in.
    ///
    /// # Errors
    /// A text that names the wrong member, for people.
    pub(crate) fn patched(&self, patch: &serde_json::Value) -> Result<Self, String> {
        let mut value = serde_json::to_value(self).map_err(|error| error.to_string())?;
        crate::merge::merge(&mut value, patch);
        let mut next: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        next.token.clone_from(&self.token);
        next.seed = self.seed;
        next.port = self.port;
        next.control_port = self.control_port;
        next.valid()?;
        Ok(next)
    }

    /// Says what is wrong with the configuration.
    ///
    /// # Errors
    /// A text that names the wrong member and what would be right.
    pub(crate) fn valid(&self) -> Result<(), String> {
        if !self.speed.is_finite() || self.speed < 0.0 {
            return Err(format!(
                "`speed` is {}; it must be a number from 0",
                self.speed
            ));
        }
        let refusals = &self.refusals;
        let busy: &[u16] = &[403, 409, 412, 422, 423];
        for (name, status, allowed) in [
            ("busy_status", refusals.busy_status, busy),
            ("parallel_user_status", refusals.parallel_user_status, busy),
            (
                "pool_reference_status",
                refusals.pool_reference_status,
                &[404, 422],
            ),
            (
                "inference_busy_status",
                refusals.inference_busy_status,
                &[403, 409],
            ),
            (
                "vpc_members_status",
                refusals.vpc_members_status,
                &[403, 409],
            ),
        ] {
            if !allowed.contains(&status) {
                let allowed: Vec<String> = allowed.iter().map(u16::to_string).collect();
                return Err(format!(
                    "`refusals.{name}` is {status}; it must be one of {}",
                    allowed.join(", ")
                ));
            }
        }
        if self.rate.per_hour == 0 || self.rate.per_minute == 0 {
            return Err("`rate.per_hour` and `rate.per_minute` must be at least 1".into());
        }
        Ok(())
    }
}
