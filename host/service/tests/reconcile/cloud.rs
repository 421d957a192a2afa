//! A provider in memory. It behaves unless a test tells it otherwise.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use berth_domain::id::EntryId;
use berth_domain::label::{self, Label};
use berth_domain::provider::{
    Observation, Page, ParentView, Phase, ProviderError, SecretOutput, Wanted,
};
use berth_domain::resource::{CallError, CallFault};
use berth_domain::secret::SecretText;
use berth_domain::spec::{Spec, changed_fields};
use berth_domain::time::Millis;
use berth_service::reconcile::{Provider, ProviderCall};
use berth_store::{JournalEntry, JournalOutcome, Store};
use tokio::sync::Semaphore;

/// What happens to the next create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is made; its answer is lost.
    AnswerLost,
    /// It is made; then the host's code panics.
    Panic,
    /// It is refused with this status, as the journal shows, and the plugin's word is unclear.
    Refused(u16),
    /// It answers with an object of this id.
    Named(&'static str),
}

#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) labels: Vec<Label>,
    pub(crate) spec: Spec,
    pub(crate) password: String,
    /// Looks until it is ready.
    pub(crate) converging: u32,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) objects: BTreeMap<String, Object>,
    /// Every call, as `operation kind id`.
    pub(crate) calls: Vec<String>,
    /// The instances and networks that creates and updates were told of: their provider ids.
    pub(crate) linked: Vec<Vec<String>>,
    pub(crate) fates: VecDeque<Fate>,
    /// What the next unlabels answer.
    pub(crate) unlabel_refusals: VecDeque<CallError>,
    /// Left out of lists.
    pub(crate) unlisted: Option<String>,
    made: u32,
}

pub(crate) struct Cloud {
    pub(crate) state: Mutex<State>,
    /// A create goes on after it was made only with a permit; without one it hangs.
    pub(crate) creates: Semaphore,
    /// Told when a create was made.
    pub(crate) made: Semaphore,
    store: Arc<dyn Store>,
}

impl Cloud {
    pub(crate) fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            creates: Semaphore::new(Semaphore::MAX_PERMITS),
            made: Semaphore::new(0),
            store,
        })
    }

    /// From now on creates hang once they are made, until they get permits.
    pub(crate) fn hold_creates(&self) {
        self.creates.forget_permits(Semaphore::MAX_PERMITS);
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap())
    }

    pub(crate) fn fate(&self, fate: Fate) {
        self.with(|state| state.fates.push_back(fate));
    }

    pub(crate) fn count(&self, call: &str) -> usize {
        self.with(|state| {
            state
                .calls
                .iter()
                .filter(|made| made.starts_with(call))
                .count()
        })
    }

    pub(crate) fn objects(&self) -> usize {
        self.with(|state| state.objects.len())
    }

    fn note(&self, operation: &str, kind: &str, id: Option<&str>) {
        let id = id.unwrap_or("-").to_owned();
        self.with(|state| state.calls.push(format!("{operation} {kind} {id}")));
    }

    fn hear(&self, wanted: &Wanted) {
        let linked = wanted.instances.iter().chain(&wanted.networks);
        let told = linked.map(|linked| linked.provider_id.clone()).collect();
        self.with(|state| state.linked.push(told));
    }

    async fn journal(&self, call: &ProviderCall<'_>, outcome: JournalOutcome) {
        let mut seed = [7; 10];
        seed[0] = u8::try_from(self.count("create")).unwrap();
        let entry = JournalEntry {
            id: EntryId::generate(Millis(1), berth_domain::id::IdSeed(seed)),
            run: call.run.clone(),
            resource: call.row.unwrap().id.clone(),
            account: call.account.id.clone(),
            operation: "create".to_owned(),
            method: "POST".to_owned(),
            target: "https://api.example.com/v2/things".to_owned(),
            body: None,
            at: Millis(1),
            outcome: None,
        };
        self.store.journal_open(&entry).await.unwrap();
        self.store
            .journal_close(&entry.id, outcome, Millis(2))
            .await
            .unwrap();
    }
}

pub(crate) fn says(error: ProviderError, wrote: bool) -> CallError {
    CallError {
        fault: CallFault::Provider(error),
        wrote,
    }
}

fn not_found() -> CallError {
    says(ProviderError::NotFound("no such object".to_owned()), false)
}

fn show(id: &str, object: &Object, wanted: Option<&Spec>) -> Observation {
    Observation {
        provider_id: id.to_owned(),
        name: Some(object.name.clone()),
        phase: if object.converging > 0 {
            Phase::Converging
        } else {
            Phase::Ready
        },
        labels: object.labels.clone(),
        spec: Some(object.spec.clone()),
        pending: wanted
            .map(|wanted| changed_fields(&object.spec, wanted))
            .unwrap_or_default(),
        outputs: Spec::from_iter([("host".to_owned(), format!("{id}.example.com").into())]),
        secret_outputs: wanted
            .map(|_| SecretOutput {
                name: "password".to_owned(),
                value: SecretText::new(object.password.clone()),
            })
            .into_iter()
            .collect(),
        memo: None,
        poll_after: None,
    }
}

#[async_trait]
impl Provider for Cloud {
    async fn find(
        &self,
        _: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Option<Observation>, CallError> {
        self.note("find", &wanted.kind, None);
        Ok(self.with(|state| {
            let found = state.objects.iter().find(|(_, object)| {
                object.kind == wanted.kind
                    && (label::value(&object.labels, label::RESOURCE) == Some(wanted.id.as_str())
                        || object.name == wanted.name)
            });
            found.map(|(id, object)| Observation {
                secret_outputs: vec![],
                ..show(id, object, Some(&wanted.spec))
            })
        }))
    }

    async fn observe(
        &self,
        _: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Observation, CallError> {
        let id = wanted.provider_id.unwrap();
        self.note("observe", &wanted.kind, Some(&id));
        self.with(|state| {
            let object = state.objects.get_mut(&id).ok_or_else(not_found)?;
            let seen = show(&id, object, Some(&wanted.spec));
            object.converging = object.converging.saturating_sub(1);
            Ok(seen)
        })
    }

    async fn create(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Observation, CallError> {
        self.note("create", &wanted.kind, None);
        self.hear(&wanted);
        let fate = self.with(|state| state.fates.pop_front());
        if let Some(Fate::Refused(status)) = fate {
            self.journal(call, JournalOutcome::Answered(status)).await;
            return Err(says(
                ProviderError::Failed("the plugin made nothing of it".to_owned()),
                true,
            ));
        }
        let seen = self.with(|state| {
            state.made += 1;
            let object = Object {
                kind: wanted.kind.clone(),
                name: wanted.name.clone(),
                parent: wanted
                    .parent
                    .as_ref()
                    .map(|parent| parent.provider_id.clone()),
                labels: wanted.labels.clone(),
                spec: wanted.spec.clone(),
                password: format!("canary-{}", state.made),
                converging: 2,
            };
            let id = match fate {
                Some(Fate::Named(id)) => id.to_owned(),
                _ => format!("object-{}", state.made),
            };
            let seen = show(&id, &object, Some(&wanted.spec));
            state.objects.insert(id, object);
            seen
        });
        self.made.add_permits(1);
        self.creates.acquire().await.unwrap().forget();
        match fate {
            Some(Fate::AnswerLost) => {
                Err(says(ProviderError::Ambiguous("timed out".to_owned()), true))
            }
            Some(Fate::Panic) => panic!("a defect after the create was made"),
            _ => Ok(seen),
        }
    }

    async fn update(
        &self,
        _: &ProviderCall<'_>,
        wanted: Wanted,
        fields: Vec<String>,
    ) -> Result<Observation, CallError> {
        self.hear(&wanted);
        let id = wanted.provider_id.unwrap();
        self.note(
            "update",
            &wanted.kind,
            Some(&format!("{id} {}", fields.join(","))),
        );
        self.with(|state| {
            let object = state.objects.get_mut(&id).ok_or_else(not_found)?;
            for field in fields {
                if let Some(value) = wanted.spec.get(&field) {
                    object.spec.insert(field, value.clone());
                }
            }
            object.converging = 1;
            Ok(show(&id, object, Some(&wanted.spec)))
        })
    }

    async fn delete(&self, _: &ProviderCall<'_>, wanted: Wanted) -> Result<(), CallError> {
        let id = wanted.provider_id.unwrap();
        self.note("delete", &wanted.kind, Some(&id));
        self.with(|state| state.objects.remove(&id).map(|_| ()).ok_or_else(not_found))
    }

    async fn label(&self, _: &ProviderCall<'_>, wanted: Wanted) -> Result<Observation, CallError> {
        let id = wanted.provider_id.unwrap();
        self.note("label", &wanted.kind, Some(&id));
        self.with(|state| {
            let object = state.objects.get_mut(&id).ok_or_else(not_found)?;
            let ours = |label: &Label| wanted.labels.iter().any(|ours| ours.key == label.key);
            object.labels.retain(|label| !ours(label));
            object.labels.extend(wanted.labels.clone());
            Ok(show(&id, object, None))
        })
    }

    async fn unlabel(&self, _: &ProviderCall<'_>, wanted: Wanted) -> Result<(), CallError> {
        let id = wanted.provider_id.unwrap();
        self.note("unlabel", &wanted.kind, Some(&id));
        let refusal = self.with(|state| state.unlabel_refusals.pop_front());
        if let Some(error) = refusal {
            return Err(error);
        }
        self.with(|state| {
            let object = state.objects.get_mut(&id).ok_or_else(not_found)?;
            object.labels.retain(|label| !wanted.labels.contains(label));
            Ok(())
        })
    }

    async fn list(
        &self,
        _: &ProviderCall<'_>,
        kind: &str,
        parent: Option<&ParentView>,
        cursor: Option<String>,
    ) -> Result<Page, CallError> {
        self.note("list", kind, cursor.as_deref());
        let parent = parent.map(|parent| parent.provider_id.clone());
        Ok(self.with(|state| {
            let after = cursor.unwrap_or_default();
            let unlisted = state.unlisted.clone();
            let mut items: Vec<Observation> = state
                .objects
                .iter()
                .filter(|(id, object)| {
                    object.kind == kind
                        && object.parent == parent
                        && **id > after
                        && unlisted.as_ref() != Some(*id)
                })
                .map(|(id, object)| show(id, object, None))
                .collect();
            // Pages of four.
            let is_last = items.len() <= 4;
            items.truncate(4);
            let next = items
                .last()
                .filter(|_| !is_last)
                .map(|item| item.provider_id.clone());
            Page { items, next }
        }))
    }
}
