//! What the schema can't say of an app's spec.

use berth_sdk::answers::judge;
use berth_sdk::manifest;
use berth_sdk::types::{Checked, Error, FieldError};
use serde_json::Value;

use super::spec::Spec;

const COMPONENTS: [&str; 5] = ["services", "static_sites", "workers", "jobs", "functions"];

/// Judges the spec. Images of the account's own registry reach an account-wide object; everything
/// else that does is marked in the schema.
pub(super) fn check(spec: &Spec) -> Result<Checked, Error> {
    let mut judged = Judged::default();
    if spec.components(&COMPONENTS).next().is_none() {
        judged.refuse(
            String::new(),
            "an app has at least one component: give services, static_sites, workers, jobs or functions",
        );
    }
    for (list, index, component) in spec.components(&COMPONENTS) {
        let at = format!("/{list}/{index}");
        judged.envs(&at, component);
        judged.logs(&at, component);
        judged.image(&at, component);
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

    fn envs(&mut self, at: &str, component: &Value) {
        let envs = items(component, "envs");
        for (index, env) in envs.iter().enumerate() {
            if envs
                .iter()
                .take(index)
                .any(|earlier| earlier.get("key") == env.get("key"))
            {
                self.refuse(
                    format!("{at}/envs/{index}/key"),
                    "the variable is given twice: keep one",
                );
            }
        }
    }

    fn logs(&mut self, at: &str, component: &Value) {
        const SERVICES: [&str; 4] = ["papertrail", "datadog", "logtail", "open_search"];
        for (index, log) in items(component, "log_destinations").iter().enumerate() {
            let given = SERVICES
                .iter()
                .filter(|service| log.get(service).is_some())
                .count();
            if given != 1 {
                self.refuse(
                    format!("{at}/log_destinations/{index}"),
                    "a destination is exactly one of papertrail, datadog, logtail and open_search",
                );
            }
        }
    }

    fn image(&mut self, at: &str, component: &Value) {
        let Some(image) = component.get("image") else {
            return;
        };
        if image.get("registry_type").and_then(Value::as_str) == Some("DOCR") {
            self.account_wide.push(format!("{at}/image/registry_type"));
        }
        if image.get("tag").is_some() && image.get("digest").is_some() {
            self.refuse(
                format!("{at}/image/digest"),
                "an image has a tag or a digest: give one",
            );
        }
    }
}

fn items<'a>(component: &'a Value, field: &str) -> &'a [Value] {
    component
        .get(field)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
