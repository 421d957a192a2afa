//! Values of conditions.

use serde_json::Value;

use super::moment::parse_moment;
use super::pattern::refuse_variables;
use super::reader::Reader;
use super::{DocumentError, Network};

pub(super) fn text_of(reader: &Reader<'_>) -> Result<String, DocumentError> {
    let text = reader.text()?;
    refuse_variables(reader, text)?;
    Ok(text.to_owned())
}

pub(super) fn number_of(reader: &Reader<'_>) -> Result<i64, DocumentError> {
    const WHOLE: &str = "a whole number from -9223372036854775808 to 9223372036854775807";
    match reader.value() {
        Value::Number(number) => number.as_i64(),
        Value::String(_) => reader.text()?.parse().ok(),
        _ => return Err(reader.mistyped(WHOLE)),
    }
    .ok_or_else(|| reader.unfit(WHOLE))
}

pub(super) fn moment_of(reader: &Reader<'_>) -> Result<i64, DocumentError> {
    const MOMENT: &str = "a moment: write \"2026-05-01T12:00:00Z\", \"2026-05-01\" (midnight UTC), or epoch milliseconds";
    match reader.value() {
        Value::Number(number) => number.as_i64(),
        Value::String(_) => {
            let text = reader.text()?;
            parse_moment(text).or_else(|| text.parse().ok())
        }
        _ => return Err(reader.mistyped(MOMENT)),
    }
    .ok_or_else(|| reader.unfit(MOMENT))
}

pub(super) fn bool_of(reader: &Reader<'_>) -> Result<bool, DocumentError> {
    match reader.value() {
        Value::Bool(value) => Ok(*value),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        _ => Err(reader.unfit("true or false")),
    }
}

pub(super) fn network_of(reader: &Reader<'_>) -> Result<Network, DocumentError> {
    Network::parse(reader.text()?).ok_or_else(|| {
        reader.unfit(
            "an address or a network: write \"203.0.113.7\", \"10.0.0.0/8\" or \"2001:db8::/32\"",
        )
    })
}
