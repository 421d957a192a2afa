//! plugin-do
