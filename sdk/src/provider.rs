//! A provider: what it says of itself, and its kinds.

use serde_json::Value;

use crate::answers::unsupported;
use crate::host::Host;
use crate::kind::{AnyKind, Kinds};
use crate::types::{
    Account, Application, CredentialType, Endpoint, Error, InstallsOn, Manifest, Signal,
    SignalSupport,
};

/// The head of the manifest.
#[derive(Debug, Clone)]
pub struct About {
    /// Short name, `[a-z][a-z0-9]{0,15}`; every kind starts with it and a dot.
    pub provider: &'static str,
    /// The plugin's own version, semver.
    pub version: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// Where requests may go.
    pub endpoints: Vec<Endpoint>,
    /// How the host authenticates there.
    pub credential: CredentialType,
    /// [`Provider::catalog`] is implemented.
    pub has_catalog: bool,
    /// [`Provider::signals`] is implemented.
    pub signals: Option<SignalSupport>,
}

/// A provider plugin.
pub trait Provider {
    /// What the plugin is.
    fn about() -> About;

    /// The kinds that it serves.
    fn kinds() -> Kinds;

    /// Applications that can be installed.
    fn catalog(
        host: &dyn Host,
        account: &Account,
        installs_on: Option<InstallsOn>,
    ) -> Result<Vec<Application>, Error> {
        let _ = (host, account, installs_on);
        Err(unsupported("have a catalog"))
    }

    /// Signals about the account's resources.
    fn signals(host: &dyn Host, account: &Account) -> Result<Vec<Signal>, Error> {
        let _ = (host, account);
        Err(unsupported("raise signals"))
    }

    /// Turns a spec that another version accepted into one of this version. By default they are alike.
    fn upgrade_spec(kind: &str, from_version: &str, spec: Value) -> Result<Value, Error> {
        let _ = (kind, from_version);
        Ok(spec)
    }
}

/// The whole manifest of a provider.
pub(crate) fn manifest<P: Provider>() -> Manifest {
    let about = P::about();
    Manifest {
        provider: about.provider.to_owned(),
        version: about.version.to_owned(),
        title: about.title.to_owned(),
        endpoints: about.endpoints,
        credential: about.credential,
        kinds: P::kinds().into_iter().map(AnyKind::describe).collect(),
        has_catalog: about.has_catalog,
        signals: about.signals,
    }
}

/// The kind of that id.
pub(crate) fn kind<P: Provider>(id: &str) -> Result<&'static dyn AnyKind, Error> {
    P::kinds()
        .into_iter()
        .find(|kind| kind.id() == id)
        .ok_or_else(|| Error::Unsupported(format!("this plugin has no kind {id}")))
}
