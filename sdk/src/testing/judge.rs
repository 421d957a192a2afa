//! What the host refuses of an observation.

use serde_json::{Map, Value};

use super::gate::BLANKED;
use crate::types::{Application, Kind, Manifest, Observation, Output, Ownership, Signal};

const LARGEST_MEMO: usize = 4096;

/// Panics with the rule that the observation breaks.
pub(super) fn observation(kind: &Kind, observation: &Observation) {
    let outputs = object("outputs", &observation.outputs);
    for name in outputs.keys() {
        assert!(
            declares(&kind.outputs, name),
            "{} declares no output {name}",
            kind.id
        );
    }
    assert!(
        kind.ownership != Ownership::Name || observation.name.is_some(),
        "{} is owned by its name, and the observation has none: say it with `Observed::named`",
        kind.id
    );
    for secret in &observation.secret_outputs {
        let name = &secret.name;
        assert!(
            declares(&kind.secret_outputs, name),
            "{} declares no secret output {name}",
            kind.id
        );
        assert!(
            !secret.value.is_empty(),
            "the secret output {name} is empty"
        );
    }
    if let Some(spec) = &observation.spec {
        object("spec", spec);
    }
    if let Some(memo) = &observation.memo {
        assert!(
            memo.len() <= LARGEST_MEMO,
            "the memo has {} bytes",
            memo.len()
        );
    }
    for field in &observation.pending {
        assert!(
            kind.updatable.contains(field),
            "{field} is pending but not updatable"
        );
    }
    no_secret_in_plain(observation);
}

/// The same for an item of a list.
pub(super) fn listed(kind: &Kind, item: &Observation) {
    assert!(
        item.secret_outputs.is_empty(),
        "an item of a list has secret outputs"
    );
    observation(kind, item);
}

/// The most applications, and the most signals, that a host keeps unless its operator says otherwise.
const APPLICATIONS: usize = 5_000;
const SIGNALS: usize = 5_000;
/// The longest detail of a signal, in characters.
const DETAIL: usize = 500;

/// Panics with the rule that a catalog breaks.
pub(super) fn applications(applications: &[Application]) {
    assert!(
        applications.len() <= APPLICATIONS,
        "{} applications; the host takes {APPLICATIONS}",
        applications.len()
    );
    for application in applications {
        assert!(!application.slug.is_empty(), "an application has no slug");
        one_line("the title of an application", &application.title);
    }
}

/// Panics with the rule that signals break.
pub(super) fn signals(manifest: &Manifest, signals: &[Signal]) {
    assert!(
        signals.len() <= SIGNALS,
        "{} signals; the host takes {SIGNALS}",
        signals.len()
    );
    for signal in signals {
        assert!(!signal.id.is_empty(), "a signal has no id");
        one_line("the title of a signal", &signal.title);
        if let Some(detail) = &signal.detail {
            one_line("the detail of a signal", detail);
            assert!(
                detail.chars().count() <= DETAIL,
                "the detail of the signal {} has more than {DETAIL} characters",
                signal.id
            );
        }
        assert!(
            manifest.kinds.iter().any(|kind| kind.id == signal.kind),
            "the signal {} is about {}, which is no kind of the manifest",
            signal.id,
            signal.kind
        );
        assert!(
            !format!("{signal:?}").contains(BLANKED),
            "the signal {} shows a blanked secret",
            signal.id
        );
    }
}

fn one_line(what: &str, text: &str) {
    assert!(
        !text.trim().is_empty() && !text.chars().any(char::is_control),
        "{what} is not one line: {text:?}"
    );
}

fn no_secret_in_plain(observation: &Observation) {
    let plain = format!(
        "{} {:?} {:?} {} {:?} {:?}",
        observation.provider_id,
        observation.name,
        observation.spec,
        observation.outputs,
        observation.memo,
        observation.phase
    );
    assert!(
        !plain.contains(BLANKED),
        "a blanked secret is in a plain place: {plain}"
    );
    for secret in &observation.secret_outputs {
        assert!(
            !secret.value.contains(BLANKED),
            "the secret {} was blanked",
            secret.name
        );
        assert!(
            !plain.contains(&secret.value),
            "the secret {} is in a plain place: {plain}",
            secret.name
        );
    }
}

fn declares(outputs: &[Output], name: &str) -> bool {
    outputs.iter().any(|output| output.name == name)
}

fn object(what: &str, text: &str) -> Map<String, Value> {
    serde_json::from_str(text)
        .unwrap_or_else(|error| panic!("{what} is no JSON object ({error}): {text}"))
}
