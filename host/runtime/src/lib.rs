//! berth-runtime
