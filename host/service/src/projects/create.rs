//! `projects/create`.

use berth_domain::id::{ProjectId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::Project;
use berth_store::Created;
use serde::Deserialize;
use serde_json::json;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// For whom.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
}

/// The project.
///
/// # Errors
/// `ACCESS_DENIED`; `NOT_FOUND` for a tenant that is not there.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Project, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::ProjectsWrite, &target);
    let result = create(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn create(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Project, ServiceError> {
    service
        .decide(attempt.caller, Action::ProjectsWrite, target)
        .await?;
    service.must_have_tenant(&input.tenant_id).await?;
    let now = service.now();
    let project = Project {
        id: ProjectId::generate(now, service.entropy().id_seed()),
        tenant_id: input.tenant_id,
        title: input.title,
        created_at: now,
    };
    match service
        .store()
        .create_project(
            &project,
            attempt.done(now, json!({"projectId": project.id})),
        )
        .await?
    {
        Created::New => Ok(project),
        Created::Taken => Err(ServiceError::internal(format!(
            "the fresh id {} is taken",
            project.id
        ))),
    }
}
