//! The calls, one method for each function of the interface.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_domain::manifest::Binding;
use berth_domain::provider::{
    AccountView, Application, Checked, InstallsOn, Observation, Operation, Page, ParentView,
    Signal, Wanted,
};
use berth_domain::spec::Spec;
use wasmtime::Store;

use super::Runtime;
use super::errand::Errand;
use crate::bindings::Provider;
use crate::bindings::berth::provider::types as wit;
use crate::call::{Call, CallFailure, CallState, Outcome};
use crate::convert;
use crate::load::Generation;

/// Calls one function of the adapter with owned arguments, in a store that ends with the call.
macro_rules! entry {
    ($function:ident $(, $argument:expr)*) => {
        move |provider: Provider, mut store: Store<CallState>| async move {
            provider.berth_provider_adapter().$function(&mut store $(, $argument)*).await
        }
    };
}

impl Runtime {
    /// Judges a spec beyond its schema. Sends nothing.
    ///
    /// # Errors
    /// What the plugin refuses, or why it could not be asked.
    pub async fn check(
        &self,
        generation: &Arc<Generation>,
        account: &AccountView,
        kind: &str,
        spec: &Spec,
        parent_kind: Option<&str>,
    ) -> Result<Checked, CallFailure> {
        let declared = self.kind(generation, kind)?;
        let (account, id, text) = (convert::account(account), kind.to_owned(), to_text(spec));
        let parent_kind = parent_kind.map(str::to_owned);
        let answer = self
            .pure(
                generation,
                "check",
                kind,
                entry!(call_check, &account, &id, &text, parent_kind.as_deref()),
            )
            .await?;
        convert::checked(answer, spec, declared, generation)
    }

    /// Turns a spec that another version of the plugin accepted into one of this version.
    ///
    /// # Errors
    /// What the plugin refuses, or why it could not be asked.
    pub async fn upgrade_spec(
        &self,
        generation: &Arc<Generation>,
        kind: &str,
        from_version: &str,
        spec: &Spec,
    ) -> Result<Spec, CallFailure> {
        self.kind(generation, kind)?;
        let (id, from, text) = (kind.to_owned(), from_version.to_owned(), to_text(spec));
        let answer = self
            .pure(
                generation,
                "upgrade-spec",
                kind,
                entry!(call_upgrade_spec, &id, &from, &text),
            )
            .await?;
        convert::spec_object(&answer)
    }

    /// Looks for the object of a row whose provider id is not known.
    pub async fn find(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        wanted: Wanted,
    ) -> Outcome<Option<Observation>> {
        let (account, resource) = (convert::account(&call.account), convert::resource(&wanted));
        let errand = self.about(generation, Operation::Find, call, &wanted);
        let run = self
            .run(&errand, entry!(call_find, &account, &resource))
            .await;
        self.conclude(&errand, run, |seen, errand, findings| {
            seen.map(|seen| self.observed(seen, errand, findings, &wanted))
                .transpose()
        })
    }

    /// Reads the object of a row.
    pub async fn observe(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        wanted: Wanted,
    ) -> Outcome<Observation> {
        let (account, resource) = (convert::account(&call.account), convert::resource(&wanted));
        let errand = self.about(generation, Operation::Observe, call, &wanted);
        let run = self
            .run(&errand, entry!(call_observe, &account, &resource))
            .await;
        self.conclude(&errand, run, |seen, errand, findings| {
            self.observed(seen, errand, findings, &wanted)
        })
    }

    /// Asks for a new object.
    pub async fn create(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        wanted: Wanted,
    ) -> Outcome<Observation> {
        let (account, resource) = (convert::account(&call.account), convert::resource(&wanted));
        let errand = self.about(generation, Operation::Create, call, &wanted);
        let run = self
            .run(&errand, entry!(call_create, &account, &resource))
            .await;
        self.conclude(&errand, run, |seen, errand, findings| {
            self.observed(seen, errand, findings, &wanted)
        })
    }

    /// Applies these top-level fields of the wanted spec.
    pub async fn update(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        wanted: Wanted,
        fields: Vec<String>,
    ) -> Outcome<Observation> {
        let (account, resource) = (convert::account(&call.account), convert::resource(&wanted));
        let errand = self.about(generation, Operation::Update, call, &wanted);
        let run = self
            .run(&errand, entry!(call_update, &account, &resource, &fields))
            .await;
        self.conclude(&errand, run, |seen, errand, findings| {
            self.observed(seen, errand, findings, &wanted)
        })
    }

    /// Asks for the deletion of an object that was proven ours in this run.
    pub async fn delete(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        wanted: Wanted,
    ) -> Outcome<()> {
        let (account, resource) = (convert::account(&call.account), convert::resource(&wanted));
        let errand = self.about(generation, Operation::Delete, call, &wanted);
        let run = self
            .run(&errand, entry!(call_delete, &account, &resource))
            .await;
        self.conclude(&errand, run, |(), _, _| Ok(()))
    }

    /// Writes the ownership labels.
    pub async fn label(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        wanted: Wanted,
    ) -> Outcome<Observation> {
        let (account, resource) = (convert::account(&call.account), convert::resource(&wanted));
        let errand = self.about(generation, Operation::Label, call, &wanted);
        let run = self
            .run(&errand, entry!(call_label, &account, &resource))
            .await;
        self.conclude(&errand, run, |seen, errand, findings| {
            self.observed(seen, errand, findings, &wanted)
        })
    }

    /// Removes the ownership labels.
    pub async fn unlabel(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        wanted: Wanted,
    ) -> Outcome<()> {
        let (account, resource) = (convert::account(&call.account), convert::resource(&wanted));
        let errand = self.about(generation, Operation::Unlabel, call, &wanted);
        let run = self
            .run(&errand, entry!(call_unlabel, &account, &resource))
            .await;
        self.conclude(&errand, run, |(), _, _| Ok(()))
    }

    /// One page of a kind's objects, foreign ones too.
    pub async fn list(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        kind: &str,
        parent: Option<&ParentView>,
        cursor: Option<String>,
    ) -> Outcome<Page> {
        let (account, id) = (convert::account(&call.account), kind.to_owned());
        let within = parent.map(convert::parent);
        let errand = Errand {
            generation: generation.clone(),
            kind: Some(kind.to_owned()),
            operation: Operation::List,
            call,
            binding: Binding {
                parent: parent.map(|parent| parent.provider_id.clone()),
                ..Binding::default()
            },
            references: BTreeSet::new(),
        };
        let run = self
            .run(
                &errand,
                entry!(call_list, &account, &id, within.as_ref(), cursor.as_deref()),
            )
            .await;
        self.conclude(&errand, run, |page, errand, findings| {
            convert::page(page, &self.expectation(errand, findings, None, None)?)
        })
    }

    /// Applications that can be installed; malformed ones are dropped.
    pub async fn catalog(
        &self,
        generation: &Arc<Generation>,
        call: Call,
        installs_on: Option<InstallsOn>,
    ) -> Outcome<Vec<Application>> {
        let account = convert::account(&call.account);
        let filter = installs_on.map(|installs_on| match installs_on {
            InstallsOn::Instance => wit::InstallsOn::Instance,
            InstallsOn::Kubernetes => wit::InstallsOn::Kubernetes,
        });
        let errand = Self::about_account(generation, Operation::Catalog, call);
        let run = self
            .run(&errand, entry!(call_catalog, &account, filter))
            .await;
        self.conclude(&errand, run, |found, errand, findings| {
            Ok(convert::applications(
                found,
                &errand.generation,
                &findings.everything(),
                self.stage.limits.applications,
            ))
        })
    }

    /// Signals about the account's resources, newest first; malformed ones are dropped.
    pub async fn signals(&self, generation: &Arc<Generation>, call: Call) -> Outcome<Vec<Signal>> {
        let account = convert::account(&call.account);
        let errand = Self::about_account(generation, Operation::Signals, call);
        let run = self.run(&errand, entry!(call_signals, &account)).await;
        self.conclude(&errand, run, |found, errand, findings| {
            Ok(convert::signals(
                found,
                &errand.generation,
                &findings.everything(),
                self.stage.ports.clock.now(),
                self.stage.limits.signals,
            ))
        })
    }
}

fn to_text(spec: &Spec) -> String {
    // A map of JSON values can always be written.
    serde_json::to_string(spec).unwrap_or_default()
}
