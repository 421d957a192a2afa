//! berth-vault
