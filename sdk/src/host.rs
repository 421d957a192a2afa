//! What the host grants a plugin, as a trait, so that tests can grant something else.

use crate::types::{HttpError, Level, Request, Response};

/// The host's side of a call.
pub trait Host {
    /// Sends a request. The host decides whether it may go and puts the credential on.
    fn send(&self, request: &Request) -> Result<Response, HttpError>;
    /// Writes a structured log line. The host caps and redacts it.
    fn log(&self, level: Level, message: &str, fields: &[(&str, &str)]);
    /// The time of the run, milliseconds since the Unix epoch.
    fn now(&self) -> u64;
    /// Random bytes, at most 1024 a call.
    fn random(&self, len: u32) -> Vec<u8>;
}

/// The imports of the component.
#[cfg(target_arch = "wasm32")]
pub(crate) struct Granted;

#[cfg(target_arch = "wasm32")]
impl Host for Granted {
    fn send(&self, request: &Request) -> Result<Response, HttpError> {
        crate::bindings::berth::provider::http::send(request)
    }

    fn log(&self, level: Level, message: &str, fields: &[(&str, &str)]) {
        use crate::bindings::berth::provider::log::{Field, write};
        let fields: Vec<Field> = fields
            .iter()
            .map(|(key, value)| Field {
                key: (*key).to_owned(),
                value: (*value).to_owned(),
            })
            .collect();
        write(level, message, &fields);
    }

    fn now(&self) -> u64 {
        crate::bindings::berth::provider::clock::now()
    }

    fn random(&self, len: u32) -> Vec<u8> {
        crate::bindings::berth::provider::random::bytes(len)
    }
}

/// Sends a panic's place and text to the host's log. The trap alone would say `unreachable`.
#[cfg(target_arch = "wasm32")]
pub(crate) fn report_panics() {
    /// Enough for an assertion's text; a formatted answer of a provider has no place in a log.
    const LONGEST: usize = 300;
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let text = panic
                .payload()
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.payload().downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let text: String = text.chars().take(LONGEST).collect();
            let place = panic
                .location()
                .map(ToString::to_string)
                .unwrap_or_default();
            Granted.log(
                Level::Error,
                "the plugin panicked",
                &[("text", &text), ("at", &place)],
            );
        }));
    });
}
