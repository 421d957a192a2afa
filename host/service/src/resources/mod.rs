//! `resources`: what operators do to rows of cloud resources, beyond the contract.

pub mod forget;
