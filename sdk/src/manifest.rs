//! Short ways to write a manifest.

use crate::types::{
    Checked, Family, Kind, Operation, Output, Ownership, Read, SecretPointer, Write,
};

/// A kind with everything optional left out: owned by labels, in no parent, regional if its schema
/// requires `region`. Fill in the rest with `..kind(…)`.
pub fn kind(id: &str, title: &str, family: Family, spec_schema: &str) -> Kind {
    Kind {
        id: id.to_owned(),
        title: title.to_owned(),
        family,
        spec_schema: spec_schema.to_owned(),
        outputs: Vec::new(),
        secret_outputs: Vec::new(),
        regional: false,
        updatable: Vec::new(),
        parents: Vec::new(),
        identity: Vec::new(),
        singleton: false,
        preview: false,
        meters: Vec::new(),
        bookings: Vec::new(),
        ownership: Ownership::Labels,
        releasable: false,
        adoptable: false,
        lists_whole: false,
        ends_with_parent: false,
        id_pattern: String::new(),
        reads: Vec::new(),
        writes: Vec::new(),
    }
}

/// A spec that nothing more is to be said of.
pub fn checked() -> Checked {
    Checked {
        defaults: "{}".to_owned(),
        account_wide: Vec::new(),
        instances: Vec::new(),
        networks: Vec::new(),
        bookings: Vec::new(),
        meters: Vec::new(),
    }
}

/// Outputs from pairs of name and title.
pub fn outputs(pairs: &[(&str, &str)]) -> Vec<Output> {
    pairs
        .iter()
        .map(|(name, title)| Output {
            name: (*name).to_owned(),
            title: (*title).to_owned(),
        })
        .collect()
}

/// Names as the manifest takes them.
pub fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A path that is read with `GET`.
pub fn get(path: &str) -> Read {
    Read {
        method: "GET".to_owned(),
        path: path.to_owned(),
        secrets: Vec::new(),
    }
}

/// A request by which the operation changes something.
pub fn write(operation: Operation, method: &str, path: &str) -> Write {
    Write {
        operation,
        method: method.to_owned(),
        path: path.to_owned(),
        own_ids: Vec::new(),
        secrets: Vec::new(),
    }
}

/// Where an answer holds secrets.
pub trait Secrets: Sized {
    #[doc(hidden)]
    fn secrets(&mut self) -> &mut Vec<SecretPointer>;

    /// Secrets of the call's own object: the plugin may read them when it creates, observes or
    /// updates it.
    #[must_use]
    fn own(mut self, pointers: &[&str]) -> Self {
        self.secrets()
            .extend(pointers.iter().map(|pointer| SecretPointer {
                pointer: (*pointer).to_owned(),
                own: true,
            }));
        self
    }

    /// Secrets of others: the host always blanks them.
    #[must_use]
    fn foreign(mut self, pointers: &[&str]) -> Self {
        self.secrets()
            .extend(pointers.iter().map(|pointer| SecretPointer {
                pointer: (*pointer).to_owned(),
                own: false,
            }));
        self
    }
}

impl Secrets for Read {
    fn secrets(&mut self) -> &mut Vec<SecretPointer> {
        &mut self.secrets
    }
}

impl Secrets for Write {
    fn secrets(&mut self) -> &mut Vec<SecretPointer> {
        &mut self.secrets
    }
}

/// Where a write's body names the object that it changes.
pub trait OwnIds: Sized {
    /// Each of these places must hold the call's own provider id.
    #[must_use]
    fn own_ids(self, pointers: &[&str]) -> Self;
}

impl OwnIds for Write {
    fn own_ids(mut self, pointers: &[&str]) -> Self {
        self.own_ids = names(pointers);
        self
    }
}
