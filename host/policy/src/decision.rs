//! The answer to a request.

use std::fmt;

/// May it be done, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Allow {
        /// What allows it.
        by: AllowedBy,
    },
    /// It may not.
    Deny {
        /// Why not.
        reason: DenyReason,
    },
}

/// What allows a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedBy {
    /// A statement of a policy.
    Policy {
        /// The policy's id.
        policy: String,
        /// The statement's Sid, if it has one.
        sid: Option<String>,
    },
    /// The caller owns the resource.
    Owner,
}

/// Why a request is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DenyReason {
    /// Nothing allows it.
    NoAllow,
    /// The resource belongs to another tenant than the caller.
    OtherTenant,
    /// A statement forbids it.
    ExplicitDeny {
        /// The policy's id.
        policy: String,
        /// The statement's Sid, if it has one.
        sid: Option<String>,
    },
    /// The decision could not be made, and what can't be decided is denied.
    EvaluationError {
        /// The policy that failed, where it was one.
        policy: Option<String>,
        /// What went wrong. For the log, not for the caller.
        message: String,
    },
}

impl Decision {
    /// Whether the answer is yes.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allow { .. })
    }

    pub(crate) fn failed(policy: Option<String>, message: impl fmt::Display) -> Self {
        Self::Deny {
            reason: DenyReason::EvaluationError {
                policy,
                message: message.to_string(),
            },
        }
    }
}

impl fmt::Display for DenyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAllow => f.write_str("no policy allows it"),
            Self::OtherTenant => f.write_str("it belongs to another tenant"),
            Self::ExplicitDeny { policy, sid: None } => write!(f, "policy {policy} denies it"),
            Self::ExplicitDeny {
                policy,
                sid: Some(sid),
            } => write!(f, "policy {policy} denies it (statement {sid})"),
            Self::EvaluationError {
                policy: Some(policy),
                message,
            } => write!(f, "policy {policy} could not be evaluated: {message}"),
            Self::EvaluationError {
                policy: None,
                message,
            } => write!(f, "the request could not be evaluated: {message}"),
        }
    }
}
