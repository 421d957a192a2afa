//! berth-contract
