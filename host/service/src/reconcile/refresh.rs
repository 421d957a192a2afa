//! Refreshing many rows by one list.
//!
//! A provider's rate limit makes one read a resource impossible past some hundreds of resources an
//! account. Where a kind's list shows whole objects, rows that rest and come up for their refresh at
//! about the same time share one list. A row that is not in it is looked at by itself: being absent
//! from a list isn't being gone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use berth_domain::id::AccountId;
use berth_domain::provider::{Observation, ParentView, ProviderError};
use berth_domain::resource::{CallError, CallFault, Resource, State};
use berth_domain::time::{Millis, Span};
use berth_runtime::Priority;
use tokio::sync::OnceCell;

use super::perform::{Calls, parent_view};
use super::provider::ProviderCall;

/// So many rows of a kind look by themselves within a fifth of the refresh; the next one lists for all.
const LOOKS_BEFORE_A_LIST: u32 = 3;
/// Pages of one list. Rows beyond them look by themselves.
const PAGES_MAX: u32 = 64;
/// Lists that are remembered; each is dropped when it is old.
const LISTS_MAX: usize = 1_024;

/// What one list shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Subject {
    account: AccountId,
    kind: String,
    parent: Option<String>,
    generation: String,
}

/// Times that follow from how often rows are refreshed.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// How long rows share a list, from its beginning.
    shared_for: Span,
    /// How long looks are counted.
    counted_for: Span,
}

impl Pace {
    fn of(refresh: Span) -> Self {
        Self {
            shared_for: Span(refresh.0 / 15),
            counted_for: Span(refresh.0 / 5),
        }
    }
}

struct Recent {
    counted_since: Millis,
    looks: u32,
    list: Option<Arc<Listing>>,
}

struct Listing {
    began_at: Millis,
    shown: OnceCell<Shown>,
}

/// What came of a list.
enum Shown {
    Objects(HashMap<String, Observation>),
    /// The provider has no time now: that holds for each of them.
    Later(CallError),
    /// It does not work; rows look by themselves.
    Useless,
}

/// The lists of this host.
#[derive(Default)]
pub(super) struct Refresh {
    recent: Mutex<HashMap<Subject, Recent>>,
}

impl Refresh {
    /// The row's object as a shared list shows it. `None`: look by itself.
    pub(super) async fn look(
        &self,
        calls: &Calls<'_>,
        row: &Resource,
    ) -> Option<Result<Observation, CallError>> {
        if !calls.situation.kind.lists_whole || !rests(row) {
            return None;
        }
        let parent = calls.situation.parent.as_ref().and_then(parent_view);
        let subject = Subject {
            account: row.account.clone(),
            kind: row.kind.to_string(),
            parent: parent.as_ref().map(|parent| parent.provider_id.clone()),
            generation: calls.means.generation.digest().to_string(),
        };
        let service = &calls.tools.service;
        let pace = Pace::of(service.settings().reconcile.timing.steady);
        let listing = self.join(subject, service.now(), pace)?;
        if listing.began_at < row.updated_at {
            return None;
        }
        let shown = listing
            .shown
            .get_or_init(|| list(calls, row, parent.as_ref()))
            .await;
        match shown {
            Shown::Objects(objects) => row
                .provider_id
                .as_ref()
                .and_then(|id| objects.get(id).cloned())
                .map(Ok),
            Shown::Later(error) => Some(Err(error.clone())),
            Shown::Useless => None,
        }
    }

    /// The list to share, if one is due.
    fn join(&self, subject: Subject, now: Millis, pace: Pace) -> Option<Arc<Listing>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() >= LISTS_MAX {
            recent.retain(|_, recent| now - recent.counted_since <= pace.counted_for);
        }
        let entry = recent.entry(subject).or_insert(Recent {
            counted_since: now,
            looks: 0,
            list: None,
        });
        if now - entry.counted_since > pace.counted_for {
            // Half of what was counted goes on counting, so that a steady stream keeps its list.
            entry.looks /= 2;
            entry.counted_since = now;
        }
        entry.looks = entry.looks.saturating_add(1);
        let is_fresh = |list: &Arc<Listing>| now - list.began_at <= pace.shared_for;
        if let Some(list) = entry.list.as_ref().filter(|list| is_fresh(list)) {
            return Some(list.clone());
        }
        if entry.looks <= LOOKS_BEFORE_A_LIST {
            entry.list = None;
            return None;
        }
        let list = Arc::new(Listing {
            began_at: now,
            shown: OnceCell::new(),
        });
        entry.list = Some(list.clone());
        Some(list)
    }
}

/// Only a row that nobody waits for, and about which nothing is in doubt. (A list knows nothing of
/// what the row wants, so it can't tell what is pending.)
fn rests(row: &Resource) -> bool {
    row.state == State::Ready
        && !row.is_going()
        && row.unapplied.is_empty()
        && row.missing_since.is_none()
}

async fn list(calls: &Calls<'_>, row: &Resource, parent: Option<&ParentView>) -> Shown {
    let call = ProviderCall {
        row: None,
        priority: Priority::Refresh,
        ..calls.call(row)
    };
    let mut objects = HashMap::new();
    let mut cursor = None;
    for _ in 0..PAGES_MAX {
        let page = calls
            .tools
            .provider
            .list(&call, row.kind.as_str(), parent, cursor.take());
        let page = match page.await {
            Ok(page) => page,
            Err(error) if passes(&error) => return Shown::Later(error),
            Err(error) => {
                tracing::warn!(error = %error.fault, kind = %row.kind, account = %row.account, "a kind could not be listed; its resources are looked at one by one");
                return Shown::Useless;
            }
        };
        // A list is no snapshot: what moved between two pages is shown twice.
        for item in page.items {
            objects.insert(item.provider_id.clone(), item);
        }
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    tracing::debug!(kind = %row.kind, account = %row.account, objects = objects.len(), "listed for a refresh");
    Shown::Objects(objects)
}

fn passes(error: &CallError) -> bool {
    matches!(
        error.fault,
        CallFault::HostBusy { .. }
            | CallFault::Provider(
                ProviderError::Busy { .. }
                    | ProviderError::Throttled { .. }
                    | ProviderError::Unavailable(_)
            )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            account: "acc_00000000000000000000000000".parse().unwrap(),
            kind: "sim.cluster".to_owned(),
            parent: None,
            generation: "digest".to_owned(),
        }
    }

    const PACE: Pace = Pace {
        shared_for: Span::seconds(20),
        counted_for: Span::seconds(60),
    };

    #[test]
    fn a_few_rows_look_by_themselves_and_many_share_a_list() {
        assert_eq!(
            (
                Pace::of(Span::minutes(5)).shared_for,
                Pace::of(Span::minutes(5)).counted_for
            ),
            (PACE.shared_for, PACE.counted_for)
        );
        let refresh = Refresh::default();
        let now = Millis(1_000_000);
        for _ in 0..LOOKS_BEFORE_A_LIST {
            assert!(refresh.join(subject(), now, PACE).is_none());
        }
        let list = refresh.join(subject(), now, PACE).unwrap();
        let same = refresh
            .join(subject(), now + Span::seconds(20), PACE)
            .unwrap();
        assert!(Arc::ptr_eq(&list, &same));
        let later = refresh
            .join(subject(), now + Span::seconds(21), PACE)
            .unwrap();
        assert!(!Arc::ptr_eq(&list, &later));
    }

    #[test]
    fn rows_that_come_up_rarely_never_list() {
        let refresh = Refresh::default();
        let mut now = Millis(1_000_000);
        for _ in 0..50 {
            assert!(refresh.join(subject(), now, PACE).is_none());
            now = now + Span::seconds(61);
        }
    }
}
