//! The provider: objects that take time to appear, to change and to go, and answers that get lost.

use std::collections::BTreeMap;

use berth_domain::id::{DeploymentId, ResourceId};
use berth_domain::label::{self, Label};
use berth_domain::manifest::{Kind, Ownership};
use berth_domain::provider::{Observation, Phase, ProviderError, SecretOutput};
use berth_domain::resource::{CallError, CallFault, Resource};
use berth_domain::secret::SecretText;
use berth_domain::spec::Spec;
use berth_domain::time::{Millis, Span};
use serde_json::json;

use super::random::Random;
use crate::kinds::{TOKEN, UPDATABLE};

/// What the provider does with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Good,
    RequestLost,
    AnswerLost,
    PluginTrapsBefore,
    PluginTrapsAfter,
    PluginErrsAfter,
    Busy,
    Throttled,
    Unavailable,
    Refused,
    Denied,
    Flaps,
}

#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) labels: Vec<Label>,
    /// Whose it really is; `None`: a stranger's.
    pub(crate) owner: Option<ResourceId>,
    pub(crate) fields: Spec,
    pub(crate) visible_at: Millis,
    pub(crate) ready_at: Millis,
    pub(crate) failed: bool,
    pub(crate) gone_at: Option<Millis>,
    /// Which version of the secret it has.
    pub(crate) token_version: u64,
    flapped_at: Option<Millis>,
}

#[derive(Default)]
pub(crate) struct Provider {
    pub(crate) objects: Vec<Object>,
    made: u64,
    /// How many objects were ever made for a row.
    pub(crate) made_for: BTreeMap<ResourceId, u32>,
    /// Whose every object was, those that are gone included.
    pub(crate) owners: BTreeMap<String, Option<ResourceId>>,
    /// Rows for which a create may have arrived: what the journal can't rule out.
    pub(crate) may_have_arrived: std::collections::BTreeSet<ResourceId>,
}

/// A call's row and the row of its parent.
pub(crate) struct Wanted<'a> {
    pub(crate) row: &'a Resource,
    pub(crate) kind: &'a Kind,
    pub(crate) parent: Option<&'a str>,
    pub(crate) deployment: &'a DeploymentId,
    /// The version that the host puts in for the secret's reference.
    pub(crate) token_version: u64,
    pub(crate) now: Millis,
}

pub(crate) type Answer<T> = Result<T, CallError>;

pub(crate) fn provider_says(error: ProviderError, wrote: bool) -> CallError {
    CallError {
        fault: CallFault::Provider(error),
        wrote,
    }
}

pub(crate) fn not_found() -> CallError {
    provider_says(ProviderError::NotFound("no such object".to_owned()), false)
}

impl Object {
    /// An object that nobody here made, ready.
    pub(crate) fn made_by_a_stranger(
        kind: &str,
        name: &str,
        fields: Spec,
        failed: bool,
        now: Millis,
    ) -> Self {
        Self {
            id: format!("object-{name}"),
            kind: kind.to_owned(),
            name: name.to_owned(),
            parent: None,
            labels: vec![],
            owner: None,
            fields,
            visible_at: now,
            ready_at: now,
            failed,
            gone_at: None,
            token_version: 0,
            flapped_at: None,
        }
    }
}

impl Mood {
    pub(crate) fn draw(random: &mut Random, trouble: u64) -> Self {
        if !random.percent(trouble) {
            return Self::Good;
        }
        let moods = [
            Self::RequestLost,
            Self::RequestLost,
            Self::AnswerLost,
            Self::AnswerLost,
            Self::AnswerLost,
            Self::PluginTrapsBefore,
            Self::PluginTrapsAfter,
            Self::PluginErrsAfter,
            Self::Busy,
            Self::Throttled,
            Self::Unavailable,
            Self::Refused,
            Self::Denied,
            Self::Flaps,
        ];
        *random.pick(&moods).unwrap()
    }

    /// What keeps a call from having any effect.
    pub(crate) fn before(self, is_write: bool) -> Option<CallError> {
        let retry_after = Some(Span::seconds(40));
        let message = "later".to_owned();
        let error = match self {
            Self::RequestLost if is_write => ProviderError::Ambiguous("request lost".to_owned()),
            Self::RequestLost | Self::Unavailable => ProviderError::Unavailable("away".to_owned()),
            Self::Busy => ProviderError::Busy {
                message,
                retry_after: None,
            },
            Self::Throttled => ProviderError::Throttled {
                message,
                retry_after,
            },
            Self::Refused if is_write => ProviderError::Failed("refused".to_owned()),
            Self::Denied => ProviderError::Denied("no scope".to_owned()),
            Self::PluginTrapsBefore => {
                return Some(CallError {
                    fault: CallFault::Plugin("trap".to_owned()),
                    wrote: false,
                });
            }
            _ => return None,
        };
        Some(provider_says(error, is_write && self == Self::RequestLost))
    }

    /// What becomes of an answer.
    pub(crate) fn after<T>(self, answer: T, is_write: bool) -> Answer<T> {
        match self {
            Self::AnswerLost if is_write => Err(provider_says(
                ProviderError::Ambiguous("answer lost".to_owned()),
                true,
            )),
            Self::AnswerLost => Err(provider_says(
                ProviderError::Unavailable("answer lost".to_owned()),
                false,
            )),
            Self::PluginTrapsAfter => Err(CallError {
                fault: CallFault::Plugin("trap".to_owned()),
                wrote: is_write,
            }),
            Self::PluginErrsAfter if is_write => Err(provider_says(
                ProviderError::Throttled {
                    message: "a second request".to_owned(),
                    retry_after: None,
                },
                true,
            )),
            _ => Ok(answer),
        }
    }
}

impl Provider {
    /// Objects whose time has come are gone, with what lives in them.
    pub(crate) fn tick(&mut self, now: Millis) {
        let gone: Vec<String> = self
            .objects
            .iter()
            .filter(|object| object.gone_at.is_some_and(|at| at <= now))
            .map(|object| object.id.clone())
            .collect();
        for id in gone {
            self.remove(&id);
        }
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.objects
            .retain(|object| object.id != id && object.parent.as_deref() != Some(id));
    }

    pub(crate) fn object(&self, id: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.id == id)
    }

    pub(crate) fn object_mut(&mut self, id: &str) -> Option<&mut Object> {
        self.objects.iter_mut().find(|object| object.id == id)
    }

    pub(crate) fn add(&mut self, object: Object) {
        self.owners.insert(object.id.clone(), object.owner.clone());
        self.objects.push(object);
    }

    /// A stranger's object under the row's name.
    pub(crate) fn add_twin(&mut self, wanted: &Wanted<'_>) {
        self.made += 1;
        let (kind, name) = (&wanted.kind.id, &wanted.row.provider_name);
        self.add(Object {
            id: format!("object-{}", self.made),
            parent: wanted.parent.map(str::to_owned),
            ..Object::made_by_a_stranger(kind, name, Spec::new(), false, wanted.now)
        });
    }

    /// A stranger's object of the row's name in the row's place.
    pub(crate) fn twin_of(&self, wanted: &Wanted<'_>) -> Option<&Object> {
        self.objects
            .iter()
            .find(|object| object.owner.is_none() && is_named(object, wanted))
    }

    pub(crate) fn find(&mut self, wanted: &Wanted<'_>, mood: Mood) -> Answer<Option<Observation>> {
        if let Some(error) = mood.before(false) {
            return Err(error);
        }
        let mine = |object: &&Object| {
            object.kind == wanted.kind.id
                && label::value(&object.labels, label::RESOURCE) == Some(wanted.row.id.as_str())
        };
        let visible = || {
            self.objects
                .iter()
                .filter(|object| object.visible_at <= wanted.now)
        };
        let found = visible()
            .find(mine)
            .or_else(|| visible().find(|object| is_named(object, wanted)))
            .map(|object| Observation {
                secret_outputs: vec![],
                ..observation(object, wanted)
            });
        mood.after(found, false)
    }

    pub(crate) fn observe(
        &mut self,
        wanted: &Wanted<'_>,
        id: &str,
        mood: Mood,
    ) -> Answer<Observation> {
        if let Some(error) = mood.before(false) {
            return Err(error);
        }
        let now = wanted.now;
        let Some(object) = self
            .object_mut(id)
            .filter(|object| object.visible_at <= now)
        else {
            return Err(not_found());
        };
        // Absent between two presences, never twice within a minute.
        let may_flap = object
            .flapped_at
            .is_none_or(|at| now - at > Span::minutes(1));
        if mood == Mood::Flaps && may_flap {
            object.flapped_at = Some(now);
            return Err(not_found());
        }
        let answer = observation(object, wanted);
        mood.after(answer, false)
    }

    pub(crate) fn create(
        &mut self,
        wanted: &Wanted<'_>,
        mood: Mood,
        random: &mut Random,
    ) -> Answer<Observation> {
        let parent_is_there = wanted.parent.is_none_or(|id| self.object(id).is_some());
        let name_is_taken = wanted.kind.ownership != Ownership::Labels
            && self.objects.iter().any(|object| is_named(object, wanted));
        // A lost answer and a twin at once can't be told from our own object by anyone.
        if name_is_taken {
            return Err(provider_says(
                ProviderError::Conflict(wanted.row.provider_name.clone()),
                false,
            ));
        }
        if !parent_is_there {
            return Err(not_found());
        }
        if let Some(error) = mood.before(true) {
            if error.wrote {
                self.may_have_arrived.insert(wanted.row.id.clone());
            }
            return Err(error);
        }
        self.made += 1;
        let id = format!("object-{}", self.made);
        let mut fields = wanted.row.effective_spec();
        fields.remove("rules");
        let object = Object {
            id,
            kind: wanted.kind.id.clone(),
            name: wanted.row.provider_name.clone(),
            parent: wanted.parent.map(str::to_owned),
            labels: if wanted.kind.ownership == Ownership::Labels {
                label::ownership(wanted.deployment, &wanted.row.id, &wanted.row.tenant)
            } else {
                vec![]
            },
            owner: Some(wanted.row.id.clone()),
            fields,
            visible_at: wanted.now + Span(random.below(40_000)),
            ready_at: wanted.now + Span(random.below(90_000)),
            failed: random.percent(5),
            gone_at: None,
            token_version: wanted.token_version,
            flapped_at: None,
        };
        *self.made_for.entry(wanted.row.id.clone()).or_default() += 1;
        self.may_have_arrived.insert(wanted.row.id.clone());
        let answer = observation(&object, wanted);
        self.add(object);
        mood.after(answer, true)
    }

    pub(crate) fn update(
        &mut self,
        wanted: &Wanted<'_>,
        id: &str,
        fields: &[String],
        mood: Mood,
        random: &mut Random,
    ) -> Answer<Observation> {
        if let Some(error) = mood.before(true) {
            return Err(error);
        }
        let now = wanted.now;
        let takes = Span(random.below(60_000));
        let Some(object) = self
            .object_mut(id)
            .filter(|object| object.visible_at <= now)
        else {
            return Err(not_found());
        };
        if object.gone_at.is_some() || object.ready_at > now {
            return Err(provider_says(
                ProviderError::Busy {
                    message: "not online".to_owned(),
                    retry_after: None,
                },
                false,
            ));
        }
        let spec = wanted.row.effective_spec();
        for field in fields {
            match spec.get(field) {
                Some(value) => object.fields.insert(field.clone(), value.clone()),
                None => object.fields.remove(field),
            };
            if field == TOKEN {
                object.token_version = wanted.token_version;
            }
        }
        object.failed = false;
        object.ready_at = now + takes;
        let answer = observation(object, wanted);
        mood.after(answer, true)
    }

    pub(crate) fn delete(
        &mut self,
        wanted: &Wanted<'_>,
        id: &str,
        mood: Mood,
        random: &mut Random,
    ) -> Answer<()> {
        if let Some(error) = mood.before(true) {
            return Err(error);
        }
        let now = wanted.now;
        let takes = Span(random.below(3) * random.below(400_000));
        let Some(object) = self
            .object_mut(id)
            .filter(|object| object.visible_at <= now)
        else {
            return Err(not_found());
        };
        object.gone_at.get_or_insert(now + takes);
        self.tick(now);
        mood.after((), true)
    }
}

fn is_named(object: &Object, wanted: &Wanted<'_>) -> bool {
    object.kind == wanted.kind.id
        && object.name == wanted.row.provider_name
        && object.parent.as_deref() == wanted.parent
}

pub(crate) fn observation(object: &Object, wanted: &Wanted<'_>) -> Observation {
    let spec = wanted.row.effective_spec();
    let pending = UPDATABLE
        .iter()
        .filter(|field| spec.contains_key(**field))
        .filter(|field| spec.get(**field) != object.fields.get(**field))
        .map(|field| (*field).to_owned())
        .collect();
    let phase = if object.gone_at.is_some() || wanted.now < object.ready_at {
        Phase::Converging
    } else if object.failed {
        Phase::Failed("it broke".to_owned())
    } else {
        Phase::Ready
    };
    Observation {
        provider_id: object.id.clone(),
        name: Some(object.name.clone()),
        phase,
        labels: object.labels.clone(),
        spec: Some(object.fields.clone()),
        pending,
        outputs: json!({"host": object.id}).as_object().cloned().unwrap(),
        secret_outputs: vec![SecretOutput {
            name: "password".to_owned(),
            value: SecretText::new(format!("password of {}", object.id)),
        }],
        memo: None,
        poll_after: None,
    }
}
