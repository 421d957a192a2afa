//! berth-sdk
