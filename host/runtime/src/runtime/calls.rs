//! The calls, one method for each function of the interface.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use berth_domain::manifest::{Binding, Kind};
use berth_domain::provider::{
    AccountView, Application, Checked, InstallsOn, Observation, Operation, Page, ParentView,
    ProviderError, Signal, Wanted,
};
use berth_domain::secret::SecretRef;
use berth_domain::spec::{Mark, Spec};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use wasmtime::Store;

use super::Runtime;
use crate::bindings::Provider;
use crate::bindings::berth::provider::types as wit;
use crate::call::{
    Call, CallFailure, CallScope, CallState, Findings, Granted, HeldLog, Outcome, Sink, Speaker,
};
use crate::convert;
use crate::egress::Egress;
use crate::load::Generation;

/// One call in the making.
struct Errand {
    generation: Arc<Generation>,
    kind: Option<String>,
    operation: Operation,
    call: Call,
    binding: Binding,
    references: BTreeSet<SecretRef>,
}

/// What a call through the egress came to.
struct Run<T> {
    answer: Result<Result<T, wit::Error>, CallFailure>,
    findings: Arc<Findings>,
    log: Sink,
}

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

    /// Applications that can be installed.
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
        self.conclude(&errand, run, |found, _, findings| {
            Ok(convert::applications(found, &findings.everything()))
        })
    }

    /// Signals about the account's resources.
    pub async fn signals(&self, generation: &Arc<Generation>, call: Call) -> Outcome<Vec<Signal>> {
        let account = convert::account(&call.account);
        let errand = Self::about_account(generation, Operation::Signals, call);
        let run = self.run(&errand, entry!(call_signals, &account)).await;
        self.conclude(&errand, run, |found, errand, findings| {
            Ok(convert::signals(
                found,
                &errand.generation,
                &findings.everything(),
            ))
        })
    }

    fn kind<'g>(&self, generation: &'g Generation, kind: &str) -> Result<&'g Kind, CallFailure> {
        generation.kind(kind).ok_or_else(|| {
            CallFailure::Unserved(format!(
                "generation {} of plugin `{}` has no kind `{kind}`",
                generation.manifest().version,
                generation.manifest().provider
            ))
        })
    }

    fn about(
        &self,
        generation: &Arc<Generation>,
        operation: Operation,
        call: Call,
        wanted: &Wanted,
    ) -> Errand {
        let marked = generation
            .schema(&wanted.kind)
            .map(|schema| schema.marked(&wanted.spec, Mark::Secret))
            .unwrap_or_default();
        Errand {
            generation: generation.clone(),
            kind: Some(wanted.kind.clone()),
            operation,
            call,
            binding: Binding {
                id: wanted.provider_id.clone(),
                parent: wanted
                    .parent
                    .as_ref()
                    .map(|parent| parent.provider_id.clone()),
                name: Some(wanted.name.clone()),
            },
            references: marked
                .into_iter()
                .filter_map(|(_, value)| value.as_str()?.parse().ok())
                .collect(),
        }
    }

    fn about_account(generation: &Arc<Generation>, operation: Operation, call: Call) -> Errand {
        Errand {
            generation: generation.clone(),
            kind: None,
            operation,
            call,
            binding: Binding::default(),
            references: BTreeSet::new(),
        }
    }

    /// A call without http, its errors without anything to redact but what it was given.
    async fn pure<T, F, Fut>(
        &self,
        generation: &Arc<Generation>,
        function: &'static str,
        kind: &str,
        entry: F,
    ) -> Result<T, CallFailure>
    where
        T: Send + 'static,
        F: FnOnce(Provider, Store<CallState>) -> Fut + Send + 'static,
        Fut: Future<Output = wasmtime::Result<Result<T, wit::Error>>> + Send,
    {
        let granted = self.pure_grant();
        let log = granted.log.clone();
        let answer = self
            .stage
            .run(generation.share(), generation.pre().clone(), granted, entry)
            .await;
        // No secret reached the plugin, so none can be in what it says.
        let nothing = Findings::default().everything();
        let speaker = Speaker {
            plugin: &generation.manifest().provider,
            generation: generation.digest().as_str(),
            function,
            kind: Some(kind),
            scope: None,
        };
        HeldLog::publish(&log, &nothing, &speaker);
        answer?.map_err(|error| CallFailure::Provider(convert::provider_error(error, &nothing)))
    }

    async fn run<T, F, Fut>(&self, errand: &Errand, entry: F) -> Run<T>
    where
        T: Send + 'static,
        F: FnOnce(Provider, Store<CallState>) -> Fut + Send + 'static,
        Fut: Future<Output = wasmtime::Result<Result<T, wit::Error>>> + Send,
    {
        let findings = Arc::new(Findings::default());
        let limits = &self.stage.limits;
        let log = HeldLog::sink(limits.log_bytes, limits.log_lines);
        if let Some(Err(failure)) = errand
            .kind
            .as_deref()
            .map(|kind| self.kind(&errand.generation, kind))
        {
            return Run {
                answer: Err(failure),
                findings,
                log,
            };
        }
        let wall = Duration::from_millis(limits.wall_ms);
        let egress = Egress {
            generation: errand.generation.clone(),
            grant: errand.call.grant.clone(),
            scope: scope(errand),
            binding: errand.binding.clone(),
            references: errand.references.clone(),
            findings: findings.clone(),
            ports: self.stage.ports.clone(),
            limits: limits.clone(),
            io: self.io.clone(),
            // Waiting for a slot counts too, so that a request never outlives its call.
            deadline: Instant::now() + wall,
            requests: AtomicU32::new(0),
            opened: OnceCell::new(),
        };
        let granted = Granted {
            http: Some(Arc::new(egress)),
            log: log.clone(),
            wall: (wall, "wallMs"),
        };
        let answer = self
            .stage
            .run(
                errand.generation.share(),
                errand.generation.pre().clone(),
                granted,
                entry,
            )
            .await;
        Run {
            answer,
            findings,
            log,
        }
    }

    fn conclude<T, R>(
        &self,
        errand: &Errand,
        run: Run<T>,
        read: impl FnOnce(T, &Errand, &Findings) -> Result<R, CallFailure>,
    ) -> Outcome<R> {
        let findings = &run.findings;
        let result = match run.answer {
            Ok(Ok(answer)) => read(answer, errand, findings),
            Ok(Err(error)) => Err(convert::provider_error(error, &findings.everything()).into()),
            Err(CallFailure::Trap { summary }) => Err(CallFailure::Trap {
                summary: findings.everything().scrub_text(&summary).into_owned(),
            }),
            Err(failure) => Err(failure),
        };
        // What the host failed to do must not be told as the provider's doing.
        let result = match (result, findings.host_fault()) {
            (Err(CallFailure::Provider(error)), Some(fault))
                if !matches!(error, ProviderError::Ambiguous(_)) =>
            {
                Err(CallFailure::Host(fault))
            }
            (result, _) => result,
        };
        // Only now are all secrets known that a line could hold.
        let scope = scope(errand);
        let speaker = Speaker {
            plugin: &errand.generation.manifest().provider,
            generation: &scope.generation,
            function: errand.operation.as_str(),
            kind: errand.kind.as_deref(),
            scope: Some(&scope),
        };
        HeldLog::publish(&run.log, &findings.everything(), &speaker);
        Outcome {
            result,
            wrote: findings.wrote(),
            lost: findings.lost(),
        }
    }

    fn expectation<'a>(
        &self,
        errand: &'a Errand,
        findings: &'a Findings,
        id: Option<&'a str>,
        name: Option<&'a str>,
    ) -> Result<convert::Expectation<'a>, CallFailure> {
        let generation: &Generation = &errand.generation;
        Ok(convert::Expectation {
            generation,
            kind: self.kind(generation, errand.kind.as_deref().unwrap_or_default())?,
            operation: errand.operation,
            id,
            name,
            findings,
            memo_bytes: self.stage.limits.memo_bytes,
        })
    }

    fn observed(
        &self,
        seen: wit::Observation,
        errand: &Errand,
        findings: &Findings,
        wanted: &Wanted,
    ) -> Result<Observation, CallFailure> {
        convert::observation(
            seen,
            &self.expectation(
                errand,
                findings,
                wanted.provider_id.as_deref(),
                Some(&wanted.name),
            )?,
        )
    }
}

fn scope(errand: &Errand) -> CallScope {
    let call = &errand.call;
    CallScope {
        account: call.account.id.clone(),
        tenant: call.tenant.clone(),
        resource: call.resource.clone(),
        run: call.run.clone(),
        request: call.request.clone(),
        lease: call.lease,
        priority: call.priority,
        operation: errand.operation,
        kind: errand.kind.clone(),
        generation: errand.generation.digest().to_string(),
    }
}

fn to_text(spec: &Spec) -> String {
    // A map of JSON values can always be written.
    serde_json::to_string(spec).unwrap_or_default()
}
