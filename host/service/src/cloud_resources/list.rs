//! `cloudResources/list`: a tenant's resources, oldest first.

use berth_domain::id::{PoolId, ProjectId, ResourceId, TenantId};
use berth_domain::input::KindId;
use berth_domain::manifest::Family;
use berth_domain::resource::Resource;
use berth_store::ListFilter;
use serde::Deserialize;

use super::ResourceView;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// Most rows that one call looks at: a caller who may read few of many goes on with the cursor.
const LOOKED_AT_MAX: usize = 10_000;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose resources.
    pub tenant_id: TenantId,
    /// Of this pool.
    #[serde(default, deserialize_with = "given")]
    pub pool_id: Option<PoolId>,
    /// Of this project.
    #[serde(default, deserialize_with = "given")]
    pub project_id: Option<ProjectId>,
    /// Of this kind.
    #[serde(default, deserialize_with = "given")]
    pub kind: Option<KindId>,
    /// Of this family.
    #[serde(default, deserialize_with = "given")]
    pub family: Option<Family>,
    /// Deleted and released ones too.
    #[serde(default)]
    pub include_deleted: bool,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// The resources that the caller may read, at most 500, and a cursor where there may be more.
///
/// # Errors
/// `ACCESS_DENIED`; `INVALID_INPUT` for a cursor of something else.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<ResourceView>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(
        caller,
        &input.tenant_id,
        Action::CloudResourcesRead,
        &target,
    );
    let result = list(service, caller, &input, &target).await;
    attempt.settle(service, result).await
}

async fn list(
    service: &Service,
    caller: &Caller,
    input: &Input,
    target: &Target,
) -> Result<Items<ResourceView>, ServiceError> {
    let judge = service.judge(caller).await?;
    judge.require(Action::CloudResourcesRead, target)?;
    let filter = ListFilter {
        pool: input.pool_id.clone(),
        project: input.project_id.clone(),
        kind: input.kind.clone(),
        family: input.family,
        include_ended: input.include_deleted,
    };
    let mut after = input.cursor.clone().map(checked).transpose()?;
    let mut items = Vec::new();
    let mut looked_at = 0;
    loop {
        let page = service
            .store()
            .resources(
                &input.tenant_id,
                &filter,
                after.as_ref().map(Cursor::as_str),
                ITEMS_MAX,
            )
            .await?;
        let whole = page.next.is_none();
        let rows = page.items.len();
        for (index, row) in page.items.into_iter().enumerate() {
            looked_at += 1;
            let here = cursor_after(&row);
            if judge.allows(Action::CloudResourcesRead, &Target::recorded(&row)) {
                items.push(ResourceView::from(row));
            }
            let last = whole && index + 1 == rows;
            if !last && (items.len() >= ITEMS_MAX as usize || looked_at >= LOOKED_AT_MAX) {
                return Ok(Items {
                    items,
                    next_cursor: Some(here),
                });
            }
            after = Some(here);
        }
        if whole {
            return Ok(Items {
                items,
                next_cursor: None,
            });
        }
    }
}

/// The place right behind a row, as the store orders rows.
fn cursor_after(row: &Resource) -> Cursor {
    Cursor(format!("{}:{}", row.created_at.0, row.id))
}

fn checked(cursor: Cursor) -> Result<Cursor, ServiceError> {
    let fits = cursor
        .as_str()
        .split_once(':')
        .is_some_and(|(at, id)| at.parse::<i64>().is_ok() && id.parse::<ResourceId>().is_ok());
    if fits {
        Ok(cursor)
    } else {
        Err(ServiceError::invalid(
            "/cursor",
            "not a cursor of this list; expected the `nextCursor` of an earlier answer, unchanged",
        ))
    }
}
