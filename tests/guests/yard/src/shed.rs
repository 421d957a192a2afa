//! A shed: runs a meter of its size. One that stands there can be taken over.

use berth_sdk::manifest::{self, names};
use berth_sdk::types::{self, Checked, Error, MeterRate};
use berth_sdk::{Call, Check, Kind, Listed, Listing, Observed};

use crate::thing::{self, Outputs, Spec};

const PATH: &str = "sheds";
const METER: &str = "yard.space";

/// The kind.
pub(crate) struct Shed;

impl Kind for Shed {
    const ID: &'static str = "yard.shed";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> types::Kind {
        types::Kind {
            meters: names(&[METER]),
            ..thing::describe(Self::ID, "Shed", PATH)
        }
    }

    fn check(&self, check: &Check<'_, Spec>) -> Result<Checked, Error> {
        Ok(Checked {
            meters: vec![MeterRate {
                name: METER.to_owned(),
                rate: check.spec.size,
            }],
            ..manifest::checked()
        })
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        thing::find(PATH, call)
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        thing::observe(PATH, call)
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        thing::create(PATH, call)
    }

    fn update(&self, call: &Call<'_, Spec>, _: &[String]) -> Result<Observed<Outputs>, Error> {
        thing::update(PATH, call)
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        thing::delete(PATH, call)
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        thing::list(PATH, listing)
    }

    fn label(&self, call: &Call<'_, ()>) -> Result<Observed<Outputs>, Error> {
        thing::label(PATH, call)
    }

    fn unlabel(&self, call: &Call<'_, ()>) -> Result<(), Error> {
        thing::unlabel(PATH, call)
    }
}
