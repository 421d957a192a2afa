//! Plugins in the runtime, as the provider of runs.

use std::sync::Arc;

use async_trait::async_trait;
use berth_domain::provider::{Observation, Page, ParentView, Wanted};
use berth_domain::resource::CallError;
use berth_runtime::{Call, Runtime};

use super::fault::call_error;
use super::provider::{Provider, ProviderCall};
use crate::Service;
use crate::grants::Grants;
use crate::place::account_view;

pub(super) struct Plugins {
    runtime: Arc<Runtime>,
    grants: Arc<Grants>,
}

impl Plugins {
    pub(super) fn new(service: &Service) -> Self {
        Self {
            runtime: service.runtime().clone(),
            grants: service.grants.clone(),
        }
    }

    fn call(&self, call: &ProviderCall<'_>) -> Result<Call, CallError> {
        let limits = self.runtime.limits();
        Ok(Call {
            account: account_view(call.account),
            grant: self.grants.of(call.account, call.generation, limits)?,
            tenant: call.row.map(|row| row.tenant.clone()),
            resource: call.row.map(|row| row.id.clone()),
            run: Some(call.run.clone()),
            request: None,
            lease: i64::try_from(call.epoch).ok(),
            priority: call.priority,
        })
    }
}

#[async_trait]
impl Provider for Plugins {
    async fn find(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Option<Observation>, CallError> {
        let granted = self.call(call)?;
        call_error(self.runtime.find(call.generation, granted, wanted).await)
    }

    async fn observe(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Observation, CallError> {
        let granted = self.call(call)?;
        call_error(self.runtime.observe(call.generation, granted, wanted).await)
    }

    async fn create(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Observation, CallError> {
        let granted = self.call(call)?;
        call_error(self.runtime.create(call.generation, granted, wanted).await)
    }

    async fn update(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
        fields: Vec<String>,
    ) -> Result<Observation, CallError> {
        let granted = self.call(call)?;
        let updated = self
            .runtime
            .update(call.generation, granted, wanted, fields);
        call_error(updated.await)
    }

    async fn delete(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<(), CallError> {
        let granted = self.call(call)?;
        call_error(self.runtime.delete(call.generation, granted, wanted).await)
    }

    async fn label(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Observation, CallError> {
        let granted = self.call(call)?;
        call_error(self.runtime.label(call.generation, granted, wanted).await)
    }

    async fn unlabel(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<(), CallError> {
        let granted = self.call(call)?;
        call_error(self.runtime.unlabel(call.generation, granted, wanted).await)
    }

    async fn list(
        &self,
        call: &ProviderCall<'_>,
        kind: &str,
        parent: Option<&ParentView>,
        cursor: Option<String>,
    ) -> Result<Page, CallError> {
        let granted = self.call(call)?;
        let listed = self
            .runtime
            .list(call.generation, granted, kind, parent, cursor);
        call_error(listed.await)
    }
}
