//! An account that outlives its double, whatever is in it.

use double_digitalocean::{
    Config, Double, PlantedAgentConfig, PlantedCluster, PlantedDroplet, PlantedInference,
    PlantedSession, PlantedVpc, Saved,
};
use serde_json::{Value, json};

use crate::client::Rig;

#[tokio::test]
async fn every_kind_of_object_is_kept() {
    let rig = Rig::frozen().await;
    let double = &rig.double;
    let vpc = double.plant_vpc(PlantedVpc::named("net", "nyc3")).unwrap();
    let droplet = PlantedDroplet::named("web", "nyc3").vpc(&vpc);
    double.plant_droplet(droplet).unwrap();
    let cluster = double.plant_cluster(PlantedCluster::named("one")).unwrap();
    double.plant_pool(&cluster, "backend").unwrap();
    double.plant_replica(&cluster, "read").unwrap();
    double.plant_namespace("jobs", "nyc1", None).unwrap();
    double
        .plant_inference(PlantedInference::named("chat", "tor1"))
        .unwrap();
    let agent = double
        .plant_agent_config(PlantedAgentConfig::named("builder"))
        .unwrap();
    let session = double
        .plant_session(PlantedSession::of(&agent, "one"))
        .unwrap();
    double.plant_consent(&agent, true);
    double.plant_dialogue(&session, &json!({}));
    double.plant_one_click("mine", "droplet");
    let objects = serde_json::to_value(double.objects()).unwrap();
    let saved: Saved = serde_json::from_str(&double.saved()).unwrap();
    let next = Double::start_with(Config::default(), Some(saved))
        .await
        .unwrap();
    assert_eq!(serde_json::to_value(next.objects()).unwrap(), objects);
    assert_eq!(
        serde_json::from_str::<Value>(&next.saved()).unwrap()["world"],
        serde_json::from_str::<Value>(&double.saved()).unwrap()["world"]
    );
}

#[tokio::test]
async fn an_account_from_before_there_were_other_kinds_is_read() {
    let rig = Rig::frozen().await;
    rig.double
        .plant_cluster(PlantedCluster::named("one"))
        .unwrap();
    let mut saved: Value = serde_json::from_str(&rig.double.saved()).unwrap();
    let world = saved["world"].as_object_mut().unwrap();
    let known = ["random", "clusters", "tags", "apps", "totals", "leaving"];
    world.retain(|member, _| known.contains(&member.as_str()));
    let clusters = world["clusters"]["by_id"].as_object_mut().unwrap();
    for cluster in clusters.values_mut() {
        let members = cluster.as_object_mut().unwrap();
        for later in ["dbs", "pools", "replicas", "backed_up_at"] {
            assert!(members.remove(later).is_some(), "{later}");
        }
    }
    let saved: Saved = serde_json::from_value(saved).unwrap();
    let next = Double::start_with(Config::default(), Some(saved))
        .await
        .unwrap();
    assert_eq!(next.objects().clusters[0].name, "one");
    assert!(!next.default_vpc("nyc3").is_empty());
}
