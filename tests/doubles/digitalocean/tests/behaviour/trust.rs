//! Trusted sources of a cluster.

use double_digitalocean::{Fault, FaultBody, PlantedDroplet};
use serde_json::{Value, json};

use crate::client::{Rig, cluster, id_in};

fn rules(rules: &[(&str, &str)]) -> Value {
    let rules: Vec<Value> = rules
        .iter()
        .map(|(kind, value)| json!({"type": kind, "value": value}))
        .collect();
    json!({"rules": rules})
}

#[tokio::test]
async fn the_whole_set_is_replaced_and_what_stays_keeps_its_id() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/firewall");
    assert!(rig.double.objects().clusters[0].is_open());
    let two = rules(&[("ip_addr", "192.0.2.1"), ("ip_addr", "10.0.0.0/8")]);
    assert_eq!(rig.put(&path, &two).await.status, 204);
    let first = rig.get(&path).await.json()["rules"].clone();
    assert_eq!(first[0]["cluster_uuid"], id);
    let again = rules(&[("tag", "web"), ("ip_addr", "192.0.2.1")]);
    assert_eq!(rig.put(&path, &again).await.status, 204);
    let second = rig.get(&path).await.json()["rules"].clone();
    assert_eq!(second[1], first[0]);
    assert_eq!(
        rig.double.objects().clusters[0].rules,
        ["tag:web", "ip_addr:192.0.2.1"]
    );
    assert_eq!(rig.put(&path, &rules(&[])).await.status, 204);
    assert!(
        rig.double.objects().clusters[0].is_open(),
        "an empty set lets everyone in"
    );
}

#[tokio::test]
async fn sources_that_are_not_there_are_refused() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/firewall");
    let droplet = rig
        .double
        .plant_droplet(PlantedDroplet::named("web", "nyc3"))
        .unwrap();
    let chosen = PlantedDroplet::named("chosen", "nyc3").id(7);
    assert_eq!(rig.double.plant_droplet(chosen.clone()).unwrap(), "7");
    assert!(rig.double.plant_droplet(chosen).is_err());
    let app = rig.app("web-app").await;
    let right = [
        ("droplet", droplet.as_str()),
        ("app", app.as_str()),
        ("k8s", "ff2a6c52-5a44-4b63-b99c-0e98e7a63d61"),
        ("tag", "web"),
        ("ip_addr", "192.0.2.1"),
    ];
    assert_eq!(rig.put(&path, &rules(&right)).await.status, 204);
    for wrong in [
        ("droplet", "1"),
        ("droplet", "web"),
        ("app", "none"),
        ("ip_addr", "999.0.0.1"),
        ("ip_addr", "10.0.0.0/33"),
        ("ip_addr", "::1"),
        ("planet", "mars"),
    ] {
        let refused = rig.put(&path, &rules(&[right[4], wrong])).await;
        assert_eq!(refused.status, 422, "{wrong:?}");
        let mut body = cluster("two");
        body["rules"] = rules(&[wrong])["rules"].clone();
        assert_eq!(
            rig.post("/v2/databases", &body).await.status,
            422,
            "{wrong:?}"
        );
    }
    assert_eq!(
        rig.get(&path).await.json()["rules"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    rig.double.vanish(&droplet).unwrap();
    assert_eq!(
        rig.put(&path, &rules(&right)).await.status,
        422,
        "the droplet is gone"
    );
}

#[tokio::test]
async fn rules_are_limited_strict_and_wait_for_the_cluster() {
    let rig = Rig::frozen().await;
    let mut body = cluster("one");
    body["rules"] = rules(&[("ip_addr", "192.0.2.1")])["rules"].clone();
    let id = id_in(&rig.post("/v2/databases", &body).await.json()["database"]);
    let path = format!("/v2/databases/{id}/firewall");
    assert_eq!(
        rig.double.objects().clusters[0].rules,
        ["ip_addr:192.0.2.1"]
    );
    assert_eq!(rig.put(&path, &rules(&[])).await.status, 412, "being made");
    rig.double.finish_everything();
    let many: Vec<(&str, &str)> = vec![("ip_addr", "192.0.2.1"); 101];
    assert_eq!(rig.put(&path, &rules(&many)).await.status, 422);
    let mut odd = rules(&[("ip_addr", "192.0.2.1")]);
    odd["rules"][0]["colour"] = json!("red");
    assert_eq!(rig.put(&path, &odd).await.status, 422);
    assert_eq!(rig.get(&format!("{path}?page=1")).await.status, 400);
    rig.double
        .fault(Fault::on("PUT", "/v2/databases/*/firewall").answer(500, FaultBody::Empty));
    assert_eq!(rig.put(&path, &rules(&[])).await.status, 500);
    assert!(!rig.double.objects().clusters[0].is_open());
}
