//! What a kind is given in a call.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answers::unusable;
use crate::host::Host;
use crate::json;
use crate::types::{Account, Error, Label, Level, Linked, Parent, Resource};

/// One call about one object: the account, the object as the tenant wants it, and the host.
pub struct Call<'a, S> {
    pub(crate) host: &'a dyn Host,
    pub(crate) account: &'a Account,
    pub(crate) wanted: &'a Resource,
    pub(crate) spec: S,
}

impl<'a, S> Call<'a, S> {
    /// The host, to make an [`crate::http::Api`] of.
    pub fn host(&self) -> &'a dyn Host {
        self.host
    }

    /// The log of the run.
    pub fn log(&self) -> Log<'a> {
        Log(self.host)
    }

    /// The time of the run, milliseconds since the Unix epoch.
    pub fn now(&self) -> u64 {
        self.host.now()
    }

    /// The provider account that the object lives on.
    pub fn account(&self) -> &'a Account {
        self.account
    }

    /// The host's id of the object, `crs_…`.
    pub fn id(&self) -> &'a str {
        &self.wanted.id
    }

    /// What the object is called at the provider.
    pub fn name(&self) -> &'a str {
        &self.wanted.name
    }

    /// The spec, in the kind's own type.
    pub fn spec(&self) -> &S {
        &self.spec
    }

    /// The ownership labels to write.
    pub fn labels(&self) -> &'a [Label] {
        &self.wanted.labels
    }

    /// The provider's id of the object. An error before the provider accepted it.
    pub fn provider_id(&self) -> Result<&'a str, Error> {
        self.wanted.provider_id.as_deref().ok_or_else(|| {
            Error::Failed("the call needs the object's provider id and has none".to_owned())
        })
    }

    /// The parent that the object lives in. An error for a kind without one.
    pub fn parent(&self) -> Result<&'a Parent, Error> {
        self.wanted.parent.as_ref().ok_or_else(|| {
            Error::Failed("the call needs the object's parent and has none".to_owned())
        })
    }

    /// The tenant's instances that the spec names, resolved.
    pub fn instances(&self) -> &'a [Linked] {
        &self.wanted.instances
    }

    /// The tenant's networks that the spec names, resolved.
    pub fn networks(&self) -> &'a [Linked] {
        &self.wanted.networks
    }

    /// What this kind returned as memo last time. One that another version wrote and this one can't
    /// read is as good as none.
    pub fn memo<M: DeserializeOwned>(&self) -> Option<M> {
        serde_json::from_str(self.wanted.memo.as_deref()?).ok()
    }

    /// A top-level field of the spec as the tenant wrote it.
    pub fn spec_field(&self, name: &str) -> Option<Value> {
        let mut spec: serde_json::Map<String, Value> =
            serde_json::from_str(&self.wanted.spec).ok()?;
        spec.remove(name)
    }
}

/// A spec to judge: pure, no host.
pub struct Check<'a, S> {
    /// The account that the object would live on.
    pub account: &'a Account,
    /// The kind of its parent, for a kind that has one.
    pub parent_kind: Option<&'a str>,
    /// The spec, in the kind's own type.
    pub spec: S,
}

/// A page of a list to read.
pub struct Listing<'a> {
    pub(crate) host: &'a dyn Host,
    /// The account to list.
    pub account: &'a Account,
    pub(crate) parent: Option<&'a Parent>,
    /// What the page before gave as `next`.
    pub cursor: Option<&'a str>,
}

impl<'a> Listing<'a> {
    /// The host, to make an [`crate::http::Api`] of.
    pub fn host(&self) -> &'a dyn Host {
        self.host
    }

    /// The parent to list in.
    pub fn parent(&self) -> Result<&'a Parent, Error> {
        self.parent
            .ok_or_else(|| Error::Failed("the list needs a parent and has none".to_owned()))
    }
}

/// Structured log lines, held by the host until the run ends.
#[derive(Clone, Copy)]
pub struct Log<'a>(pub(crate) &'a dyn Host);

impl Log<'_> {
    /// For whoever follows one run in detail.
    pub fn debug(self, message: &str, fields: &[(&str, &str)]) {
        self.0.log(Level::Debug, message, fields);
    }

    /// What an operator reads to understand what happened.
    pub fn info(self, message: &str, fields: &[(&str, &str)]) {
        self.0.log(Level::Info, message, fields);
    }

    /// What an operator should look at.
    pub fn warn(self, message: &str, fields: &[(&str, &str)]) {
        self.0.log(Level::Warn, message, fields);
    }
}

/// Reads a spec into the kind's type; an error names the field.
pub(crate) fn parse_spec<S: DeserializeOwned>(spec: &str) -> Result<S, Error> {
    json::read(spec.as_bytes()).map_err(|misfit| unusable(&misfit))
}
