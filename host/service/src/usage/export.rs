//! `usage/export`: the same usage as text to keep: CSV, or JSON lines.
//!
//! It comes in parts; written one after another they are one file, and the first line of the first part
//! of a CSV names its columns.

use berth_domain::id::{ResourceId, TenantId};
use berth_domain::input::MeterName;
use berth_domain::time::Millis;
use serde::{Deserialize, Serialize};

use super::csv;
use super::page::{self, decide, page};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Cursor, Service, ServiceError};

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// Comma-separated values.
    Csv,
    /// One JSON object a line.
    Json,
}

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// How it is written.
    pub format: Format,
    /// Of this tenant. Only operators may leave it out.
    #[serde(default, deserialize_with = "given")]
    pub tenant_id: Option<TenantId>,
    /// Of this resource.
    #[serde(default, deserialize_with = "given")]
    pub resource_id: Option<ResourceId>,
    /// Of this meter.
    #[serde(default, deserialize_with = "given")]
    pub meter: Option<MeterName>,
    /// From this time on, in epoch ms; the start of the month if left out.
    #[serde(default, deserialize_with = "given")]
    pub from: Option<Millis>,
    /// Up to this time and without it, in epoch ms; now if left out or later.
    #[serde(default, deserialize_with = "given")]
    pub to: Option<Millis>,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// A part of an export.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// How it is written.
    pub format: Format,
    /// The media type of the whole.
    pub content_type: &'static str,
    /// Whole lines, at most `service.exportRows` of usage.
    pub content: String,
    /// Give it back as `cursor` for the next part; absent: this was the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

/// A part of the usage of a window, half-open.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Part, ServiceError> {
    let tenant = input.tenant_id.clone().unwrap_or_else(TenantId::root);
    let target = Target::tenant(&tenant);
    let attempt = Attempt::new(caller, &tenant, Action::UsageRead, &target);
    let result = async {
        decide(service, caller, input.tenant_id.as_ref(), &target).await?;
        export(service, input).await
    };
    attempt.settle(service, result.await).await
}

async fn export(service: &Service, input: Input) -> Result<Part, ServiceError> {
    let format = input.format;
    let is_first = input.cursor.is_none();
    let asked = page::Input {
        tenant_id: input.tenant_id,
        resource_id: input.resource_id,
        meter: input.meter,
        from: input.from,
        to: input.to,
        cursor: input.cursor,
    };
    let page = page(service, &asked, service.settings().export_rows).await?;
    let (content_type, content) = match format {
        Format::Csv => {
            let head = if is_first { csv::HEADER } else { "" };
            let lines: String = page.rows.iter().map(csv::line).collect();
            ("text/csv; charset=utf-8", format!("{head}{lines}"))
        }
        Format::Json => {
            let mut lines = String::new();
            for row in &page.rows {
                let line = serde_json::to_string(row).map_err(|error| {
                    ServiceError::internal(format!("usage does not serialise: {error}"))
                })?;
                lines.push_str(&line);
                lines.push('\n');
            }
            ("application/jsonl; charset=utf-8", lines)
        }
    };
    Ok(Part {
        format,
        content_type,
        content,
        next_cursor: page.next,
    })
}
