//! `projects/get`.

use berth_domain::id::{ProjectId, TenantId};
use berth_domain::platform::Project;
use berth_policy::ResourceType;
use serde::Deserialize;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Which one.
    pub project_id: ProjectId,
}

/// The project.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Project, ServiceError> {
    let target = Target::new(
        ResourceType::Project,
        &input.tenant_id,
        input.project_id.as_str(),
    );
    let attempt = Attempt::new(caller, &input.tenant_id, Action::ProjectsRead, &target);
    let result = async {
        service
            .decide(caller, Action::ProjectsRead, &target)
            .await?;
        service
            .store()
            .project(&input.tenant_id, &input.project_id)
            .await?
            .ok_or_else(|| {
                ServiceError::new(
                    Code::NotFound,
                    format!(
                        "tenant `{}` has no project `{}`; `projects/list` lists those it has",
                        input.tenant_id, input.project_id
                    ),
                )
            })
    };
    attempt.settle(service, result.await).await
}
