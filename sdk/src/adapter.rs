//! The component's exported interface, on top of a [`Provider`].

use std::marker::PhantomData;

/// The exported interface of a provider; [`crate::export!`] names it.
pub struct Adapter<P>(PhantomData<P>);

#[cfg(target_arch = "wasm32")]
mod exported {
    use super::Adapter;
    use crate::answers::invalid;
    use crate::bindings::exports::berth::provider::adapter::Guest;
    use crate::host::{Granted, report_panics};
    use crate::provider::{Provider, kind, manifest};
    use crate::types::{
        Account, Application, Checked, Error, InstallsOn, Manifest, Observation, Page, Parent,
        Resource, Signal,
    };

    impl<P: Provider + 'static> Guest for Adapter<P> {
        fn describe() -> Manifest {
            report_panics();
            manifest::<P>()
        }

        fn check(
            account: Account,
            kind_id: String,
            spec: String,
            parent_kind: Option<String>,
        ) -> Result<Checked, Error> {
            report_panics();
            kind::<P>(&kind_id)?.check(&account, &spec, parent_kind.as_deref())
        }

        fn find(account: Account, wanted: Resource) -> Result<Option<Observation>, Error> {
            report_panics();
            kind::<P>(&wanted.kind)?.find(&Granted, &account, &wanted)
        }

        fn observe(account: Account, wanted: Resource) -> Result<Observation, Error> {
            report_panics();
            kind::<P>(&wanted.kind)?.observe(&Granted, &account, &wanted)
        }

        fn create(account: Account, wanted: Resource) -> Result<Observation, Error> {
            report_panics();
            kind::<P>(&wanted.kind)?.create(&Granted, &account, &wanted)
        }

        fn update(
            account: Account,
            wanted: Resource,
            fields: Vec<String>,
        ) -> Result<Observation, Error> {
            report_panics();
            kind::<P>(&wanted.kind)?.update(&Granted, &account, &wanted, &fields)
        }

        fn delete(account: Account, wanted: Resource) -> Result<(), Error> {
            report_panics();
            kind::<P>(&wanted.kind)?.delete(&Granted, &account, &wanted)
        }

        fn list(
            account: Account,
            kind_id: String,
            parent: Option<Parent>,
            cursor: Option<String>,
        ) -> Result<Page, Error> {
            report_panics();
            kind::<P>(&kind_id)?.list(&Granted, &account, parent.as_ref(), cursor.as_deref())
        }

        fn label(account: Account, wanted: Resource) -> Result<Observation, Error> {
            report_panics();
            kind::<P>(&wanted.kind)?.label(&Granted, &account, &wanted)
        }

        fn unlabel(account: Account, wanted: Resource) -> Result<(), Error> {
            report_panics();
            kind::<P>(&wanted.kind)?.unlabel(&Granted, &account, &wanted)
        }

        fn catalog(
            account: Account,
            installs_on: Option<InstallsOn>,
        ) -> Result<Vec<Application>, Error> {
            report_panics();
            P::catalog(&Granted, &account, installs_on)
        }

        fn signals(account: Account) -> Result<Vec<Signal>, Error> {
            report_panics();
            P::signals(&Granted, &account)
        }

        fn upgrade_spec(
            kind_id: String,
            from_version: String,
            spec: String,
        ) -> Result<String, Error> {
            report_panics();
            let spec =
                serde_json::from_str(&spec).map_err(|_| invalid("", "the spec is not JSON"))?;
            P::upgrade_spec(&kind_id, &from_version, spec).map(|upgraded| upgraded.to_string())
        }
    }
}
