//! Usage as CSV (RFC 4180), safe to open in a spreadsheet.

use berth_domain::calendar::written;

use super::UsageView;

/// The first line.
pub(super) const HEADER: &str = "hour,tenant,project,pool,kind,resource,meter,unitMs\r\n";

/// One row as a line.
pub(super) fn line(row: &UsageView) -> String {
    let hour = written(row.hour);
    let unit_ms = row.unit_ms.to_string();
    let cells = [
        hour.as_str(),
        row.tenant_id.as_str(),
        row.project_id
            .as_ref()
            .map_or("", |project| project.as_str()),
        row.pool_id.as_str(),
        row.kind.as_str(),
        row.resource_id.as_str(),
        row.meter.as_str(),
        unit_ms.as_str(),
    ];
    let mut line = cells.map(cell).join(",");
    line.push_str("\r\n");
    line
}

/// A text that a spreadsheet would take for a formula gets an apostrophe before it.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    let text = if is_formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula_or_two_cells() {
        for (text, written) in [
            ("acme", "acme"),
            ("", ""),
            ("-1", "'-1"),
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("+1", "'+1"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("a,b", "\"a,b\""),
            ("a\nb", "\"a\nb\""),
        ] {
            assert_eq!(cell(text), written, "{text}");
        }
    }
}
