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

#[cfg(test)]
mod tests {
    use super::*;

    fn run(wat: &str) -> Result<(), LimitHit> {
        let engine = wasmtime::Engine::default();
        let mut store = wasmtime::Store::new(&engine, Limiter::new(1 << 20, 100));
        store.limiter(|limiter| limiter);
        let module = wasmtime::Module::new(&engine, wat::parse_str(wat).unwrap()).unwrap();
        wasmtime::Instance::new(&mut store, &module, &[])
            .map(|_| ())
            .map_err(|error| *error.downcast_ref().unwrap())
    }

    #[test]
    fn tables_that_grow_or_start_too_large_hit_the_limit() {
        let limit = LimitHit::Table { elements: 100 };
        let hit = Err(limit);
        assert_eq!(run("(module (table 100 funcref))"), Ok(()));
        assert_eq!(run("(module (table 101 funcref))"), hit);
        assert_eq!(
            run("(module (table 60 funcref) (table 60 funcref))"),
            hit,
            "the sum counts"
        );
        let grows = "(module (table $t 1 funcref) (func $f (loop $l (drop (table.grow $t (ref.null func) (i32.const 10))) (br $l))) (start $f))";
        assert_eq!(run(grows), hit);
        insta::assert_snapshot!(limit, @"tableLimit: the plugin wanted more than 100 table elements; `runtime.limits.tableElements` sets the limit");
    }

    #[test]
    fn memory_that_grows_or_starts_too_large_hits_the_limit() {
        let hit = Err(LimitHit::Memory { bytes: 1 << 20 });
        assert_eq!(run("(module (memory 16))"), Ok(()));
        assert_eq!(run("(module (memory 17))"), hit);
        assert_eq!(
            run("(module (memory 1) (func $f (drop (memory.grow (i32.const 16)))) (start $f))"),
            hit
        );
    }
}
