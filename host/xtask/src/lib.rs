//! The project's own tasks: `cargo xtask dev | test | bench | components | lint`.
//!
//! One file a command; beside them what they share: [`cargo`] runs cargo, [`built`] knows what was
//! built and where, [`components`] makes WebAssembly components, [`child`] starts and ends processes,
//! [`api`] and [`demo`] speak to a running host. The mechanical rules ([`tidy`], [`arrows`]) are
//! also tests.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person at the terminal"
)]

pub mod api;
pub mod arrows;
pub mod bench;
pub mod built;
pub mod cargo;
pub mod child;
pub mod components;
pub mod demo;
pub mod dev;
pub mod files;
pub mod lint;
pub mod stop;
pub mod test;
pub mod tidy;
