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
