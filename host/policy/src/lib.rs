//! berth-policy
