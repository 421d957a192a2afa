//! A kind of object, with its spec and outputs as Rust types.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answers::unsupported;
use crate::call::{Call, Check, Listing, parse_spec};
use crate::host::Host;
use crate::observed::{Listed, Observed};
use crate::types::{self, Account, Checked, Error, Observation, Page, Parent, Resource};

/// A kind of object that a provider serves. Each method does one step and returns; none waits for
/// the provider to finish something. See the provider interface for what the host expects of each.
pub trait Kind: Sync {
    /// The kind's id, `provider.word`.
    const ID: &'static str;
    /// What a tenant writes.
    type Spec: DeserializeOwned;
    /// What the provider reports, plain.
    type Outputs: Serialize;

    /// The kind's entry in the manifest. Start from [`crate::manifest::kind`].
    fn describe(&self) -> types::Kind;

    /// Judges what the schema can't say. Pure: no http.
    fn check(&self, check: &Check<'_, Self::Spec>) -> Result<Checked, Error> {
        let _ = check;
        Ok(crate::manifest::checked())
    }

    /// Looks for an object whose provider id is not known. `None` only if there certainly is none.
    fn find(&self, call: &Call<'_, Self::Spec>) -> Result<Option<Observed<Self::Outputs>>, Error>;

    /// Reads the object.
    fn observe(&self, call: &Call<'_, Self::Spec>) -> Result<Observed<Self::Outputs>, Error>;

    /// Asks for the object with one write.
    fn create(&self, call: &Call<'_, Self::Spec>) -> Result<Observed<Self::Outputs>, Error>;

    /// Applies these top-level fields and no others.
    fn update(
        &self,
        call: &Call<'_, Self::Spec>,
        fields: &[String],
    ) -> Result<Observed<Self::Outputs>, Error> {
        let _ = (call, fields);
        Err(unsupported(&format!("change a {}", Self::ID)))
    }

    /// Asks for the deletion. `Ok` or not-found: accepted.
    fn delete(&self, call: &Call<'_, Self::Spec>) -> Result<(), Error>;

    /// One page of the kind's objects.
    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Self::Outputs>, Error>;

    /// Reads an object of which nothing is wanted yet, since it is being taken over: there is no spec
    /// to compare it with. What it reports as its spec becomes the resource's. By default it is
    /// looked for in the list.
    fn look(&self, call: &Call<'_, ()>) -> Result<Observed<Self::Outputs>, Error> {
        let id = call.provider_id()?;
        let mut cursor = None;
        loop {
            let page = self.list(&Listing {
                host: call.host,
                account: call.account,
                parent: call.wanted.parent.as_ref(),
                cursor: cursor.as_deref(),
            })?;
            if let Some(found) = page.items.into_iter().find(|item| item.provider_id == id) {
                return Ok(found.without_secrets());
            }
            match page.next {
                Some(next) => cursor = Some(next),
                None => {
                    return Err(Error::NotFound(format!("no {} has the id {id}", Self::ID)));
                }
            }
        }
    }

    /// Writes the ownership labels, in place of those of the same keys, and nothing on an object
    /// that another deployment manages (a conflict). The answer shows the object with its labels.
    fn label(&self, call: &Call<'_, ()>) -> Result<Observed<Self::Outputs>, Error> {
        let _ = call;
        Err(unsupported(&format!("label a {}", Self::ID)))
    }

    /// Removes the ownership labels, `better-compute-managed` last. One that is not there is off.
    fn unlabel(&self, call: &Call<'_, ()>) -> Result<(), Error> {
        let _ = call;
        Err(unsupported(&format!("take the labels off a {}", Self::ID)))
    }
}

/// The kinds of a provider, as `vec![&MyKind, &MyOtherKind]`.
pub type Kinds = Vec<&'static dyn AnyKind>;

/// A [`Kind`] without its types, so that a provider can hold several. Implemented for every kind,
/// and not named outside: its methods have the names of [`Kind`]'s.
pub trait AnyKind: Sync {
    /// See [`Kind::ID`].
    fn id(&self) -> &'static str;
    /// See [`Kind::describe`].
    fn describe(&self) -> types::Kind;
    /// See [`Kind::check`].
    fn check(
        &self,
        account: &Account,
        spec: &str,
        parent_kind: Option<&str>,
    ) -> Result<Checked, Error>;
    /// See [`Kind::find`].
    fn find(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
    ) -> Result<Option<Observation>, Error>;
    /// See [`Kind::observe`].
    fn observe(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
    ) -> Result<Observation, Error>;
    /// See [`Kind::create`].
    fn create(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
    ) -> Result<Observation, Error>;
    /// See [`Kind::update`].
    fn update(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
        fields: &[String],
    ) -> Result<Observation, Error>;
    /// See [`Kind::delete`].
    fn delete(&self, host: &dyn Host, account: &Account, wanted: &Resource) -> Result<(), Error>;
    /// See [`Kind::list`].
    fn list(
        &self,
        host: &dyn Host,
        account: &Account,
        parent: Option<&Parent>,
        cursor: Option<&str>,
    ) -> Result<Page, Error>;
    /// See [`Kind::label`].
    fn label(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
    ) -> Result<Observation, Error>;
    /// See [`Kind::unlabel`].
    fn unlabel(&self, host: &dyn Host, account: &Account, wanted: &Resource) -> Result<(), Error>;
}

fn call<'a, K: Kind>(
    host: &'a dyn Host,
    account: &'a Account,
    wanted: &'a Resource,
) -> Result<Call<'a, K::Spec>, Error> {
    Ok(Call {
        host,
        account,
        wanted,
        spec: parse_spec(&wanted.spec)?,
    })
}

/// A call about an object whatever its spec.
fn bare<'a>(host: &'a dyn Host, account: &'a Account, wanted: &'a Resource) -> Call<'a, ()> {
    Call {
        host,
        account,
        wanted,
        spec: (),
    }
}

/// The spec of an object that is being taken over.
fn is_nothing(spec: &str) -> bool {
    serde_json::from_str(spec)
        .is_ok_and(|spec: serde_json::Map<_, serde_json::Value>| spec.is_empty())
}

impl<K: Kind> AnyKind for K {
    fn id(&self) -> &'static str {
        K::ID
    }

    fn describe(&self) -> types::Kind {
        Kind::describe(self)
    }

    fn check(
        &self,
        account: &Account,
        spec: &str,
        parent_kind: Option<&str>,
    ) -> Result<Checked, Error> {
        Kind::check(
            self,
            &Check {
                account,
                parent_kind,
                spec: parse_spec(spec)?,
            },
        )
    }

    fn find(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
    ) -> Result<Option<Observation>, Error> {
        Kind::find(self, &call::<K>(host, account, wanted)?)?
            .map(Observed::into_observation)
            .transpose()
    }

    fn observe(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
    ) -> Result<Observation, Error> {
        match call::<K>(host, account, wanted) {
            Ok(call) => Kind::observe(self, &call)?.into_observation(),
            Err(_) if is_nothing(&wanted.spec) => {
                Kind::look(self, &bare(host, account, wanted))?.into_observation()
            }
            Err(error) => Err(error),
        }
    }

    fn create(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
    ) -> Result<Observation, Error> {
        Kind::create(self, &call::<K>(host, account, wanted)?)?.into_observation()
    }

    fn update(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
        fields: &[String],
    ) -> Result<Observation, Error> {
        Kind::update(self, &call::<K>(host, account, wanted)?, fields)?.into_observation()
    }

    fn delete(&self, host: &dyn Host, account: &Account, wanted: &Resource) -> Result<(), Error> {
        Kind::delete(self, &call::<K>(host, account, wanted)?)
    }

    fn list(
        &self,
        host: &dyn Host,
        account: &Account,
        parent: Option<&Parent>,
        cursor: Option<&str>,
    ) -> Result<Page, Error> {
        Kind::list(
            self,
            &Listing {
                host,
                account,
                parent,
                cursor,
            },
        )?
        .into_page()
    }

    fn label(
        &self,
        host: &dyn Host,
        account: &Account,
        wanted: &Resource,
    ) -> Result<Observation, Error> {
        Kind::label(self, &bare(host, account, wanted))?
            .without_secrets()
            .into_observation()
    }

    fn unlabel(&self, host: &dyn Host, account: &Account, wanted: &Resource) -> Result<(), Error> {
        Kind::unlabel(self, &bare(host, account, wanted))
    }
}
