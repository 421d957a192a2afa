//! Applications that can be installed, against scripted answers.

use berth_sdk::testing::{TestHost, exchange};
use berth_sdk::types::{Error, HttpError, InstallsOn};
use plugin_do::DigitalOcean;
use serde_json::json;

fn host() -> TestHost<DigitalOcean> {
    TestHost::new()
}

#[test]
fn one_clicks_are_applications_of_instances_and_clusters() {
    let berth = host();
    let all = json!({"1_clicks": [
        {"slug": "monitoring", "type": "kubernetes"},
        {"slug": "wordpress-18-04", "type": "droplet"},
        {"slug": "wordpress-18-04", "type": "droplet"},
        {"slug": "something", "type": "moon"}, {"slug": "", "type": "droplet"}, {"type": "droplet"}
    ]});
    berth.expect([exchange("GET", "/v2/1-clicks").answers(200, &all)]);
    let applications = berth.catalog(None).unwrap();
    let shown: Vec<_> = applications
        .iter()
        .map(|application| (application.slug.as_str(), application.installs_on))
        .collect();
    assert_eq!(
        shown,
        [
            ("monitoring", InstallsOn::Kubernetes),
            ("wordpress-18-04", InstallsOn::Instance)
        ]
    );
}

#[test]
fn only_those_that_are_asked_for_are_answered() {
    let berth = host();
    let mixed = json!({"1_clicks": [
        {"slug": "monitoring", "type": "kubernetes"}, {"slug": "docker", "type": "droplet"}
    ]});
    for (wanted, path, slug) in [
        (InstallsOn::Instance, "/v2/1-clicks?type=droplet", "docker"),
        (
            InstallsOn::Kubernetes,
            "/v2/1-clicks?type=kubernetes",
            "monitoring",
        ),
    ] {
        berth.expect([exchange("GET", path).answers(200, &mixed)]);
        let applications = berth.catalog(Some(wanted)).unwrap();
        assert_eq!(applications.len(), 1);
        assert_eq!(applications[0].slug, slug);
    }
}

#[test]
fn five_thousand_are_answered_and_no_more() {
    let berth = host();
    let many: Vec<_> = (0..5200)
        .map(|n| json!({"slug": format!("app-{n}"), "type": "droplet"}))
        .collect();
    berth.expect([exchange("GET", "/v2/1-clicks").answers(200, &json!({"1_clicks": many}))]);
    assert_eq!(berth.catalog(None).unwrap().len(), 5_000);
}

#[test]
fn a_catalog_that_can_not_be_read_is_an_error_and_not_empty() {
    let berth = host();
    berth.expect([exchange("GET", "/v2/1-clicks").fails(HttpError::Lost("cut".to_owned()))]);
    assert!(matches!(berth.catalog(None), Err(Error::Unavailable(_))));
    berth.expect([exchange("GET", "/v2/1-clicks").answers_text(403, "")]);
    assert!(matches!(berth.catalog(None), Err(Error::Denied(_))));
}
