//! berth-e2e
