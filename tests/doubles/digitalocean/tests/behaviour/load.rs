//! Many objects and many requests.

use double_digitalocean::PlantedCluster;
use serde_json::json;

use crate::client::Rig;

#[tokio::test]
async fn five_thousand_clusters_and_five_thousand_reads() {
    let rig = Rig::frozen().await;
    let mut ids = Vec::new();
    for number in 0..5_000 {
        let planted =
            PlantedCluster::named(&format!("cluster-{number}")).tag(&format!("own:{number}"));
        ids.push(rig.double.plant_cluster(planted).unwrap());
    }
    let list = rig.get("/v2/databases").await.json();
    assert_eq!(list["databases"].as_array().unwrap().len(), 5_000);
    let rig = &rig;
    let readers = ids.chunks(625).map(|chunk| async move {
        for id in chunk {
            let reply = rig.get(&format!("/v2/databases/{id}")).await;
            assert_eq!(reply.json()["database"]["id"], json!(id));
        }
    });
    futures_util::future::join_all(readers).await;
    let tagged = rig.get("/v2/databases?tag_name=own:4321").await.json();
    assert_eq!(tagged["databases"][0]["name"], "cluster-4321");
    assert_eq!(rig.double.count("GET", "/v2/databases/*"), 5_000);
}
