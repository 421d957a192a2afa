//! The provider as a run sees it. Plugins in the runtime serve it; a simulation brings another.

use std::sync::Arc;

use async_trait::async_trait;
use berth_domain::id::RunId;
use berth_domain::platform::Account;
use berth_domain::provider::{Observation, Page, ParentView, Wanted};
use berth_domain::resource::{CallError, Resource};
use berth_runtime::{Generation, Priority};

/// For whom a run calls.
#[derive(Clone, Copy)]
pub struct ProviderCall<'a> {
    /// The generation that runs.
    pub generation: &'a Arc<Generation>,
    /// The account, with its egress.
    pub account: &'a Account,
    /// The row that the call is about; `None` for a list.
    pub row: Option<&'a Resource>,
    /// The run.
    pub run: &'a RunId,
    /// The epoch of its lease.
    pub epoch: u64,
    /// How urgent it is.
    pub priority: Priority,
}

/// What a provider does for a run. [`CallError::wrote`] says that a write left and was not refused.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Looks for an object whose id is not known.
    async fn find(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Option<Observation>, CallError>;
    /// Reads an object.
    async fn observe(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Observation, CallError>;
    /// Asks for a new object.
    async fn create(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Observation, CallError>;
    /// Applies fields.
    async fn update(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
        fields: Vec<String>,
    ) -> Result<Observation, CallError>;
    /// Asks for the deletion of an object.
    async fn delete(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<(), CallError>;
    /// Writes ownership labels on an object.
    async fn label(
        &self,
        call: &ProviderCall<'_>,
        wanted: Wanted,
    ) -> Result<Observation, CallError>;
    /// Takes ownership labels off an object.
    async fn unlabel(&self, call: &ProviderCall<'_>, wanted: Wanted) -> Result<(), CallError>;
    /// Reads a page of a kind's objects, strangers' too, without secret outputs.
    async fn list(
        &self,
        call: &ProviderCall<'_>,
        kind: &str,
        parent: Option<&ParentView>,
        cursor: Option<String>,
    ) -> Result<Page, CallError>;
}
