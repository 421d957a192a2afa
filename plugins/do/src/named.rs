//! Objects that are owned by their names, of an API that does not promise to show them.

use berth_sdk::Observed;
use berth_sdk::types::Error;

/// The object, if it shows its name: without it nothing tells whose it is.
pub(crate) fn told<O>(observed: Observed<O>) -> Result<Observed<O>, Error> {
    if observed.name.is_some() {
        return Ok(observed);
    }
    Err(Error::Unavailable(format!(
        "the provider shows {} without its name, and so not whose it is",
        observed.provider_id
    )))
}

/// The object that a create of this name was answered with.
pub(crate) fn created<O>(observed: Observed<O>, name: &str) -> Observed<O> {
    match observed.name {
        Some(_) => observed,
        None => observed.named(name),
    }
}

/// Those of a list that show their names.
pub(crate) fn all_told<O>(items: impl IntoIterator<Item = Observed<O>>) -> Vec<Observed<O>> {
    items
        .into_iter()
        .filter(|item| item.name.is_some())
        .collect()
}
