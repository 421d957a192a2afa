//! `berth:provider/log`.

use crate::bindings::berth::provider::log;
use crate::call::{CallState, HeldLog, LogLevel};

impl log::Host for CallState {
    fn write(
        &mut self,
        level: log::Level,
        message: String,
        fields: Vec<log::Field>,
    ) -> wasmtime::Result<()> {
        let level = match level {
            log::Level::Trace => LogLevel::Trace,
            log::Level::Debug => LogLevel::Debug,
            log::Level::Info => LogLevel::Info,
            log::Level::Warn => LogLevel::Warn,
            log::Level::Error => LogLevel::Error,
        };
        let mut text = message;
        for field in fields {
            text.push(' ');
            text.push_str(&field.key);
            text.push('=');
            text.push_str(&field.value);
        }
        HeldLog::add(&self.log, level, text);
        Ok(())
    }
}
