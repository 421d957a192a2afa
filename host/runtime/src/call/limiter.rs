//! Memory and tables of one call's instance.

use wasmtime::ResourceLimiter;

use super::failure::LimitHit;

/// Refuses growth with an error of its own, so that the limit is named. (Answering "no" instead would
/// look to the guest like a full machine, and to us like its panic.)
#[derive(Debug)]
pub(crate) struct Limiter {
    memory: Room,
    table: Room,
}

/// A limit on the sum over all memories, or all tables, of the instance.
#[derive(Debug)]
struct Room {
    used: usize,
    limit: usize,
}

impl Room {
    /// Whether it can grow from one size to another.
    fn grow(&mut self, current: usize, desired: usize) -> bool {
        let used = self.used.saturating_add(desired.saturating_sub(current));
        let fits = used <= self.limit;
        if fits {
            self.used = used;
        }
        fits
    }
}

impl Limiter {
    pub(crate) fn new(memory_bytes: usize, table_elements: usize) -> Self {
        Self {
            memory: Room {
                used: 0,
                limit: memory_bytes,
            },
            table: Room {
                used: 0,
                limit: table_elements,
            },
        }
    }

    fn memory_hit(&self) -> wasmtime::Error {
        LimitHit::Memory {
            bytes: self.memory.limit,
        }
        .into()
    }

    fn table_hit(&self) -> wasmtime::Error {
        LimitHit::Table {
            elements: self.table.limit,
        }
        .into()
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if self.memory.grow(current, desired) {
            Ok(true)
        } else {
            Err(self.memory_hit())
        }
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        // The slot of the pool is full.
        Err(self.memory_hit())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if self.table.grow(current, desired) {
            Ok(true)
        } else {
            Err(self.table_hit())
        }
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(self.table_hit())
    }
}
