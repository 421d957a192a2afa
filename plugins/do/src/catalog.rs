//! Applications that can be installed: DigitalOcean's 1-Clicks.

use std::collections::HashSet;

use berth_sdk::Host;
use berth_sdk::types::{Application, Error, InstallsOn};
use serde::Deserialize;

use crate::api::api;

pub(crate) const PATH: &str = "/v2/1-clicks";

/// The most that a host keeps.
const MOST: usize = 5_000;

#[derive(Debug, Deserialize)]
struct OneClicks {
    #[serde(rename = "1_clicks")]
    one_clicks: Option<Vec<OneClick>>,
}

/// The API tells no more of one than this.
#[derive(Debug, Deserialize)]
struct OneClick {
    slug: Option<String>,
    #[serde(rename = "type")]
    installs_on: Option<String>,
}

/// Reads them: the API gives them in one answer.
pub(crate) fn read(
    host: &dyn Host,
    installs_on: Option<InstallsOn>,
) -> Result<Vec<Application>, Error> {
    let request = api(host).get(&["v2", "1-clicks"]);
    let request = match installs_on {
        Some(InstallsOn::Instance) => request.query("type", "droplet"),
        Some(InstallsOn::Kubernetes) => request.query("type", "kubernetes"),
        None => request,
    };
    let answer: OneClicks = request.send()?.json()?;
    let mut seen = HashSet::new();
    Ok(answer
        .one_clicks
        .into_iter()
        .flatten()
        .filter_map(application)
        .filter(|application| installs_on.is_none_or(|wanted| application.installs_on == wanted))
        .filter(|application| {
            seen.insert((
                application.slug.clone(),
                application.installs_on == InstallsOn::Instance,
            ))
        })
        .take(MOST)
        .collect())
}

/// `None` for one that installs on something that the interface has no word for.
fn application(one_click: OneClick) -> Option<Application> {
    let slug = one_click.slug.filter(|slug| !slug.is_empty())?;
    let installs_on = match one_click.installs_on.as_deref() {
        Some("droplet") => InstallsOn::Instance,
        Some("kubernetes") => InstallsOn::Kubernetes,
        _ => return None,
    };
    Some(Application {
        title: slug.clone(),
        slug,
        installs_on,
    })
}
