//! A loaded version of a plugin.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use berth_domain::manifest::{IdPattern, Kind, Manifest, ManifestFault};
use berth_domain::spec::SpecSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use crate::bindings::ProviderPre;
use crate::call::CallState;

/// SHA-256 of a component's bytes, in lower-case hexadecimal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

/// Why a text is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a digest: expected 64 hexadecimal digits in lower case")]
pub struct DigestError;

impl Digest {
    /// The digest of a component.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(format!("{:x}", Sha256::digest(bytes)))
    }

    /// The digest as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Digest {
    type Err = DigestError;
    fn from_str(text: &str) -> Result<Self, DigestError> {
        let fits = text.len() == 64
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(DigestError)
        }
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;
    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A plugin's version that is ready to be called. Immutable; whoever holds it can call it.
pub struct Generation {
    digest: Digest,
    manifest: Manifest,
    kinds: BTreeMap<String, Judged>,
    pre: ProviderPre<CallState>,
    share: Arc<Semaphore>,
}

/// A kind's rules, compiled.
struct Judged {
    schema: SpecSchema,
    id_pattern: IdPattern,
}

impl Generation {
    /// Takes a manifest that is valid; compiles its schemas and patterns.
    pub(crate) fn new(
        digest: Digest,
        manifest: Manifest,
        pre: ProviderPre<CallState>,
        share: Arc<Semaphore>,
    ) -> Result<Self, Vec<ManifestFault>> {
        let mut kinds = BTreeMap::new();
        let mut faults = Vec::new();
        for kind in &manifest.kinds {
            let fault = |wrong: &str, right: String| ManifestFault {
                place: format!("kind `{}`", kind.id),
                wrong: wrong.to_owned(),
                right,
            };
            match (
                SpecSchema::compile(&kind.spec_schema),
                IdPattern::compile(&kind.id_pattern),
            ) {
                (Ok(schema), Ok(id_pattern)) => {
                    kinds.insert(kind.id.clone(), Judged { schema, id_pattern });
                }
                (Err(error), _) => faults.push(fault("spec-schema", error.to_string())),
                (_, Err(error)) => faults.push(fault("id-pattern", error.to_string())),
            }
        }
        if faults.is_empty() {
            Ok(Self {
                digest,
                manifest,
                kinds,
                pre,
                share,
            })
        } else {
            Err(faults)
        }
    }

    /// The digest of its component.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// What it says of itself.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// A kind of its manifest.
    #[must_use]
    pub fn kind(&self, id: &str) -> Option<&Kind> {
        self.manifest.kind(id)
    }

    /// The compiled schema of a kind's spec.
    #[must_use]
    pub fn schema(&self, kind: &str) -> Option<&SpecSchema> {
        self.kinds.get(kind).map(|judged| &judged.schema)
    }

    /// Whether a text is a provider id of a kind.
    #[must_use]
    pub fn is_id(&self, kind: &str, text: &str) -> bool {
        self.kinds
            .get(kind)
            .is_some_and(|judged| judged.id_pattern.matches(text))
    }

    pub(crate) fn pre(&self) -> &ProviderPre<CallState> {
        &self.pre
    }

    pub(crate) fn share(&self) -> &Arc<Semaphore> {
        &self.share
    }
}

impl fmt::Debug for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Generation({} {} {})",
            self.manifest.provider, self.manifest.version, self.digest
        )
    }
}
