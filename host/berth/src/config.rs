//! The configuration: defaults, then `berth.toml`, then `BERTH_*`, then flags. A wrong key is an error.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ServeFlags;
use crate::log::{LogConfig, say};
use crate::store_config::StoreConfig;

/// Variables with our prefix that are not settings: the command line's own, and the tests'.
const NOT_SETTINGS: [&str; 6] = [
    "CONFIG",
    "TOKEN",
    "URL",
    "BIN",
    "COMPONENTS",
    "TEST_POSTGRES",
];

/// All settings of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Where the database, the master key and the compile cache are kept. Made 0700 if missing.
    pub(crate) data_dir: PathBuf,
    /// Where the API listens.
    pub(crate) listen: SocketAddr,
    /// The root token of the first start; without it one is generated and printed once.
    pub(crate) root_token: Option<String>,
    /// Components to install at the start, and to activate where their plugin has no active one.
    pub(crate) plugins: Vec<PathBuf>,
    /// How long a host that is told to stop waits for what is under way, in milliseconds.
    pub(crate) stop_timeout_ms: u64,
    /// The log.
    pub(crate) log: LogConfig,
    /// Sealed secrets.
    pub(crate) vault: VaultConfig,
    /// The database.
    pub(crate) store: StoreConfig,
    /// Plugins' limits and threads.
    pub(crate) runtime: berth_runtime::RuntimeConfig,
    /// Quotas and the reconciler.
    pub(crate) service: berth_service::Settings,
    /// The HTTP API.
    pub(crate) api: berth_api::ApiSettings,
}

/// Settings of the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct VaultConfig {
    /// Without it no kind with secret outputs is served.
    pub(crate) enabled: bool,
    /// The master key itself, 32 bytes in hex or base64; for orchestrators that pass secrets by environment.
    pub(crate) master_key: Option<String>,
    /// The file with the master key; without it `master.key` in the data directory, made if missing.
    pub(crate) master_key_file: Option<PathBuf>,
    /// Files with keys that were in force before: what they sealed can still be opened.
    pub(crate) previous_key_files: Vec<PathBuf>,
}

impl Default for VaultConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            master_key: None,
            master_key_file: None,
            previous_key_files: Vec::new(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("berth-data"),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7311)),
            root_token: None,
            plugins: Vec::new(),
            stop_timeout_ms: 9_000,
            log: LogConfig::default(),
            vault: VaultConfig::default(),
            store: StoreConfig::default(),
            runtime: berth_runtime::RuntimeConfig::default(),
            service: berth_service::Settings::default(),
            api: berth_api::ApiSettings::default(),
        }
    }
}

/// Reads the configuration in force.
///
/// # Errors
/// When a file can't be read, a key is unknown (its nearest is named), or a value does not fit.
pub(crate) fn load(flags: &ServeFlags) -> anyhow::Result<Config> {
    let mut layers = Figment::from(Serialized::defaults(Config::default()));
    if let Some(file) = file(flags)? {
        layers = layers.merge(Toml::file_exact(file));
    }
    layers = layers.merge(environment());
    if let Some(dir) = &flags.data_dir {
        layers = layers.merge(Serialized::default("dataDir", dir));
    }
    if let Some(listen) = &flags.listen {
        layers = layers.merge(Serialized::default("listen", listen));
    }
    refuse_unknown(&layers)?;
    let config: Config = layers
        .extract()
        .map_err(|error| anyhow::anyhow!("the configuration is wrong: {}", first_fault(error)))?;
    config
        .api
        .check()
        .and_then(|()| config.service.check())
        .and_then(|()| config.store.check())
        .map_err(|text| anyhow::anyhow!("the configuration is wrong: {text}"))?;
    Ok(config)
}

fn file(flags: &ServeFlags) -> anyhow::Result<Option<&Path>> {
    let implied = Path::new("berth.toml");
    match &flags.config {
        Some(file) if !file.is_file() => {
            anyhow::bail!("there is no configuration file {}", file.display())
        }
        Some(file) => Ok(Some(file)),
        None => Ok(implied.is_file().then_some(implied)),
    }
}

/// `BERTH_SERVICE__MAX_PER_KIND` sets `service.maxPerKind`.
fn environment() -> Env {
    Env::prefixed("BERTH_")
        .ignore(&NOT_SETTINGS)
        .map(|key| {
            key.as_str()
                .split("__")
                .map(camel)
                .collect::<Vec<_>>()
                .join(".")
                .into()
        })
        .lowercase(false)
}

fn camel(segment: &str) -> String {
    let mut words = segment.split('_').map(str::to_lowercase);
    let mut whole = words.next().unwrap_or_default();
    for word in words {
        let mut letters = word.chars();
        whole.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        whole.push_str(letters.as_str());
    }
    whole
}

fn refuse_unknown(layers: &Figment) -> anyhow::Result<()> {
    let given: Value = layers
        .extract()
        .context("the configuration can't be read")?;
    let known = serde_json::to_value(Config::default()).context("the defaults do not serialise")?;
    let Some(key) = first_unknown(&given, &known, String::new()) else {
        return Ok(());
    };
    let source = layers.find_metadata(&key).map_or_else(
        || "the configuration".to_owned(),
        |metadata| metadata.name.to_string(),
    );
    let mut all = Vec::new();
    all_keys(&known, String::new(), &mut all);
    let nearest = all
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&candidate, &key), candidate))
        .min()
        .map_or_else(String::new, |(_, candidate)| {
            format!("; did you mean `{candidate}`?")
        });
    anyhow::bail!("unknown key `{key}` in {source}{nearest}")
}

fn join(at: &str, key: &str) -> String {
    if at.is_empty() {
        key.to_owned()
    } else {
        format!("{at}.{key}")
    }
}

fn first_unknown(given: &Value, known: &Value, at: String) -> Option<String> {
    let (Value::Object(given), Value::Object(known)) = (given, known) else {
        return None;
    };
    given.iter().find_map(|(key, value)| match known.get(key) {
        None => Some(join(&at, key)),
        Some(inner) => first_unknown(value, inner, join(&at, key)),
    })
}

fn all_keys(known: &Value, at: String, into: &mut Vec<String>) {
    if let Value::Object(members) = known {
        for (key, member) in members {
            let path = join(&at, key);
            into.push(path.clone());
            all_keys(member, path, into);
        }
    }
}

/// figment's error without the value that it found: it may be a key or a token.
fn first_fault(error: figment::Error) -> String {
    let key = error.path.join(".");
    let source = match &error.metadata {
        Some(metadata) if metadata.name.contains("environment") => {
            format!(" in {}", variable(&error.path))
        }
        Some(metadata) => format!(" in {}", metadata.name),
        None => String::new(),
    };
    let expected = match &error.kind {
        figment::error::Kind::InvalidType(_, expected)
        | figment::error::Kind::InvalidValue(_, expected) => format!("expected {expected}"),
        figment::error::Kind::Message(text) => text.clone(),
        _ => "its value does not fit".to_owned(),
    };
    format!("`{key}`{source}: {expected}")
}

/// `service.maxPerKind` comes from `BERTH_SERVICE__MAX_PER_KIND`.
fn variable(path: &[String]) -> String {
    let words = path.iter().map(|segment| {
        segment.chars().fold(String::new(), |mut word, letter| {
            if letter.is_ascii_uppercase() {
                word.push('_');
            }
            word.push(letter.to_ascii_uppercase());
            word
        })
    });
    format!("BERTH_{}", words.collect::<Vec<_>>().join("__"))
}

/// `berth config`.
///
/// # Errors
/// As [`load`].
pub(crate) fn print(flags: &ServeFlags) -> anyhow::Result<()> {
    let mut config = load(flags)?;
    for secret in [&mut config.root_token, &mut config.vault.master_key] {
        if secret.is_some() {
            *secret = Some("(set)".to_owned());
        }
    }
    say(&serde_json::to_string_pretty(&config).context("the configuration does not serialise")?);
    Ok(())
}

#[cfg(test)]
#[expect(
    clippy::result_large_err,
    reason = "figment's jail takes closures of its own error"
)]
mod tests {
    use super::*;
    use figment::Jail;

    fn loaded(jail: &mut Jail, toml: &str, variables: &[(&str, &str)]) -> anyhow::Result<Config> {
        jail.create_file("berth.toml", toml).unwrap();
        for (key, value) in variables {
            jail.set_env(key, value);
        }
        load(&ServeFlags::default())
    }

    #[test]
    fn nothing_configured_is_the_defaults_on_loopback() {
        Jail::expect_with(|jail| {
            let config = loaded(jail, "", &[]).unwrap();
            assert_eq!(config, Config::default());
            assert!(config.listen.ip().is_loopback());
            Ok(())
        });
    }

    #[test]
    fn variables_beat_the_file_and_flags_beat_both() {
        Jail::expect_with(|jail| {
            let toml = "dataDir = \"a\"\n[service]\nmaxPerKind = 3\n[service.reconcile.timing]\nconverging = 70\n";
            let mut config = loaded(
                jail,
                toml,
                &[
                    ("BERTH_SERVICE__MAX_PER_KIND", "4"),
                    ("BERTH_DATA_DIR", "b"),
                ],
            )
            .unwrap();
            assert_eq!(
                (config.service.max_per_kind, config.data_dir.to_str()),
                (4, Some("b"))
            );
            assert_eq!(config.service.reconcile.timing.converging.0, 70);
            config = load(&ServeFlags {
                data_dir: Some("c".into()),
                ..ServeFlags::default()
            })
            .unwrap();
            assert_eq!(config.data_dir.to_str(), Some("c"));
            Ok(())
        });
    }

    #[test]
    fn a_wrong_key_names_its_place_and_the_nearest_right_one() {
        Jail::expect_with(|jail| {
            let error = loaded(jail, "[service]\nmaxPerKnd = 3\n", &[])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("`service.maxPerKnd`") && error.contains("`service.maxPerKind`"),
                "{error}"
            );
            let error = loaded(jail, "", &[("BERTH_LISTN", "x")])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("`listn`") && error.contains("`listen`"),
                "{error}"
            );
            Ok(())
        });
    }

    #[test]
    fn a_setting_that_cannot_work_says_what_would() {
        Jail::expect_with(|jail| {
            let error = loaded(jail, "[api]\nconcurrency = 0\n", &[])
                .unwrap_err()
                .to_string();
            assert!(error.contains("`api.concurrency` is 0; 1 to"), "{error}");
            let error = loaded(jail, "", &[("BERTH_SERVICE__RECONCILE__LEASE", "0")])
                .unwrap_err()
                .to_string();
            assert!(error.contains("`service.reconcile.lease` is 0"), "{error}");
            Ok(())
        });
    }

    #[test]
    fn a_wrong_variable_is_named_as_it_is_written() {
        Jail::expect_with(|jail| {
            let error = loaded(jail, "", &[("BERTH_SERVICE__MAX_PER_KIND", "many")])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("BERTH_SERVICE__MAX_PER_KIND") && !error.contains("many"),
                "{error}"
            );
            Ok(())
        });
    }

    #[test]
    fn a_wrong_value_is_named_but_not_shown() {
        Jail::expect_with(|jail| {
            let error = loaded(jail, "[vault]\nmasterKey = [\"hunter2\"]\n", &[])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("vault.masterKey") && !error.contains("hunter2"),
                "{error}"
            );
            Ok(())
        });
    }
}
