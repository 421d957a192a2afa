//! Who may do what: IAM documents, compiled to Cedar, and decisions.
//!
//! A [`Document`] is parsed from JSON when it is written, which refuses everything it does not
//! understand. [`PolicySet::compile`] turns the documents that hold for one principal into Cedar
//! policies; the result is cheap to clone and meant to be cached. [`PolicySet::decide`] answers
//! one [`Request`]; for many resources and one caller, [`PolicySet::prepare`] saves the work that
//! is the same for all of them.
//!
//! # How a decision comes about
//! 1. A caller acts in its own tenant only, whatever its documents say, unless its
//!    [`Reach`] is every tenant.
//! 2. A statement applies when its action, its resource and **all** its conditions match.
//! 3. If anything went wrong while evaluating, the answer is no.
//! 4. If any statement that denies applies, the answer is no.
//! 5. If any statement that allows applies, the answer is yes.
//! 6. The owner of a cloud resource may read, update and delete it.
//! 7. Otherwise the answer is no.
//!
//! # Conditions
//! The values of one key are alternatives; keys and operators must all hold. What a **missing
//! key** means follows AWS:
//!
//! | form | key missing |
//! |---|---|
//! | `StringEquals`, `StringLike`, `Numeric…`, `Date…`, `Bool`, `IpAddress` | does not match |
//! | `StringNotEquals`, `StringNotLike`, `NumericNotEquals`, `DateNotEquals`, `NotIpAddress` | matches |
//! | any of them with `IfExists` | matches |
//! | `ForAnyValue:` any of them | does not match |
//! | `ForAllValues:` any of them | matches |
//! | `Null: {key: true}` | matches; `false` matches when the key is there |
//!
//! So a denial with `StringNotEquals` also denies what lacks the key, and an allowance with
//! `StringNotEquals` or `ForAllValues:` also allows it: add `Null: {key: false}` where that is
//! not meant. An empty set of groups counts as missing.
//!
//! In `StringLike` and in resources `*` stands for any text, also none; every other character,
//! `?` included, stands for itself. All comparisons mind case.
//!
//! This crate is pure: no clock, no I/O; the time of a request is part of its [`Context`].

mod compile;
mod decision;
mod document;
mod limits;
mod managed;
mod policy_set;
mod request;
mod vocabulary;

pub use compile::CompileError;
pub use decision::{AllowedBy, Decision, DenyReason};
pub use document::{Document, DocumentError, Problem, VERSION};
pub use limits::{
    DEFAULT_MAX_ACTIONS, DEFAULT_MAX_CONDITIONS, DEFAULT_MAX_DOCUMENT_BYTES,
    DEFAULT_MAX_PATTERN_BYTES, DEFAULT_MAX_RESOURCES, DEFAULT_MAX_STATEMENTS,
    DEFAULT_MAX_STATEMENTS_A_PRINCIPAL, DEFAULT_MAX_VALUES, Limit, Limits,
};
pub use managed::ManagedPolicy;
pub use policy_set::{Decider, PolicySet};
pub use request::{Attributes, Context, Principal, Reach, Request, Resource};
pub use vocabulary::{Action, Key, ResourceType};
