//! Every rule that a manifest must keep before a component is installed.
//!
//! A manifest is written by a stranger and decides what the host lets a plugin send, so that each
//! rule here is one that an account's other tenants rely on.

mod kind;
mod requests;

use std::collections::BTreeSet;
use std::fmt;

use super::{CredentialType, Endpoint, Manifest};

/// Most kinds of a manifest.
const KINDS_MAX: usize = 256;
/// Most endpoints of a manifest.
const ENDPOINTS_MAX: usize = 32;
/// Most declared reads, and most declared writes, of a kind or an endpoint.
const REQUESTS_MAX: usize = 64;
/// Most secret pointers, and most own-id pointers, of one declared request.
const POINTERS_MAX: usize = 32;
/// Most outputs, meters, bookings, updatable or identity fields of a kind.
const NAMES_MAX: usize = 64;
/// Longest title, in characters.
const TITLE_CHARS_MAX: usize = 120;
/// Longest id of a kind, in bytes.
const KIND_ID_BYTES_MAX: usize = 64;

/// A rule that a manifest breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFault {
    /// Where: `endpoints[0].origin`, or ``kind `do.app`: writes[2]``.
    pub place: String,
    /// What is wrong there.
    pub wrong: String,
    /// What would be right.
    pub right: String,
}

impl fmt::Display for ManifestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.wrong, self.right)
    }
}

impl std::error::Error for ManifestFault {}

/// Collects faults at places.
struct Faults {
    found: Vec<ManifestFault>,
    prefix: String,
}

impl Faults {
    fn add(
        &mut self,
        place: impl fmt::Display,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) {
        self.found.push(ManifestFault {
            place: format!("{}{place}", self.prefix),
            wrong: wrong.into(),
            right: right.into(),
        });
    }

    fn within(&mut self, prefix: String, check: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.prefix, prefix);
        check(self);
        self.prefix = outer;
    }

    /// One line for people.
    fn title(&mut self, place: &str, title: &str) {
        let chars = title.chars().count();
        if !(1..=TITLE_CHARS_MAX).contains(&chars) || title.chars().any(char::is_control) {
            self.add(
                place,
                "is no title",
                format!("one line of 1 to {TITLE_CHARS_MAX} characters"),
            );
        }
    }

    /// At most so many, none of them twice.
    fn distinct<'a>(&mut self, place: &str, names: impl IntoIterator<Item = &'a str>, max: usize) {
        let mut seen = BTreeSet::new();
        let mut count = 0;
        for name in names {
            count += 1;
            if !seen.insert(name) {
                self.add(place, format!("has `{name}` twice"), "name each once");
            }
        }
        if count > max {
            self.add(
                place,
                format!("has {count} entries"),
                format!("at most {max} are taken"),
            );
        }
    }
}

/// Checks every rule.
///
/// # Errors
/// All rules that are broken, in the order of the manifest.
pub fn validate(manifest: &Manifest) -> Result<(), Vec<ManifestFault>> {
    let mut faults = Faults {
        found: Vec::new(),
        prefix: String::new(),
    };
    if !is_provider(&manifest.provider) {
        faults.add(
            "provider",
            format!("`{}` is no provider's name", manifest.provider),
            "1 to 16 characters, `[a-z][a-z0-9]*`",
        );
    }
    if !is_semver(&manifest.version) {
        faults.add(
            "version",
            format!("`{}` is no version", manifest.version),
            "semver such as `1.2.3` or `1.2.3-beta.1`",
        );
    }
    faults.title("title", &manifest.title);
    endpoints(manifest, &mut faults);
    if manifest.kinds.is_empty() {
        faults.add("kinds", "is empty", "a plugin serves at least one kind");
    }
    faults.distinct(
        "kinds",
        manifest.kinds.iter().map(|kind| kind.id.as_str()),
        KINDS_MAX,
    );
    for kind in &manifest.kinds {
        faults.within(format!("kind `{}`: ", kind.id), |faults| {
            kind::check(manifest, kind, faults)
        });
    }
    kind::no_circles(manifest, &mut faults);
    requests::reads_are_no_writes(manifest, &mut faults);
    if faults.found.is_empty() {
        Ok(())
    } else {
        Err(faults.found)
    }
}

fn endpoints(manifest: &Manifest, faults: &mut Faults) {
    faults.distinct(
        "endpoints",
        manifest
            .endpoints
            .iter()
            .map(|endpoint| endpoint.origin.as_str()),
        ENDPOINTS_MAX,
    );
    for (index, endpoint) in manifest.endpoints.iter().enumerate() {
        faults.within(format!("endpoints[{index}]."), |faults| {
            endpoint_rules(manifest, endpoint, faults)
        });
    }
    let taken = manifest
        .endpoints
        .iter()
        .any(|endpoint| endpoint.credential);
    if manifest.credential != CredentialType::None && !taken {
        faults.add(
            "credential",
            "no endpoint takes it",
            "set `credential` on the endpoints that need it, or say `none`",
        );
    }
}

fn endpoint_rules(manifest: &Manifest, endpoint: &Endpoint, faults: &mut Faults) {
    match origin_host(&endpoint.origin) {
        None => faults.add(
            "origin",
            format!("`{}` is no origin", endpoint.origin),
            "`https://host` or `https://host:port` in lower case, without path, user or trailing slash; a host may start with `*.`",
        ),
        Some(host) if host.starts_with("*.") && endpoint.credential => {
            faults.add("credential", "a wildcard host can't take the credential", "name each host that needs it");
        }
        Some(_) => {}
    }
    if endpoint.credential && manifest.credential == CredentialType::None {
        faults.add(
            "credential",
            "the manifest's credential type is `none`",
            "say which credential it takes, or unset it here",
        );
    }
    requests::reads("reads", &endpoint.reads, faults);
    for (index, read) in endpoint.reads.iter().enumerate() {
        let holds = read.path.holds();
        if holds.id || holds.parent || holds.name {
            faults.add(
                format!("reads[{index}].path"),
                "an endpoint's reads belong to no object",
                "use `{any}`, or declare it with the kind",
            );
        }
    }
}

/// The host of an origin of the form that manifests use; `None` if it has another form.
fn origin_host(origin: &str) -> Option<&str> {
    let rest = origin.strip_prefix("https://")?;
    let (host, port) = match rest.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (rest, None),
    };
    if let Some(port) = port {
        let number = port.parse::<u16>().ok().filter(|number| *number > 0)?;
        if number.to_string() != port || number == 443 {
            return None;
        }
    }
    let name = host.strip_prefix("*.").unwrap_or(host);
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let labels: Vec<&str> = name.split('.').collect();
    // The last label of a name has a letter: otherwise it may be an address in disguise.
    let named = labels.last().is_some_and(|last| {
        last.bytes().any(|b| b.is_ascii_lowercase()) && !last.starts_with("0x")
    });
    let wide_enough = labels.len() >= 2;
    (name.len() <= 253 && named && wide_enough && labels.into_iter().all(label)).then_some(host)
}

fn is_provider(text: &str) -> bool {
    (1..=16).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

fn is_semver(text: &str) -> bool {
    let number = |part: &str| {
        (1..=9).contains(&part.len())
            && part.bytes().all(|b| b.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let tail = |part: &str| {
        part.split('.').all(|word| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        })
    };
    let (text, build) = text
        .split_once('+')
        .map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, pre) = text
        .split_once('-')
        .map_or((text, None), |(core, pre)| (core, Some(pre)));
    let parts: Vec<&str> = core.split('.').collect();
    text.len() <= 64
        && parts.len() == 3
        && parts.into_iter().all(number)
        && pre.is_none_or(tail)
        && build.is_none_or(tail)
}

#[cfg(test)]
pub(super) mod tests;
