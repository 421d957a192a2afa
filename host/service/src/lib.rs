//! berth-service
