//! What a signal is called, and how much it matters. The provider gives types, and no severities.

use berth_sdk::answers::one_line;
use berth_sdk::types::Severity;

/// Longest title of a type that this plugin has no words for, in characters.
const LONGEST: usize = 80;

/// What the analysis calls a run that failed.
pub(super) const FAILED_RUN: &str = "execution_failure";

/// Severity and title of a type of signal.
pub(super) fn of(signal_type: &str) -> (Severity, String) {
    let known = match signal_type {
        FAILED_RUN => Some((Severity::Critical, "A run failed")),
        "disengagement_escalation" => Some((Severity::Critical, "A user asked for a human")),
        "disengagement_abandonment" => Some((Severity::Info, "A user gave up")),
        "disengagement_negative_stance" => Some((Severity::Info, "A user is displeased")),
        _ if signal_type.contains("api_error") => {
            Some((Severity::Warning, "An API that the agent uses failed"))
        }
        _ if signal_type.contains("escalation") => {
            Some((Severity::Critical, "A user asked for a human"))
        }
        _ => None,
    };
    match known {
        Some((severity, title)) => (severity, title.to_owned()),
        None => (
            Severity::Info,
            one_line(
                &format!("Signal: {}", signal_type.replace('_', " ")),
                LONGEST,
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_is_not_known_is_told_in_its_own_words() {
        assert_eq!(
            of("Looping_again\n"),
            (Severity::Info, "Signal: Looping again".to_owned())
        );
        assert!(of(&"x".repeat(1000)).1.chars().count() <= LONGEST + 1);
    }

    #[test]
    fn a_call_for_a_human_is_critical_and_an_api_error_a_warning() {
        assert_eq!(of("disengagement_escalation").0, Severity::Critical);
        assert_eq!(of("environment_exhaustion_api_error").0, Severity::Warning);
        assert_eq!(of("disengagement_abandonment").0, Severity::Info);
    }
}
