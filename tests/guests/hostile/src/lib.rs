//! A provider plugin that does what it is told, good or bad.
//!
//! It is written against the raw bindings, not the sdk, so that nothing keeps it from misbehaving.
//! A call carries a script (see [`script`]): in the spec's `script` for calls about a resource and
//! for `check`, in the cursor for `list`, in the account's first region for `catalog` and `signals`.
//! Without a script there, those two hand on what the provider says (see [`told`]).

mod manifest;
mod misdeeds;
mod script;
mod told;

/// What `wit-bindgen` makes of the provider interface.
#[expect(missing_docs, reason = "generated; the interface documents it")]
pub mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit/provider-0.1.0",
        world: "provider",
    });
}

use bindings::berth::provider::types::{
    Account, Application, Checked, Error, InstallsOn, Manifest, Observation, Page, Parent,
    Resource, Signal,
};
use bindings::exports::berth::provider::adapter::Guest;

struct Hostile;

impl Guest for Hostile {
    fn describe() -> Manifest {
        manifest::manifest()
    }

    fn check(
        _account: Account,
        _kind: String,
        spec: String,
        _parent_kind: Option<String>,
    ) -> Result<Checked, Error> {
        let played = script::play(&script::of_spec(&spec));
        match played.error {
            Some(error) => Err(error),
            None => Ok(Checked {
                defaults: played.answer.defaults.unwrap_or_else(|| "{}".to_owned()),
                account_wide: Vec::new(),
                instances: played.answer.instances,
                networks: played.answer.networks,
                bookings: Vec::new(),
                meters: Vec::new(),
            }),
        }
    }

    fn find(_account: Account, wanted: Resource) -> Result<Option<Observation>, Error> {
        let played = script::play(&script::of_spec(&wanted.spec));
        if played.answer.provider_id.is_none() && played.error.is_none() {
            return Ok(None);
        }
        played.observe(&wanted).map(Some)
    }

    fn observe(_account: Account, wanted: Resource) -> Result<Observation, Error> {
        script::play(&script::of_spec(&wanted.spec)).observe(&wanted)
    }

    fn create(_account: Account, wanted: Resource) -> Result<Observation, Error> {
        script::play(&script::of_spec(&wanted.spec)).observe(&wanted)
    }

    fn update(
        _account: Account,
        wanted: Resource,
        _fields: Vec<String>,
    ) -> Result<Observation, Error> {
        script::play(&script::of_spec(&wanted.spec)).observe(&wanted)
    }

    fn delete(_account: Account, wanted: Resource) -> Result<(), Error> {
        script::play(&script::of_spec(&wanted.spec)).done()
    }

    fn list(
        _account: Account,
        kind: String,
        _parent: Option<Parent>,
        cursor: Option<String>,
    ) -> Result<Page, Error> {
        let played = script::play(cursor.as_deref().unwrap_or("{}"));
        let item = played.item(&kind)?;
        Ok(Page {
            items: vec![item],
            next: None,
        })
    }

    fn label(_account: Account, wanted: Resource) -> Result<Observation, Error> {
        script::play(&script::of_spec(&wanted.spec)).observe(&wanted)
    }

    fn unlabel(_account: Account, wanted: Resource) -> Result<(), Error> {
        script::play(&script::of_spec(&wanted.spec)).done()
    }

    fn catalog(
        account: Account,
        _installs_on: Option<InstallsOn>,
    ) -> Result<Vec<Application>, Error> {
        let Some(script) = script::of_account(&account) else {
            return told::catalog();
        };
        let played = script::play(script);
        let title = played.report();
        played.done()?;
        Ok(vec![Application {
            slug: "app".to_owned(),
            title,
            installs_on: InstallsOn::Instance,
        }])
    }

    fn signals(account: Account) -> Result<Vec<Signal>, Error> {
        let Some(script) = script::of_account(&account) else {
            return told::signals();
        };
        script::play(script).done()?;
        Ok(Vec::new())
    }

    fn upgrade_spec(_kind: String, _from_version: String, spec: String) -> Result<String, Error> {
        script::play(&script::of_spec(&spec)).done()?;
        Ok(spec)
    }
}

// A native build, such as clippy's, has no use for the exports, and no linker for their names.
#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "generated: the functions that the host calls")]
mod exported {
    use super::{Hostile, bindings};

    bindings::export!(Hostile with_types_in bindings);
}
