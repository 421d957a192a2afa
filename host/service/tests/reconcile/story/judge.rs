//! What must hold whenever everything is at rest.

use std::collections::BTreeSet;

use berth_domain::label;
use berth_domain::metering::{HOURS, Window};
use berth_domain::resource::{Desired, Resource, State};
use berth_domain::time::Millis;
use berth_service::Clock;
use berth_store::SpanFilter;
use proptest::prelude::*;

use super::{CRANES, Story};
use crate::cloud::Object;

impl Story {
    pub(super) async fn judge(&self) -> Result<(), TestCaseError> {
        let rows = self.rows().await;
        self.judge_the_ledger(&rows).await?;
        self.judge_names(&rows)?;
        for row in &rows {
            self.judge_a_life(row).await?;
        }
        Ok(())
    }

    /// What is booked is what live rows hold, within the quota, and covers what runs.
    async fn judge_the_ledger(&self, rows: &[Resource]) -> Result<(), TestCaseError> {
        let store = self.world.service.store();
        let booked = store.booked(&self.acme.id, &self.yard).await.unwrap();
        let booked = booked.get("yard.cranes").copied().unwrap_or(0);
        let live = rows.iter().filter(|row| row.is_live());
        let held: u64 = live.filter_map(|row| row.held.get("yard.cranes")).sum();
        prop_assert_eq!(booked, held);
        prop_assert!(booked <= CRANES, "{} of {} are booked", booked, CRANES);
        // What was let go is nobody's any more.
        let is_ours = |one: &&Object| {
            one.kind == "yard.crane" && label::value(&one.labels, label::MANAGED).is_some()
        };
        let size = |crane: &Object| crane.spec["size"].as_u64().unwrap();
        let runs: u64 = self.cloud.with(|state| {
            let cranes = state.objects.values().filter(is_ours);
            cranes.map(size).sum()
        });
        prop_assert!(runs <= booked, "{} run and {} are booked", runs, booked);
        let counted = store.count_by_kind(&self.acme.id).await.unwrap();
        let counted: u32 = counted.into_iter().map(|(_, count)| count).sum();
        prop_assert_eq!(
            counted as usize,
            rows.iter().filter(|row| row.is_live()).count()
        );
        Ok(())
    }

    fn judge_names(&self, rows: &[Resource]) -> Result<(), TestCaseError> {
        let live = || rows.iter().filter(|row| row.is_live());
        let names: BTreeSet<_> = live().map(|row| (&row.kind, &row.name)).collect();
        prop_assert_eq!(names.len(), live().count(), "two have one name");
        let identities: Vec<_> = live()
            .filter_map(|row| Some((&row.parent, &row.kind, row.identity.as_ref()?)))
            .collect();
        let distinct: BTreeSet<_> = identities.iter().collect();
        prop_assert_eq!(distinct.len(), identities.len(), "two have one identity");
        let objects: Vec<_> = live().filter_map(|row| row.provider_id.as_ref()).collect();
        let distinct: BTreeSet<_> = objects.iter().collect();
        prop_assert_eq!(distinct.len(), objects.len(), "two have one object");
        Ok(())
    }

    async fn judge_a_life(&self, row: &Resource) -> Result<(), TestCaseError> {
        let story = self.world.events(&self.acme.id, &row.id).await;
        let count = |what: &str| {
            let wanted = format!("cloud.resource.{what}");
            story.iter().filter(|event| **event == wanted).count()
        };
        let first = if row.adoption.is_some() {
            "adopted"
        } else {
            "created"
        };
        prop_assert_eq!(&story[0], &format!("cloud.resource.{first}"));
        prop_assert_eq!(count("created") + count("adopted"), 1);
        let was_ready = usize::from(row.ready_at.is_some());
        prop_assert_eq!(count("ready"), was_ready, "{:?}", story);
        let is_condemned = row.desired == Desired::Deleted;
        prop_assert_eq!(count("deleting"), usize::from(is_condemned), "{:?}", story);
        prop_assert_eq!(
            count("deleted"),
            usize::from(row.state == State::Deleted),
            "{:?}",
            story
        );
        prop_assert_eq!(
            count("released"),
            usize::from(row.state == State::Released),
            "{:?}",
            story
        );
        if !row.is_live() {
            let end = story.last().unwrap();
            prop_assert!(end.ends_with(".deleted") || end.ends_with(".released"));
        }
        prop_assert!(count("updated") <= count("updating"), "{:?}", story);
        if row.state == State::Error {
            prop_assert!(count("failed") > 0 && row.message.is_some(), "{:?}", row);
        }
        if row.is_live() {
            prop_assert!(
                row.schedule.next_run_at.is_some(),
                "never looked at again: {:?}",
                row
            );
        }
        self.judge_usage(row).await
    }

    /// The hours of a life are the life, to the millisecond; a child has none.
    async fn judge_usage(&self, row: &Resource) -> Result<(), TestCaseError> {
        let now = self.clock.now();
        let all = Window {
            from: Millis(0),
            to: Millis(i64::MAX),
        };
        let filter = SpanFilter {
            tenant: Some(self.acme.id.clone()),
            resource: Some(row.id.clone()),
            meter: None,
            window: all,
            after: None,
        };
        let spans = self.world.service.store().meter_spans(&filter, 100);
        let spans = spans.await.unwrap();
        prop_assert!(spans.iter().all(|metered| metered.span.meter == HOURS));
        let billed: u64 = spans
            .iter()
            .map(|metered| metered.span.window(now).overlap(all))
            .sum();
        let began = if row.adoption.is_some() {
            row.ready_at
        } else {
            row.accepted_at
        };
        let lived = match began {
            Some(from) if row.parent.is_none() => (row.ended_at.unwrap_or(now) - from).0,
            _ => 0,
        };
        prop_assert_eq!(billed, lived, "{:?} of {:?}", spans, row);
        Ok(())
    }
}
