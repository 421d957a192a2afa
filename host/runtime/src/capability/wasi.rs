//! WASI, with nothing granted: no files, no sockets, no environment. Output goes to the plugin's log.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncWrite;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxView, WasiView};

use crate::call::{CallState, HeldLog, LogLevel, Sink};
use crate::ports::Clock;

/// Random bytes that a guest may draw at once through WASI.
const RANDOM_MAX: u64 = 64 << 10;

/// The WASI context of one call.
pub(crate) struct WasiState {
    context: WasiCtx,
    table: ResourceTable,
}

impl WasiState {
    fn new(log: &Sink, clock: &Arc<dyn Clock>) -> Self {
        let mut builder = WasiCtx::builder();
        builder
            .stdout(LogStream {
                log: log.clone(),
                level: LogLevel::Info,
            })
            .stderr(LogStream {
                log: log.clone(),
                level: LogLevel::Error,
            })
            .wall_clock(PortClock(clock.clone()))
            .monotonic_clock(PortClock(clock.clone()))
            .max_random_size(RANDOM_MAX)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .allow_blocking_current_thread(false);
        Self {
            context: builder.build(),
            table: ResourceTable::new(),
        }
    }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let (log, clock) = (&self.log, &self.clock);
        let wasi = self
            .wasi
            .get_or_insert_with(|| Box::new(WasiState::new(log, clock)));
        WasiCtxView {
            ctx: &mut wasi.context,
            table: &mut wasi.table,
        }
    }
}

struct PortClock(Arc<dyn Clock>);

impl PortClock {
    fn since_epoch(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.now().0).unwrap_or(0))
    }
}

impl HostWallClock for PortClock {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        self.since_epoch()
    }
}

impl HostMonotonicClock for PortClock {
    fn resolution(&self) -> u64 {
        1_000_000
    }

    fn now(&self) -> u64 {
        u64::try_from(self.since_epoch().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// A guest's stdout or stderr: what is written becomes log lines.
#[derive(Clone)]
struct LogStream {
    log: Sink,
    level: LogLevel,
}

impl IsTerminal for LogStream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for LogStream {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for LogStream {
    fn poll_write(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        for line in String::from_utf8_lossy(bytes)
            .lines()
            .filter(|line| !line.trim().is_empty())
        {
            HeldLog::add(&self.log, self.level, line.to_owned());
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use berth_domain::time::Millis;
    use wasmtime::component::Component;
    use wasmtime::{Engine, Store};

    use super::super::linker;
    use super::*;
    use crate::call::CallState;
    use crate::ports::Entropy;

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Millis {
            Millis(1_234)
        }
    }

    impl Entropy for Still {
        fn fill(&self, _buffer: &mut [u8]) {}
    }

    /// Asks WASI for the time, and how many variables its environment has.
    const GUEST: &str = r#"(component
        (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock (export "now" (func (result u64)))))
        (import "wasi:cli/environment@0.2.3" (instance $cli (export "get-environment" (func (result (list (tuple string string)))))))
        (core module $libc
            (memory (export "memory") 1)
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
        (core instance $libc (instantiate $libc))
        (core func $now (canon lower (func $clock "now")))
        (core func $env (canon lower (func $cli "get-environment") (memory (core memory $libc "memory")) (realloc (core func $libc "realloc"))))
        (core module $main
            (import "" "memory" (memory 1))
            (import "" "now" (func $now (result i64)))
            (import "" "env" (func $env (param i32)))
            (func (export "now") (result i64) (call $now))
            (func (export "variables") (result i32) (call $env (i32.const 16)) (i32.load (i32.const 20))))
        (core instance $main (instantiate $main (with "" (instance
            (export "memory" (memory $libc "memory")) (export "now" (func $now)) (export "env" (func $env))))))
        (func (export "now") (result u64) (canon lift (core func $main "now")))
        (func (export "variables") (result u32) (canon lift (core func $main "variables"))))"#;

    #[tokio::test]
    async fn wasi_tells_the_hosts_time_and_has_nothing_granted() {
        let engine = Engine::default();
        let component = Component::from_binary(&engine, &wat::parse_str(GUEST).unwrap()).unwrap();
        let state = CallState::bare(Arc::new(Still), Arc::new(Still));
        let mut store = Store::new(&engine, state);
        let linker = linker(&engine, true).unwrap();
        let guest = linker
            .instantiate_async(&mut store, &component)
            .await
            .unwrap();
        let now = guest
            .get_typed_func::<(), (u64,)>(&mut store, "now")
            .unwrap();
        assert_eq!(
            now.call_async(&mut store, ()).await.unwrap(),
            (1_234_000_000,)
        );
        let variables = guest
            .get_typed_func::<(), (u32,)>(&mut store, "variables")
            .unwrap();
        assert_eq!(variables.call_async(&mut store, ()).await.unwrap(), (0,));
    }
}
