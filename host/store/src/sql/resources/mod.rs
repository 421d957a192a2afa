//! Resources: a row's columns, and the change sets around it.

mod claim;
mod columns;
mod commit;
mod create;
mod list;
mod read;
mod update;
mod wake;

use async_trait::async_trait;
use berth_domain::id::{AccountId, ResourceId, TenantId};
use berth_domain::input::KindId;
use berth_domain::resource::Resource;
use berth_domain::time::Millis;

pub(crate) use columns::resource_columns;

use super::{Engine, SqlStore};
use crate::{
    Claim, ClaimRequest, Committed, CreateChange, CreateOutcome, ListFilter, Page, RecordedObject,
    Resources, RunChange, StoreError, StoredResource, UpdateChange, UpdateOutcome,
};

#[async_trait]
impl<E: Engine> Resources for SqlStore<E> {
    async fn create_resource(&self, change: CreateChange) -> Result<CreateOutcome, StoreError> {
        self.write(move |session| Box::pin(create::create(session, change)))
            .await
    }

    async fn resource(&self, id: &ResourceId) -> Result<Option<StoredResource>, StoreError> {
        self.read_resource(id).await
    }

    async fn resources(
        &self,
        tenant: &TenantId,
        filter: &ListFilter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Resource>, StoreError> {
        self.list_resources(tenant, filter, after, limit).await
    }

    async fn children(&self, parent: &ResourceId) -> Result<Vec<StoredResource>, StoreError> {
        self.read_children(parent).await
    }

    async fn count_children(&self, parent: &ResourceId) -> Result<u32, StoreError> {
        self.count_live_children(parent).await
    }

    async fn count_by_kind(&self, tenant: &TenantId) -> Result<Vec<(KindId, u32)>, StoreError> {
        self.count_live_by_kind(tenant).await
    }

    async fn count_live_by_provider(
        &self,
        provider: &str,
    ) -> Result<Vec<(KindId, u32)>, StoreError> {
        self.count_live_of_provider(provider).await
    }

    async fn update_resources(
        &self,
        changes: Vec<UpdateChange>,
    ) -> Result<UpdateOutcome, StoreError> {
        self.write(move |session| Box::pin(update::update(session, changes)))
            .await
    }

    async fn end_resource(&self, change: UpdateChange) -> Result<UpdateOutcome, StoreError> {
        self.write(move |session| Box::pin(update::end(session, change)))
            .await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Claim>, StoreError> {
        self.claim_due(request).await
    }

    async fn renew(
        &self,
        host: &str,
        leases: &[(ResourceId, u64)],
        until: Millis,
    ) -> Result<Vec<ResourceId>, StoreError> {
        self.renew_leases(host, leases, until).await
    }

    async fn give_up(&self, id: &ResourceId, epoch: u64) -> Result<(), StoreError> {
        self.give_up_lease(id, epoch).await
    }

    async fn commit_run(&self, change: RunChange) -> Result<Committed, StoreError> {
        self.write(move |session| Box::pin(commit::commit(session, change)))
            .await
    }

    async fn next_due(&self) -> Result<Option<Millis>, StoreError> {
        self.read_next_due().await
    }

    async fn due_for_refresh(
        &self,
        account: &AccountId,
        kind: &KindId,
        until: Millis,
        limit: u32,
    ) -> Result<Vec<ResourceId>, StoreError> {
        self.read_due_for_refresh(account, kind, until, limit).await
    }

    async fn provider_id_taken(
        &self,
        row: &Resource,
        provider_id: &str,
    ) -> Result<Option<ResourceId>, StoreError> {
        self.read_provider_id_taken(row, provider_id).await
    }

    async fn recorded_objects(
        &self,
        account: &AccountId,
        provider_ids: &[String],
    ) -> Result<Vec<RecordedObject>, StoreError> {
        self.read_recorded_objects(account, provider_ids).await
    }
}
