//! The wasmtime engine: a pool of slots, and a ticker that bounds how long a guest runs unasked.

use std::time::Duration;

use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::limits::Limits;

/// How often a guest that computes gives its thread back.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Core modules, memories and tables that one component may consist of. A Rust component has one of
/// each (two or three with a WASI adapter), a Python one a handful.
const PARTS_PER_COMPONENT: u32 = 16;
/// Parts that all running calls together may have, as a multiple of the calls.
const PARTS_PER_CALL: u32 = 4;
const MEMORIES_PER_CALL: u32 = 2;

pub(crate) fn build(limits: &Limits) -> wasmtime::Result<Engine> {
    let calls = limits.concurrent_calls;
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(calls)
        .total_stacks(calls)
        .total_core_instances(calls.saturating_mul(PARTS_PER_CALL))
        .total_memories(calls.saturating_mul(MEMORIES_PER_CALL))
        .total_tables(calls.saturating_mul(PARTS_PER_CALL))
        .max_core_instances_per_component(PARTS_PER_COMPONENT)
        .max_memories_per_component(PARTS_PER_COMPONENT)
        .max_tables_per_component(PARTS_PER_COMPONENT)
        .max_memory_size(limits.memory_bytes)
        .table_elements(limits.table_elements)
        // Measured: keeping nothing resident was both faster and smaller.
        .linear_memory_keep_resident(0)
        .table_keep_resident(0);

    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .max_wasm_stack(limits.stack_bytes)
        .async_stack_size(limits.stack_bytes.saturating_add(1 << 20))
        // The default reserves 4 GiB of address space a slot.
        .memory_reservation(limits.memory_bytes as u64)
        .memory_guard_size(64 << 10)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Engine::new(&config)
}

/// Ticks the engine's epoch from a thread of its own, until the engine is dropped.
///
/// Its own thread, since a ticker among the guests' tasks would starve when guests spin, and then no
/// guest would ever be stopped.
pub(crate) fn start_ticker(engine: &Engine) -> std::io::Result<()> {
    let engine = engine.weak();
    std::thread::Builder::new()
        .name("berth-ticker".to_owned())
        .spawn(move || {
            loop {
                std::thread::sleep(TICK);
                match engine.upgrade() {
                    Some(engine) => engine.increment_epoch(),
                    None => return,
                }
            }
        })?;
    Ok(())
}
