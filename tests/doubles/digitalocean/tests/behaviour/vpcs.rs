//! VPCs and their members.

use double_digitalocean::{Fault, FaultBody, PlantedDroplet, PlantedVpc, VpcDrift};
use serde_json::{Value, json};

use crate::client::{Rig, cluster, id_in};

async fn vpc(rig: &Rig, name: &str) -> String {
    let reply = rig
        .post("/v2/vpcs", &json!({"name": name, "region": "nyc3"}))
        .await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    id_in(&reply.json()["vpc"])
}

async fn inside(rig: &Rig, name: &str, vpc: &str) -> String {
    let mut body = cluster(name);
    body["private_network_uuid"] = json!(vpc);
    let reply = rig.post("/v2/databases", &body).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    id_in(&reply.json()["database"])
}

#[tokio::test]
async fn every_region_has_a_default_vpc_that_stays() {
    let rig = Rig::frozen().await;
    let list = rig.get("/v2/vpcs?per_page=200").await.json();
    let all = list["vpcs"].as_array().unwrap();
    assert_eq!(list["meta"]["total"], all.len());
    assert!(all.iter().all(|vpc| vpc["default"] == true));
    let own = rig.double.default_vpc("ams3");
    let refused = rig.delete(&format!("/v2/vpcs/{own}")).await;
    assert_eq!(
        (refused.status, &refused.json()["id"]),
        (403, &json!("forbidden"))
    );
    let mut body = cluster("one");
    body["region"] = json!("ams3");
    let made = rig.post("/v2/databases", &body).await.json();
    assert_eq!(made["database"]["private_network_uuid"], own);
}

#[tokio::test]
async fn a_vpc_is_made_shown_changed_and_deleted() {
    let rig = Rig::frozen().await;
    let body = json!({
        "name": "prod.net", "region": "nyc3", "ip_range": "10.10.10.0/24", "description": "ours",
    });
    let made = rig.post("/v2/vpcs", &body).await.json()["vpc"].clone();
    let id = id_in(&made);
    assert_eq!(made["urn"], format!("do:vpc:{id}"));
    assert_eq!(
        (&made["default"], &made["description"]),
        (&json!(false), &json!("ours"))
    );
    let path = format!("/v2/vpcs/{id}");
    assert_eq!(rig.get(&path).await.json()["vpc"], made);
    let patched = rig
        .call("PATCH", &path, &json!({"name": "stage.net"}))
        .await
        .json();
    assert_eq!(
        (&patched["vpc"]["name"], &patched["vpc"]["description"]),
        (&json!("stage.net"), &json!("ours"))
    );
    let put = rig.put(&path, &json!({"name": "stage.net"})).await.json();
    assert_eq!(put["vpc"]["description"], "", "a PUT replaces");
    let flipped = rig
        .call("PATCH", &path, &json!({"default": true}))
        .await
        .json();
    assert_eq!(flipped["vpc"]["default"], true);
    assert_eq!(rig.double.default_vpc("nyc3"), id);
    assert_eq!(
        rig.call("PATCH", &path, &json!({"default": false}))
            .await
            .status,
        422
    );
    assert_eq!(rig.delete(&path).await.status, 403, "it is the default now");
    let other = vpc(&rig, "other").await;
    assert_eq!(rig.delete(&format!("/v2/vpcs/{other}")).await.status, 204);
    assert_eq!(rig.delete(&format!("/v2/vpcs/{other}")).await.status, 404);
    assert_eq!(rig.get(&format!("/v2/vpcs/{other}")).await.status, 404);
    let totals = rig.double.objects().totals;
    assert_eq!((totals.vpcs_made, totals.vpcs_gone), (2, 1));
}

#[tokio::test]
async fn wrong_vpcs_are_refused_by_name() {
    let rig = Rig::frozen().await;
    vpc(&rig, "taken").await;
    let right = json!({"name": "new", "region": "nyc3", "ip_range": "10.10.0.0/16"});
    for (member, value) in [
        ("name", json!("taken")),
        ("name", json!("a b")),
        ("name", json!("")),
        ("region", json!("mars1")),
        ("ip_range", json!("8.8.8.0/24")),
        ("ip_range", json!("10.0.0.0/8")),
        ("ip_range", json!("10.0.0.0/29")),
        ("ip_range", json!("10.100.0.0/24")),
        ("description", json!("x".repeat(256))),
        ("default", json!(true)),
        ("tags", json!(["a"])),
    ] {
        let mut body = right.clone();
        body[member] = value;
        let reply = rig.post("/v2/vpcs", &body).await;
        assert_eq!(reply.status, 422, "{member}: {}", reply.text);
        assert!(reply.text.contains(member), "{member}: {}", reply.text);
    }
    let id = vpc(&rig, "mine").await;
    let path = format!("/v2/vpcs/{id}");
    for wrong in [
        json!({}),
        json!({"name": "taken"}),
        json!({"region": "ams3"}),
    ] {
        assert_eq!(
            rig.call("PATCH", &path, &wrong).await.status,
            422,
            "{wrong}"
        );
    }
    assert_eq!(
        rig.put(&path, &json!({"description": "a"})).await.status,
        422
    );
    assert_eq!(rig.get("/v2/vpcs?region=nyc3").await.status, 400);
}

#[tokio::test]
async fn a_vpc_with_members_can_not_be_deleted_until_the_provider_notices_that_they_are_gone() {
    let rig = Rig::frozen().await;
    let id = vpc(&rig, "net").await;
    let path = format!("/v2/vpcs/{id}");
    let cluster = inside(&rig, "one", &id).await;
    let planted = PlantedDroplet::named("web", "nyc3").vpc(&id);
    let droplet = rig.double.plant_droplet(planted).unwrap();
    let members = rig.get(&format!("{path}/members")).await.json();
    let urns: Vec<&Value> = members["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["urn"])
        .collect();
    assert_eq!(
        urns,
        [
            &json!(format!("do:dbaas:{cluster}")),
            &json!(format!("do:droplet:{droplet}"))
        ]
    );
    let droplets = rig
        .get(&format!("{path}/members?resource_type=droplet"))
        .await
        .json();
    assert_eq!(droplets["meta"]["total"], 1);
    assert_eq!(rig.delete(&path).await.status, 403);
    rig.double
        .configure(|config| {
            config.refusals.vpc_members_status = 409;
            config.times.vpc_release = 100;
        })
        .unwrap();
    rig.delete(&format!("/v2/databases/{cluster}")).await;
    rig.double.vanish(&droplet).unwrap();
    let refused = rig.delete(&path).await;
    assert_eq!(refused.status, 409);
    assert!(refused.text.contains("2 are left"), "{}", refused.text);
    rig.double.advance(100);
    assert_eq!(rig.delete(&path).await.status, 204);
}

#[tokio::test]
async fn a_cluster_needs_a_vpc_of_its_own_region() {
    let rig = Rig::frozen().await;
    let id = vpc(&rig, "net").await;
    for (region, network) in [
        ("ams3", id.as_str()),
        ("nyc3", "00000000-0000-4000-8000-000000000000"),
    ] {
        let mut body = cluster("one");
        body["region"] = json!(region);
        body["private_network_uuid"] = json!(network);
        let reply = rig.post("/v2/databases", &body).await;
        assert_eq!(reply.status, 422, "{region}");
        assert!(
            reply.text.contains("private_network_uuid"),
            "{}",
            reply.text
        );
    }
    let cluster = inside(&rig, "one", &id).await;
    rig.double.finish_everything();
    let moved = json!({"region": "ams3"});
    rig.put(&format!("/v2/databases/{cluster}/migrate"), &moved)
        .await;
    rig.double.finish_everything();
    let shown = rig.get(&format!("/v2/databases/{cluster}")).await.json();
    assert_eq!(
        shown["database"]["private_network_uuid"],
        rig.double.default_vpc("ams3")
    );
    assert_eq!(rig.delete(&format!("/v2/vpcs/{id}")).await.status, 204);
}

#[tokio::test]
async fn vpcs_are_paged_hidden_planted_and_meet_faults() {
    let rig = Rig::frozen().await;
    let before = rig.double.objects().vpcs.len();
    for number in 0..10 {
        let planted = PlantedVpc::named(&format!("net-{number}"), "nyc3");
        rig.double.plant_vpc(planted.description("theirs")).unwrap();
    }
    let mut seen = Vec::new();
    for page in 1..=4 {
        let list = rig
            .get(&format!("/v2/vpcs?page={page}&per_page=7"))
            .await
            .json();
        assert_eq!(list["meta"]["total"], before + 10);
        let names = list["vpcs"].as_array().unwrap().clone();
        seen.extend(names.iter().map(|vpc| vpc["name"].clone()));
        let next = list["links"]["pages"]["next"].as_str();
        assert_eq!(next.is_some(), page < 4, "{page}");
    }
    assert_eq!(seen.len(), before + 10);
    assert!(
        rig.double
            .plant_vpc(PlantedVpc::named("net-1", "nyc3"))
            .is_err()
    );
    rig.double
        .configure(|config| config.visibility.not_found_reads = 1)
        .unwrap();
    let id = vpc(&rig, "new").await;
    let path = format!("/v2/vpcs/{id}");
    assert_eq!(rig.get(&path).await.status, 404);
    assert_eq!(rig.get(&path).await.status, 200);
    rig.double.hide(&id, 1, true).unwrap();
    assert!(!rig.get("/v2/vpcs?per_page=200").await.text.contains(&id));
    assert_eq!(rig.get(&path).await.status, 404);
    let drift = VpcDrift {
        description: Some("theirs now".into()),
        ..VpcDrift::default()
    };
    rig.double.drift_vpc(&id, drift).unwrap();
    assert_eq!(
        rig.get(&path).await.json()["vpc"]["description"],
        "theirs now"
    );
    rig.double
        .fault(Fault::on("DELETE", "/v2/vpcs/*").act_and_answer(502, FaultBody::Html));
    assert_eq!(rig.delete(&path).await.status, 502);
    assert_eq!(rig.get(&path).await.status, 404);
    let other = vpc(&rig, "other").await;
    rig.double.vanish(&other).unwrap();
    assert_eq!(rig.delete(&format!("/v2/vpcs/{other}")).await.status, 404);
}
