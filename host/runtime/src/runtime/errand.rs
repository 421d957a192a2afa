//! How a call is made: what it is granted, and what its answer comes to.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use berth_domain::manifest::{Binding, Kind};
use berth_domain::provider::{Observation, Operation, ProviderError, Wanted};
use berth_domain::secret::SecretRef;
use berth_domain::spec::Mark;
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
pub(super) struct Errand {
    pub(super) generation: Arc<Generation>,
    pub(super) kind: Option<String>,
    pub(super) operation: Operation,
    pub(super) call: Call,
    pub(super) binding: Binding,
    pub(super) references: BTreeSet<SecretRef>,
}

/// What a call through the egress came to.
pub(super) struct Run<T> {
    answer: Result<Result<T, wit::Error>, CallFailure>,
    findings: Arc<Findings>,
    log: Sink,
}

impl Runtime {
    pub(super) fn kind<'g>(
        &self,
        generation: &'g Generation,
        kind: &str,
    ) -> Result<&'g Kind, CallFailure> {
        generation.kind(kind).ok_or_else(|| {
            CallFailure::Unserved(format!(
                "generation {} of plugin `{}` has no kind `{kind}`",
                generation.manifest().version,
                generation.manifest().provider
            ))
        })
    }

    pub(super) fn about(
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

    pub(super) fn about_account(
        generation: &Arc<Generation>,
        operation: Operation,
        call: Call,
    ) -> Errand {
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
    pub(super) async fn pure<T, F, Fut>(
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

    pub(super) async fn run<T, F, Fut>(&self, errand: &Errand, entry: F) -> Run<T>
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

    pub(super) fn conclude<T, R>(
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
                Err(CallFailure::Host(fault.to_owned()))
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
        findings.publish_causes(&scope);
        Outcome {
            result,
            wrote: findings.wrote(),
            lost: findings.lost(),
        }
    }

    pub(super) fn expectation<'a>(
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

    pub(super) fn observed(
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
