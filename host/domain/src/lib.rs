//! berth-domain
