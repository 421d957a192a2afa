//! End-to-end tests, by theme. Each starts a world of its own.

mod smoke;
