//! The tour through VPCs, what lives in a cluster, and the catalog.

use double_digitalocean::{PlantedCluster, PlantedDroplet};
use serde_json::json;

use super::{NONE, expect};
use crate::client::{Rig, cluster, id_in};

pub(super) async fn tour(rig: &Rig) {
    for query in ["", "?type=droplet", "?type=kubernetes"] {
        expect(rig, "GET", &format!("/v2/1-clicks{query}"), NONE, 200).await;
    }
    vpcs(rig).await;
    in_a_cluster(rig).await;
}

async fn vpcs(rig: &Rig) {
    let body = json!({"name": "prod.net", "region": "nyc3", "ip_range": "10.10.10.0/24", "description": "a"});
    let id = id_in(&expect(rig, "POST", "/v2/vpcs", body.clone(), 201).await["vpc"]);
    expect(rig, "POST", "/v2/vpcs", body, 422).await;
    expect(
        rig,
        "POST",
        "/v2/vpcs",
        json!({"name": "small", "region": "ams3"}),
        201,
    )
    .await;
    let path = format!("/v2/vpcs/{id}");
    for page in 1..=3 {
        expect(
            rig,
            "GET",
            &format!("/v2/vpcs?page={page}&per_page=7"),
            NONE,
            200,
        )
        .await;
    }
    expect(rig, "GET", "/v2/vpcs", NONE, 200).await;
    expect(rig, "GET", &path, NONE, 200).await;
    expect(rig, "PATCH", &path, json!({"description": "b"}), 200).await;
    expect(rig, "PUT", &path, json!({"name": "prod.net"}), 200).await;
    let mut inside = cluster("in-network");
    inside["private_network_uuid"] = json!(id);
    let made = expect(rig, "POST", "/v2/databases", inside, 201).await;
    let droplet = PlantedDroplet::named("web", "nyc3").vpc(&id);
    let droplet = rig.double.plant_droplet(droplet).unwrap();
    expect(rig, "GET", &format!("{path}/members"), NONE, 200).await;
    expect(
        rig,
        "GET",
        &format!("{path}/members?resource_type=droplet&per_page=1"),
        NONE,
        200,
    )
    .await;
    expect(rig, "DELETE", &path, NONE, 403).await;
    rig.double.vanish(&droplet).unwrap();
    let cluster = format!("/v2/databases/{}", id_in(&made["database"]));
    expect(rig, "DELETE", &cluster, NONE, 204).await;
    expect(rig, "DELETE", &path, NONE, 204).await;
    expect(rig, "DELETE", &path, NONE, 404).await;
}

async fn in_a_cluster(rig: &Rig) {
    let planted = PlantedCluster::named("with-children");
    let id = rig.double.plant_cluster(planted).unwrap();
    let path = format!("/v2/databases/{id}");
    let dbs = format!("{path}/dbs");
    expect(rig, "POST", &dbs, json!({"name": "orders"}), 201).await;
    expect(rig, "GET", &dbs, NONE, 200).await;
    expect(rig, "GET", &format!("{dbs}/orders"), NONE, 200).await;
    let pools = format!("{path}/pools");
    let pool =
        json!({"name": "backend", "mode": "session", "size": 5, "db": "orders", "user": "doadmin"});
    expect(rig, "POST", &pools, pool.clone(), 201).await;
    expect(rig, "POST", &pools, pool, 422).await;
    let pool = json!({"mode": "statement", "size": 6, "db": "orders"});
    expect(rig, "PUT", &format!("{pools}/backend"), pool, 204).await;
    expect(rig, "GET", &pools, NONE, 200).await;
    expect(rig, "GET", &format!("{pools}/backend"), NONE, 200).await;
    expect(rig, "DELETE", &format!("{pools}/backend"), NONE, 204).await;
    expect(rig, "DELETE", &format!("{pools}/backend"), NONE, 404).await;
    expect(rig, "DELETE", &format!("{dbs}/orders"), NONE, 204).await;
    let replicas = format!("{path}/replicas");
    let replica = json!({
        "name": "read", "size": "db-s-1vcpu-2gb", "region": "ams3", "tags": ["blue"],
        "do_settings": {"service_cnames": ["read.example.com"]},
    });
    let made = expect(rig, "POST", &replicas, replica, 201).await;
    expect(rig, "GET", &replicas, NONE, 200).await;
    rig.double.finish_everything();
    let own = format!("/v2/databases/{}", id_in(&made["replica"]));
    let size = json!({"size": "db-s-2vcpu-4gb", "num_nodes": 1});
    expect(rig, "PUT", &format!("{own}/resize"), size, 202).await;
    rig.double.advance(rig.double.config().times.status_lag);
    expect(rig, "GET", &format!("{replicas}/read"), NONE, 200).await;
    rig.double.finish_everything();
    expect(rig, "PUT", &format!("{replicas}/read/promote"), NONE, 204).await;
    expect(rig, "GET", &own, NONE, 200).await;
    expect(rig, "DELETE", &format!("{replicas}/read"), NONE, 404).await;
}
