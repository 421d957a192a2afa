//! The provider as a run sees it. The runtime is the one that serves; a simulation brings another.

use std::sync::Arc;

use async_trait::async_trait;
use berth_domain::id::RunId;
use berth_domain::platform::Account;
use berth_domain::provider::{Observation, Wanted};
use berth_domain::resource::{CallError, Resource};
use berth_runtime::{Call, Generation, Priority, Runtime};

use super::fault::call_error;
use super::grants::Grants;
use crate::place::account_view;

/// For whom a run calls.
pub struct ProviderCall<'a> {
    /// The generation that runs.
    pub generation: &'a Arc<Generation>,
    /// The account, with its egress.
    pub account: &'a Account,
    /// The row that the run is about.
    pub row: &'a Resource,
    /// The run.
    pub run: &'a RunId,
    /// The epoch of its lease.
    pub epoch: u64,
    /// How urgent it is.
    pub priority: Priority,
}

/// What a provider does for a run.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Looks for an object whose id is not known.
    async fn find(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<Option<Observation>, CallError>;
    /// Reads an object.
    async fn observe(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<Observation, CallError>;
    /// Asks for a new object.
    async fn create(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<Observation, CallError>;
    /// Applies fields.
    async fn update(&self, call: &ProviderCall<'_>, wanted: Wanted, fields: Vec<String>) -> Result<Observation, CallError>;
    /// Asks for the deletion of an object.
    async fn delete(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<(), CallError>;
}

/// Plugins in the runtime.
pub(super) struct Plugins {
    runtime: Arc<Runtime>,
    grants: Grants,
}

impl Plugins {
    pub(super) fn new(runtime: Arc<Runtime>) -> Self {
        Self { runtime, grants: Grants::default() }
    }

    fn call(&self, call: &ProviderCall<'_>) -> Result<Call, CallError> {
        Ok(Call {
            account: account_view(call.account),
            grant: self.grants.of(call.account, call.generation, self.runtime.limits())?,
            tenant: Some(call.row.tenant.clone()),
            resource: Some(call.row.id.clone()),
            run: Some(call.run.clone()),
            request: None,
            lease: i64::try_from(call.epoch).ok(),
            priority: call.priority,
        })
    }
}

#[async_trait]
impl Provider for Plugins {
    async fn find(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<Option<Observation>, CallError> {
        call_error(self.runtime.find(call.generation, self.call(call)?, wanted).await)
    }

    async fn observe(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<Observation, CallError> {
        call_error(self.runtime.observe(call.generation, self.call(call)?, wanted).await)
    }

    async fn create(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<Observation, CallError> {
        call_error(self.runtime.create(call.generation, self.call(call)?, wanted).await)
    }

    async fn update(&self, call: &ProviderCall<'_>, wanted: Wanted, fields: Vec<String>) -> Result<Observation, CallError> {
        call_error(self.runtime.update(call.generation, self.call(call)?, wanted, fields).await)
    }

    async fn delete(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<(), CallError> {
        call_error(self.runtime.delete(call.generation, self.call(call)?, wanted).await)
    }
}
