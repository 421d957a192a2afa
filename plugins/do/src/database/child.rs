//! What lives in a cluster: each has a path below the cluster's and is called by its name there.

use berth_sdk::answers::busy;
use berth_sdk::http::{Answer, Request};
use berth_sdk::types::Error;
use berth_sdk::{Call, Listing};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::api;

/// A kind of thing in a cluster, as the API shows it.
pub(crate) trait Child: Sized {
    /// The collection's segment in paths.
    const COLLECTION: &'static str;
    /// What one is called in a sentence.
    const WORD: &'static str;
    /// An answer about one.
    type One: DeserializeOwned + Into<Self>;
    /// An answer about all in a cluster.
    type All: DeserializeOwned + Into<Vec<Self>>;

    fn name(&self) -> &str;
}

/// The call's own, as it is shown.
pub(crate) fn read<C: Child, S>(call: &Call<'_, S>) -> Result<C, Error> {
    let one: C::One = own::<C, S>(call, |api, path| api.get(path))?
        .send()?
        .json()?;
    named(one.into(), call).map_err(Error::Unavailable)
}

/// The same for `find`: `None` if there is none.
pub(crate) fn find<C: Child, S>(call: &Call<'_, S>) -> Result<Option<C>, Error> {
    match read(call) {
        Ok(child) => Ok(Some(child)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Asks for it. A cluster that is not found is one that is not visible yet: the host has seen it.
pub(crate) fn create<C: Child, S>(call: &Call<'_, S>, body: &impl Serialize) -> Result<C, Error> {
    let one: C::One = api(call.host())
        .post(&[
            "v2",
            "databases",
            &call.parent()?.provider_id,
            C::COLLECTION,
        ])
        .body(body)
        .send()
        .map_err(waiting)?
        .json()?;
    written(one.into(), call)
}

/// A 404 below a cluster that was seen is about something that is not there yet.
pub(crate) fn waiting(error: Error) -> Error {
    match error {
        Error::NotFound(why) => busy(format!(
            "waiting for the cluster, or for what the spec names in it: {why}"
        )),
        other => other,
    }
}

/// Sends a change of it.
pub(crate) fn put<C: Child, S>(call: &Call<'_, S>, body: &impl Serialize) -> Result<Answer, Error> {
    own::<C, S>(call, |api, path| api.put(path))?
        .body(body)
        .send()
}

/// Asks for its deletion. One that is not there is deleted.
pub(crate) fn delete<C: Child, S>(call: &Call<'_, S>) -> Result<(), Error> {
    match own::<C, S>(call, |api, path| api.delete(path))?.send() {
        Ok(_) | Err(Error::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// All in a cluster: the API gives them in one answer.
pub(crate) fn all<C: Child>(listing: &Listing<'_>) -> Result<Vec<C>, Error> {
    let all: C::All = api(listing.host())
        .get(&[
            "v2",
            "databases",
            &listing.parent()?.provider_id,
            C::COLLECTION,
        ])
        .send()?
        .json()?;
    Ok(all.into())
}

/// What the answer to a write is about. If that is another one, nobody knows what was done.
pub(crate) fn written<C: Child, S>(child: C, call: &Call<'_, S>) -> Result<C, Error> {
    named(child, call).map_err(Error::Ambiguous)
}

/// An answer about another name is about a stranger.
fn named<C: Child, S>(child: C, call: &Call<'_, S>) -> Result<C, String> {
    if child.name() == call.name() {
        return Ok(child);
    }
    Err(format!(
        "asked about the {} `{}`, the provider answered about another one; look at the {} of the cluster there",
        C::WORD,
        call.name(),
        C::COLLECTION
    ))
}

fn own<'a, C: Child, S>(
    call: &Call<'a, S>,
    request: impl FnOnce(berth_sdk::http::Api<'a>, &[&str]) -> Request<'a>,
) -> Result<Request<'a>, Error> {
    let path = [
        "v2",
        "databases",
        &call.parent()?.provider_id,
        C::COLLECTION,
        call.name(),
    ];
    Ok(request(api(call.host()), &path))
}
