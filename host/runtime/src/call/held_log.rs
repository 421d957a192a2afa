//! A plugin's log lines, held until the call ends and its secrets are known.

use std::sync::{Arc, Mutex, PoisonError};

use berth_domain::redactor::Redactor;

use super::CallScope;

/// How loud a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogLevel {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
}

#[derive(Debug)]
struct Line {
    level: LogLevel,
    text: String,
}

/// Where the lines of one call are held, within the limits.
#[derive(Debug)]
pub(crate) struct HeldLog {
    lines: Vec<Line>,
    bytes_left: usize,
    lines_left: usize,
    dropped: usize,
}

/// A handle to it, shared by the log capability and the plugin's stdout and stderr.
pub(crate) type Sink = Arc<Mutex<HeldLog>>;

impl HeldLog {
    pub(crate) fn sink(bytes: usize, lines: usize) -> Sink {
        Arc::new(Mutex::new(Self {
            lines: Vec::new(),
            bytes_left: bytes,
            lines_left: lines,
            dropped: 0,
        }))
    }

    pub(crate) fn add(sink: &Sink, level: LogLevel, text: String) {
        let mut held = sink.lock().unwrap_or_else(PoisonError::into_inner);
        if held.lines_left == 0 || text.len() > held.bytes_left {
            held.dropped = held.dropped.saturating_add(1);
            return;
        }
        held.lines_left -= 1;
        held.bytes_left -= text.len();
        held.lines.push(Line { level, text });
    }

    /// The last thing that the plugin said at level error, such as a panic's message.
    pub(crate) fn last_error(sink: &Sink) -> Option<String> {
        let held = sink.lock().unwrap_or_else(PoisonError::into_inner);
        held.lines
            .iter()
            .rev()
            .find(|line| line.level == LogLevel::Error)
            .map(|line| line.text.clone())
    }

    /// Writes the lines to the host's log, without the secrets that the redactor knows.
    pub(crate) fn publish(sink: &Sink, redactor: &Redactor, speaker: &Speaker<'_>) {
        let mut held = sink.lock().unwrap_or_else(PoisonError::into_inner);
        for line in held.lines.drain(..) {
            emit(line.level, &redactor.scrub_text(&line.text), speaker);
        }
        if held.dropped > 0 {
            let text = format!(
                "{} more lines were dropped; `runtime.limits.logBytes` and `runtime.limits.logLines` set the limits",
                held.dropped
            );
            held.dropped = 0;
            emit(LogLevel::Warn, &text, speaker);
        }
    }
}

/// Who said it, doing what.
#[derive(Debug)]
pub(crate) struct Speaker<'a> {
    pub(crate) plugin: &'a str,
    pub(crate) generation: &'a str,
    pub(crate) function: &'a str,
    pub(crate) kind: Option<&'a str>,
    /// The call that sends requests, if it is one.
    pub(crate) scope: Option<&'a CallScope>,
}

fn emit(level: LogLevel, text: &str, speaker: &Speaker<'_>) {
    let scope = speaker.scope;
    // One line stays one line, so that no plugin can write one that looks like the host's.
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    macro_rules! line {
        ($level:ident) => {
            tracing::event!(
                target: "berth::plugin",
                tracing::Level::$level,
                plugin = speaker.plugin,
                generation = speaker.generation.get(..12),
                function = speaker.function,
                kind = speaker.kind,
                account = scope.map(|scope| tracing::field::display(&scope.account)),
                resource = scope.and_then(|scope| scope.resource.as_ref()).map(tracing::field::display),
                run = scope.and_then(|scope| scope.run.as_ref()).map(tracing::field::display),
                request = scope.and_then(|scope| scope.request.as_ref()).map(tracing::field::display),
                "{text}"
            )
        };
    }
    match level {
        LogLevel::Trace => line!(TRACE),
        LogLevel::Debug => line!(DEBUG),
        LogLevel::Info => line!(INFO),
        LogLevel::Warn => line!(WARN),
        LogLevel::Error => line!(ERROR),
    }
}
