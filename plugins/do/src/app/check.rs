//! What the schema can't say of an app's spec.

use berth_sdk::answers::judge;
use berth_sdk::manifest;
use berth_sdk::types::{Checked, Error, FieldError};

use crate::spec::app::{Env, Image, LogDestination, RegistryType, Spec};

/// Judges the spec. Images of the account's own registry reach an account-wide object; everything
/// else that does is marked in the schema.
pub(super) fn check(spec: &Spec) -> Result<Checked, Error> {
    let mut judged = Judged::default();
    let mut components = 0;
    macro_rules! each {
        ($($list:ident),*) => {$(
            for (index, component) in spec.$list.iter().flatten().enumerate() {
                components += 1;
                let at = format!("/{}/{index}", stringify!($list));
                judged.envs(&at, component.envs.as_deref());
                judged.logs(&at, component.log_destinations.as_deref());
            }
        )*};
    }
    each!(services, static_sites, workers, jobs, functions);
    macro_rules! each_image {
        ($($list:ident),*) => {$(
            for (index, component) in spec.$list.iter().flatten().enumerate() {
                judged.image(&format!("/{}/{index}/image", stringify!($list)), component.image.as_ref());
            }
        )*};
    }
    each_image!(services, workers, jobs);
    if components == 0 {
        judged.refuse(String::new(), "an app has at least one component: give services, static_sites, workers, jobs or functions");
    }
    judge(judged.errors)?;
    Ok(Checked {
        account_wide: judged.account_wide,
        ..manifest::checked()
    })
}

#[derive(Default)]
struct Judged {
    errors: Vec<FieldError>,
    account_wide: Vec<String>,
}

impl Judged {
    fn refuse(&mut self, field: String, message: &str) {
        self.errors.push(FieldError {
            field,
            message: message.to_owned(),
        });
    }

    fn envs(&mut self, at: &str, envs: Option<&[Env]>) {
        let envs = envs.unwrap_or_default();
        for (index, env) in envs.iter().enumerate() {
            if envs.iter().take(index).any(|earlier| earlier.key == env.key) {
                self.refuse(format!("{at}/envs/{index}/key"), "the variable is given twice: keep one");
            }
        }
    }

    fn logs(&mut self, at: &str, logs: Option<&[LogDestination]>) {
        for (index, log) in logs.unwrap_or_default().iter().enumerate() {
            let given = [
                log.papertrail.is_some(),
                log.datadog.is_some(),
                log.logtail.is_some(),
                log.open_search.is_some(),
            ];
            if given.into_iter().filter(|given| *given).count() != 1 {
                self.refuse(
                    format!("{at}/log_destinations/{index}"),
                    "a destination is exactly one of papertrail, datadog, logtail and open_search",
                );
            }
        }
    }

    fn image(&mut self, at: &str, image: Option<&Image>) {
        let Some(image) = image else { return };
        if image.registry_type == RegistryType::Docr {
            self.account_wide.push(format!("{at}/registry_type"));
        }
        if image.tag.is_some() && image.digest.is_some() {
            self.refuse(format!("{at}/digest"), "an image has a tag or a digest: give one");
        }
    }
}
