//! What an error of wasmtime means, in the words of whoever must act on it.

use wasmtime::{PoolConcurrencyLimitError, Trap, WasmBacktrace};

use super::failure::{CallFailure, LimitHit};
use crate::limits::Limits;

/// Functions that a summary names, innermost first.
const FRAMES_MAX: usize = 8;
/// Longest summary, in characters.
const SUMMARY_CHARS_MAX: usize = 1_000;
/// wasmtime's error for too much data from a guest has a private type, so its text is matched.
const FUEL_TEXT: &str = "fuel allocated for hostcalls has been exhausted";

pub(crate) fn classify(
    error: &wasmtime::Error,
    limits: &Limits,
    last_words: Option<String>,
) -> CallFailure {
    if let Some(hit) = error.downcast_ref::<LimitHit>() {
        return CallFailure::Limit(*hit);
    }
    if error.downcast_ref::<PoolConcurrencyLimitError>().is_some() {
        return CallFailure::Busy(
            "the pool of slots is empty; try again, or raise `runtime.limits.concurrentCalls`"
                .to_owned(),
        );
    }
    if error
        .chain()
        .any(|cause| cause.to_string().contains(FUEL_TEXT))
    {
        return CallFailure::Limit(LimitHit::Output {
            bytes: limits.output_bytes,
        });
    }
    CallFailure::Trap {
        summary: summary(error, last_words),
    }
}

fn summary(error: &wasmtime::Error, last_words: Option<String>) -> String {
    let what = match error.downcast_ref::<Trap>() {
        // A Rust guest that runs out of stack grows it into its data and faults there.
        Some(Trap::MemoryOutOfBounds) => {
            "memory access out of bounds (a stack overflow looks like this too)".to_owned()
        }
        Some(trap) => trap.to_string(),
        None => error.root_cause().to_string(),
    };
    let mut text = what;
    let names: Vec<String> = error
        .downcast_ref::<WasmBacktrace>()
        .into_iter()
        .flat_map(WasmBacktrace::frames)
        .filter_map(|frame| frame.func_name())
        .map(|name| format!("{:#}", rustc_demangle::demangle(name)))
        .collect();
    let telling = names
        .iter()
        .filter(|name| !is_machinery(name))
        .take(FRAMES_MAX);
    let frames: Vec<&str> = telling.map(String::as_str).collect();
    if !frames.is_empty() {
        text.push_str(" in ");
        text.push_str(&frames.join(" < "));
    }
    if let Some(words) = last_words {
        text.push_str("; its last error was: ");
        text.push_str(&words);
    }
    text.chars()
        .take(SUMMARY_CHARS_MAX)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Whether a function belongs to the machinery of panics and of calling a component, not to the plugin.
fn is_machinery(name: &str) -> bool {
    const PREFIXES: [&str; 6] = ["__rustc::", "std::", "core::", "alloc::", "rust_", "__"];
    PREFIXES
        .iter()
        .any(|prefix| name.trim_start_matches('<').starts_with(prefix))
}
