//! A plugin's tests, natively: no wasm, no network, no waiting.
//!
//! A [`TestHost`] plays the host to a [`Provider`]. It answers requests from a script, keeps the
//! time, collects the log, and holds the plugin to its own manifest as the real host does: a request
//! that no declared template allows, a secret in a plain place, an output that is not declared fail
//! the test. What it can't judge (a spec's schema, an id's pattern) the real host judges on install.

#![expect(
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a failed expectation of a test is a panic; every method here may be one"
)]

mod exchange;
mod gate;
mod judge;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::marker::PhantomData;

use serde_json::Value;

pub use exchange::{Exchange, exchange};

use crate::host::Host;
use crate::provider::{Provider, kind, manifest};
use crate::types::{
    self, Account, Application, Checked, Error, HttpError, InstallsOn, Label, Level, Manifest,
    Observation, Operation, Page, Parent, Request, Resource, Response, Signal,
};

/// The host's stand-in.
pub struct TestHost<P> {
    manifest: Manifest,
    account: Account,
    script: RefCell<VecDeque<Exchange>>,
    log: RefCell<Vec<String>>,
    now: Cell<u64>,
    running: RefCell<Option<gate::Running>>,
    provider: PhantomData<P>,
}

/// The time at which a [`TestHost`] starts: 2026-01-01T00:00:00Z.
pub const START: u64 = 1_767_225_600_000;

/// An object that a tenant wants: no provider id, no parent, no memo yet, and three ownership labels.
/// Its fields are there to be changed.
pub fn wanted(kind: &str, spec: &Value) -> Resource {
    let id = "crs_0123456789abcdefghjkmnpqrs";
    let label = |key: &str, value: &str| Label {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    Resource {
        id: id.to_owned(),
        kind: kind.to_owned(),
        name: "bc-r-0123456789abcdefghjkmnpq".to_owned(),
        spec: spec.to_string(),
        labels: vec![
            label("better-compute-managed", "dep-1"),
            label("better-compute-resource", id),
            label("better-compute-tenant", "acme"),
        ],
        provider_id: None,
        parent: None,
        instances: Vec::new(),
        networks: Vec::new(),
        memo: None,
    }
}

/// Keeps of an observation what the host would: provider id and memo.
pub fn remember(wanted: &mut Resource, observation: &Observation) {
    wanted.provider_id = Some(observation.provider_id.clone());
    wanted.memo.clone_from(&observation.memo);
}

/// A secret output by its name.
pub fn secret<'a>(observation: &'a Observation, name: &str) -> Option<&'a str> {
    observation
        .secret_outputs
        .iter()
        .find(|output| output.name == name)
        .map(|output| output.value.as_str())
}

/// A JSON text of the interface as a value.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
}

impl<P: Provider> Default for TestHost<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Provider> TestHost<P> {
    /// A host with an empty script and an account that no one shares.
    pub fn new() -> Self {
        Self {
            manifest: manifest::<P>(),
            account: Account {
                id: "acc_test".to_owned(),
                shared: false,
                previews: false,
                regions: Vec::new(),
            },
            script: RefCell::default(),
            log: RefCell::default(),
            now: Cell::new(START),
            running: RefCell::default(),
            provider: PhantomData,
        }
    }

    /// The account is one that other tenants share.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.account.shared = true;
        self
    }

    /// The operator said that the account takes part in previews.
    #[must_use]
    pub fn with_previews(mut self) -> Self {
        self.account.previews = true;
        self
    }

    /// Adds exchanges to the script. They happen in this order, and all of them must.
    pub fn expect<const N: usize>(&self, exchanges: [Exchange; N]) {
        self.script.borrow_mut().extend(exchanges);
    }

    /// Lets time pass.
    pub fn wait(&self, milliseconds: u64) {
        self.now.set(self.now.get() + milliseconds);
    }

    /// The lines that the plugin logged so far.
    pub fn log(&self) -> Vec<String> {
        self.log.borrow().clone()
    }

    /// The whole manifest.
    pub fn describe(&self) -> Manifest {
        self.manifest.clone()
    }

    /// Judges a spec.
    pub fn check(
        &self,
        kind_id: &str,
        spec: &Value,
        parent_kind: Option<&str>,
    ) -> Result<Checked, Error> {
        kind::<P>(kind_id)?.check(&self.account, &spec.to_string(), parent_kind)
    }

    /// Looks for the object.
    pub fn find(&self, wanted: &Resource) -> Result<Option<Observation>, Error> {
        self.run(Operation::Find, wanted, || {
            kind::<P>(&wanted.kind)?.find(self, &self.account, wanted)
        })
        .inspect(|found| {
            if let Some(observation) = found {
                judge::observation(self.kind(&wanted.kind), observation);
            }
        })
    }

    /// Reads the object.
    pub fn observe(&self, wanted: &Resource) -> Result<Observation, Error> {
        self.observation(Operation::Observe, wanted, || {
            kind::<P>(&wanted.kind)?.observe(self, &self.account, wanted)
        })
    }

    /// Creates the object.
    pub fn create(&self, wanted: &Resource) -> Result<Observation, Error> {
        self.observation(Operation::Create, wanted, || {
            kind::<P>(&wanted.kind)?.create(self, &self.account, wanted)
        })
    }

    /// Applies fields.
    pub fn update(&self, wanted: &Resource, fields: &[&str]) -> Result<Observation, Error> {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        self.observation(Operation::Update, wanted, || {
            kind::<P>(&wanted.kind)?.update(self, &self.account, wanted, &fields)
        })
    }

    /// Deletes the object.
    pub fn delete(&self, wanted: &Resource) -> Result<(), Error> {
        self.run(Operation::Delete, wanted, || {
            kind::<P>(&wanted.kind)?.delete(self, &self.account, wanted)
        })
    }

    /// Writes the labels.
    pub fn label(&self, wanted: &Resource) -> Result<Observation, Error> {
        self.observation(Operation::Label, wanted, || {
            kind::<P>(&wanted.kind)?.label(self, &self.account, wanted)
        })
    }

    /// Removes the labels.
    pub fn unlabel(&self, wanted: &Resource) -> Result<(), Error> {
        self.run(Operation::Unlabel, wanted, || {
            kind::<P>(&wanted.kind)?.unlabel(self, &self.account, wanted)
        })
    }

    /// Reads a page of the kind's objects.
    pub fn list(
        &self,
        kind_id: &str,
        parent: Option<&Parent>,
        cursor: Option<&str>,
    ) -> Result<Page, Error> {
        self.begin(gate::Running {
            kind: Some(kind_id.to_owned()),
            parent_id: parent.map(|parent| parent.provider_id.clone()),
            ..gate::Running::about_account(Operation::List)
        });
        let page = kind::<P>(kind_id)?.list(self, &self.account, parent, cursor);
        self.end();
        page.inspect(|page| {
            for item in &page.items {
                judge::listed(self.kind(kind_id), item);
            }
        })
    }

    /// Reads the applications that can be installed.
    pub fn catalog(&self, installs_on: Option<InstallsOn>) -> Result<Vec<Application>, Error> {
        self.begin(gate::Running::about_account(Operation::Catalog));
        let applications = P::catalog(self, &self.account, installs_on);
        self.end();
        applications.inspect(|applications| judge::applications(applications))
    }

    /// Reads the account's signals.
    pub fn signals(&self) -> Result<Vec<Signal>, Error> {
        self.begin(gate::Running::about_account(Operation::Signals));
        let signals = P::signals(self, &self.account);
        self.end();
        signals.inspect(|signals| judge::signals(&self.manifest, signals))
    }

    fn kind(&self, id: &str) -> &types::Kind {
        self.manifest
            .kinds
            .iter()
            .find(|kind| kind.id == id)
            .unwrap_or_else(|| panic!("the manifest has no kind {id}"))
    }

    fn observation(
        &self,
        operation: Operation,
        wanted: &Resource,
        call: impl FnOnce() -> Result<Observation, Error>,
    ) -> Result<Observation, Error> {
        self.run(operation, wanted, call)
            .inspect(|observation| judge::observation(self.kind(&wanted.kind), observation))
    }

    fn run<T>(
        &self,
        operation: Operation,
        wanted: &Resource,
        call: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.begin(gate::Running {
            operation,
            kind: Some(wanted.kind.clone()),
            provider_id: wanted.provider_id.clone(),
            parent_id: wanted
                .parent
                .as_ref()
                .map(|parent| parent.provider_id.clone()),
            name: Some(wanted.name.clone()),
        });
        let outcome = call();
        self.end();
        outcome
    }

    fn begin(&self, running: gate::Running) {
        self.running.replace(Some(running));
    }

    fn end(&self) {
        self.running.replace(None);
        let left = self.script.borrow();
        if let Some(next) = left.front() {
            panic!(
                "{} more requests were expected, the next: {next}",
                left.len()
            );
        }
    }
}

impl<P: Provider> Host for TestHost<P> {
    fn send(&self, request: &Request) -> Result<Response, HttpError> {
        let running = self.running.borrow();
        let Some(running) = running.as_ref() else {
            panic!("{} {} outside of a call", request.method, request.url);
        };
        let secrets = gate::admit(&self.manifest, running, request);
        let Some(expected) = self.script.borrow_mut().pop_front() else {
            panic!(
                "nothing was expected, but the plugin sent {}",
                exchange::shown(request)
            );
        };
        expected.meet(&self.manifest, request).map(|mut response| {
            gate::blank(&mut response, &secrets);
            response
        })
    }

    fn log(&self, level: Level, message: &str, fields: &[(&str, &str)]) {
        let fields: String = fields
            .iter()
            .map(|(key, value)| format!(" {key}={value}"))
            .collect();
        self.log
            .borrow_mut()
            .push(format!("{level:?} {message}{fields}"));
    }

    fn now(&self) -> u64 {
        self.now.get()
    }

    fn random(&self, len: u32) -> Vec<u8> {
        // Tests are the same every time.
        (0..len).map(|index| (index % 251) as u8).collect()
    }
}
