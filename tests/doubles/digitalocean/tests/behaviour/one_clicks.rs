//! 1-Click applications.

use std::collections::HashSet;

use double_digitalocean::{Fault, FaultBody};
use serde_json::Value;

use crate::client::Rig;

async fn slugs(rig: &Rig, query: &str) -> Vec<String> {
    let reply = rig.get(&format!("/v2/1-clicks{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let list: Vec<Value> = reply.json()["1_clicks"].as_array().unwrap().clone();
    list.iter()
        .map(|one| {
            format!(
                "{}/{}",
                one["type"].as_str().unwrap(),
                one["slug"].as_str().unwrap()
            )
        })
        .collect()
}

#[tokio::test]
async fn applications_of_both_types_are_listed_whole_and_by_type() {
    let rig = Rig::frozen().await;
    let counts = rig.double.config().one_clicks;
    let all = slugs(&rig, "").await;
    assert_eq!(all.len(), counts.droplet + counts.kubernetes);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    let droplet = slugs(&rig, "?type=droplet").await;
    assert_eq!(droplet.len(), counts.droplet);
    assert!(droplet.iter().all(|one| one.starts_with("droplet/")));
    assert!(droplet.contains(&"droplet/wordpress-20-04".to_owned()));
    let kubernetes = slugs(&rig, "?type=kubernetes").await;
    assert_eq!(kubernetes.len(), counts.kubernetes);
    assert!(kubernetes.contains(&"kubernetes/monitoring".to_owned()));
}

#[tokio::test]
async fn a_test_chooses_how_many_there_are_and_adds_odd_ones() {
    let rig = Rig::frozen().await;
    rig.double
        .configure(|config| {
            config.one_clicks.droplet = 1500;
            config.one_clicks.kubernetes = 0;
        })
        .unwrap();
    rig.double.plant_one_click("", "droplet");
    rig.double.plant_one_click("odd", "teapot");
    assert_eq!(slugs(&rig, "").await.len(), 1502);
    assert_eq!(slugs(&rig, "?type=droplet").await.len(), 1501);
    assert!(slugs(&rig, "?type=kubernetes").await.is_empty());
}

#[tokio::test]
async fn other_types_and_parameters_are_refused_and_faults_reach_the_list() {
    let rig = Rig::frozen().await;
    for query in ["?type=teapot", "?type=", "?page=1", "?kind=droplet"] {
        assert_eq!(
            rig.get(&format!("/v2/1-clicks{query}")).await.status,
            400,
            "{query}"
        );
    }
    rig.double
        .fault(Fault::on("GET", "/v2/1-clicks").answer(503, FaultBody::Html));
    assert_eq!(rig.get("/v2/1-clicks").await.status, 503);
    assert_eq!(rig.double.count("GET", "/v2/1-clicks"), 5);
}
