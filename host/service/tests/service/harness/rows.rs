//! Behind the service: what a run of the reconciler would have done to a row, and what is stored.

use berth_domain::id::{ResourceId, TenantId};
use berth_domain::metering::MeterSpan;
use berth_domain::resource::{Desired, Resource, State};
use berth_store::{CreateChange, CreateOutcome, UpdateChange, UpdateOutcome};
use serde_json::Value;

use super::World;

impl World {
    /// The row as it is stored.
    pub(crate) async fn row(&self, id: &ResourceId) -> Resource {
        self.service
            .store()
            .resource(id)
            .await
            .expect("a store")
            .expect("a row")
            .row
    }

    /// Changes a row as a run of the reconciler would.
    pub(crate) async fn as_if(&self, id: &ResourceId, change: impl FnOnce(&mut Resource)) {
        self.write_as_if(id, change, Vec::new()).await;
    }

    /// Records spans of a row's meters as a run of the reconciler would.
    pub(crate) async fn as_if_metered(&self, id: &ResourceId, spans: Vec<MeterSpan>) {
        self.write_as_if(id, |_| (), spans).await;
    }

    async fn write_as_if(
        &self,
        id: &ResourceId,
        change: impl FnOnce(&mut Resource),
        spans: Vec<MeterSpan>,
    ) {
        let stored = self
            .service
            .store()
            .resource(id)
            .await
            .expect("a store")
            .expect("a row");
        let mut row = stored.row;
        change(&mut row);
        let change = UpdateChange {
            row,
            revision: stored.revision,
            books: None,
            spans,
            events: Vec::new(),
            audit: Vec::new(),
        };
        let outcome = self
            .service
            .store()
            .update_resources(vec![change])
            .await
            .expect("a store");
        assert!(matches!(outcome, UpdateOutcome::Stored(_)));
    }

    /// Records a resource like another one under a new id, with what its row could not become by itself.
    pub(crate) async fn record_again(
        &self,
        id: &ResourceId,
        change: impl FnOnce(&mut Resource),
    ) -> Resource {
        let mut row = self.row(id).await;
        row.id = ResourceId::derive(&row.tenant, &row.owner, "recorded again");
        change(&mut row);
        let create = CreateChange {
            row,
            events: Vec::new(),
            quota: 1_000,
            default_capacity: 0,
            parent_kinds: Vec::new(),
            audit: Vec::new(),
        };
        match self
            .service
            .store()
            .create_resource(create)
            .await
            .expect("a store")
        {
            CreateOutcome::Created(stored) => stored.row,
            other => panic!("not recorded: {other:?}"),
        }
    }

    /// The resource became ready, as far as its row tells.
    pub(crate) async fn as_if_ready(&self, id: &ResourceId) {
        let now = self.service.now();
        self.as_if(id, |row| {
            row.state = State::Ready;
            row.provider_id = Some(format!("object-of-{}", row.id));
            row.accepted_at = Some(now);
            row.ready_at = Some(now);
        })
        .await;
    }

    /// The resource was deleted, as far as its row tells.
    pub(crate) async fn as_if_deleted(&self, id: &ResourceId) {
        let now = self.service.now();
        self.as_if(id, |row| {
            row.desired = Desired::Deleted;
            row.state = State::Deleted;
            row.ended_at = Some(now);
        })
        .await;
    }

    /// The names of a resource's events, in order.
    pub(crate) async fn events(&self, tenant: &TenantId, id: &ResourceId) -> Vec<String> {
        let filter = berth_store::EventFilter {
            resource: Some(id.clone()),
            after: 0,
        };
        let events = self
            .service
            .store()
            .events(tenant, &filter, 500)
            .await
            .expect("events");
        events.into_iter().map(|event| event.event).collect()
    }

    /// The newest audit row, as `action outcome`.
    pub(crate) async fn last_audit(&self) -> (String, Value) {
        let rows = self
            .service
            .store()
            .list_audit(None, 1)
            .await
            .expect("an audit");
        let row = rows.into_iter().next().expect("a row");
        (format!("{} {:?}", row.action, row.outcome), row.detail)
    }
}
