//! Apps and their deployments.

use double_digitalocean::PlantedApp;
use serde_json::{Value, json};

use crate::client::{Rig, app};

async fn shown(rig: &Rig, id: &str) -> Value {
    let reply = rig.get(&format!("/v2/apps/{id}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["app"].clone()
}

#[tokio::test]
async fn a_deployment_goes_through_its_phases() {
    let rig = Rig::frozen().await;
    let id = rig.app("web-app").await;
    let times = rig.double.config().times;
    let first = shown(&rig, &id).await;
    assert_eq!(first["pending_deployment"]["phase"], "PENDING_BUILD");
    assert!(first.get("live_url").is_none());
    let deployment = first["pending_deployment"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    rig.double.advance(times.pending);
    let building = shown(&rig, &id).await;
    assert_eq!(building["in_progress_deployment"]["phase"], "BUILDING");
    assert!(building.get("pending_deployment").is_none());
    rig.double.advance(times.build);
    assert_eq!(
        shown(&rig, &id).await["in_progress_deployment"]["phase"],
        "PENDING_DEPLOY"
    );
    rig.double.advance(times.deploy / 2);
    assert_eq!(
        shown(&rig, &id).await["in_progress_deployment"]["phase"],
        "DEPLOYING"
    );
    rig.double.finish_everything();
    let active = shown(&rig, &id).await;
    assert_eq!(active["active_deployment"]["id"], deployment);
    assert!(
        active["live_url"]
            .as_str()
            .unwrap()
            .starts_with("https://web-app-")
    );
    let read = rig
        .get(&format!("/v2/apps/{id}/deployments/{deployment}"))
        .await
        .json();
    assert_eq!(read["deployment"]["phase"], "ACTIVE");
    assert_eq!(read["deployment"]["progress"]["success_steps"], 2);
}

#[tokio::test]
async fn secrets_are_never_shown_and_their_ciphertext_is_taken_back() {
    let rig = Rig::frozen().await;
    let id = rig.app("web-app").await;
    rig.double.finish_everything();
    for path in [
        format!("/v2/apps/{id}"),
        "/v2/apps".into(),
        format!("/v2/apps/{id}/deployments"),
    ] {
        let reply = rig.get(&path).await;
        assert!(!reply.text.contains("hush-hush"), "{path}");
        assert!(reply.text.contains("EV[1:"), "{path}");
        assert!(reply.text.contains("hello"), "plain values are echoed");
    }
    assert_eq!(
        rig.double.app_secret(&id, "KEY").as_deref(),
        Some("hush-hush")
    );
    let spec = shown(&rig, &id).await["spec"].clone();
    let reply = rig
        .put(&format!("/v2/apps/{id}"), &json!({"spec": spec}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(
        reply.json()["app"]["spec"],
        spec,
        "the ciphertext stays as it is"
    );
    let mut other = spec.clone();
    other["services"][0]["envs"][1]["value"] = json!("EV[1:aaaa:bbbb]");
    assert_eq!(
        rig.put(&format!("/v2/apps/{id}"), &json!({"spec": other}))
            .await
            .status,
        400
    );
    other["services"][0]["envs"][1]["value"] = json!("new-secret");
    let reply = rig
        .put(&format!("/v2/apps/{id}"), &json!({"spec": other}))
        .await;
    assert!(!reply.text.contains("new-secret"));
    assert_eq!(
        rig.double.app_secret(&id, "KEY").as_deref(),
        Some("new-secret")
    );
}

#[tokio::test]
async fn every_put_deploys_and_supersedes() {
    let rig = Rig::frozen().await;
    let id = rig.app("web-app").await;
    rig.double.finish_everything();
    let old = shown(&rig, &id).await["active_deployment"]["id"].clone();
    let spec = shown(&rig, &id).await["spec"].clone();
    rig.put(&format!("/v2/apps/{id}"), &json!({"spec": spec}))
        .await;
    let during = shown(&rig, &id).await;
    assert_eq!(
        during["active_deployment"]["id"], old,
        "the old one serves meanwhile"
    );
    assert_ne!(during["pending_deployment"]["id"], old);
    rig.double.finish_everything();
    assert_ne!(shown(&rig, &id).await["active_deployment"]["id"], old);
    let list = rig.get(&format!("/v2/apps/{id}/deployments")).await.json();
    assert_eq!(list["meta"]["total"], 2);
    assert_eq!(list["deployments"][1]["phase"], "SUPERSEDED");
}

#[tokio::test]
async fn a_new_deployment_may_be_invisible_at_first() {
    let rig = Rig::frozen().await;
    let id = rig.app("web-app").await;
    rig.double.finish_everything();
    rig.double
        .configure(|config| config.times.deployment_lag = 100)
        .unwrap();
    let spec = shown(&rig, &id).await["spec"].clone();
    let put = rig
        .put(&format!("/v2/apps/{id}"), &json!({"spec": spec}))
        .await
        .json();
    assert!(put["app"].get("pending_deployment").is_none());
    assert_eq!(
        rig.get(&format!("/v2/apps/{id}/deployments")).await.json()["meta"]["total"],
        1
    );
    rig.double.advance(100);
    assert!(shown(&rig, &id).await.get("pending_deployment").is_some());
}

#[tokio::test]
async fn deployments_fail_on_demand() {
    let rig = Rig::frozen().await;
    rig.double.fail_next_deployments(1);
    let id = rig.app("web-app").await;
    rig.double.finish_everything();
    let failed = shown(&rig, &id).await;
    for place in [
        "active_deployment",
        "pending_deployment",
        "in_progress_deployment",
    ] {
        assert!(failed.get(place).is_none(), "{place}");
    }
    let list = rig.get(&format!("/v2/apps/{id}/deployments")).await.json();
    assert_eq!(list["deployments"][0]["phase"], "ERROR");
    assert_eq!(list["deployments"][0]["progress"]["error_steps"], 1);
    let again = rig
        .post(
            &format!("/v2/apps/{id}/deployments"),
            &json!({"force_build": true}),
        )
        .await;
    assert_eq!(again.status, 200);
    rig.double.finish_everything();
    assert!(shown(&rig, &id).await.get("active_deployment").is_some());
    rig.double.fail_deployment(&id).unwrap();
    assert_eq!(rig.double.objects().apps[0].phase, "ERROR");
}

#[tokio::test]
async fn a_deployment_can_be_cancelled_while_it_moves() {
    let rig = Rig::frozen().await;
    let id = rig.app("web-app").await;
    let deployment = shown(&rig, &id).await["pending_deployment"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("/v2/apps/{id}/deployments/{deployment}/cancel");
    let cancelled = rig.send(rig.request("POST", &path)).await.unwrap();
    assert_eq!(cancelled.json()["deployment"]["phase"], "CANCELED");
    assert_eq!(
        rig.send(rig.request("POST", &path)).await.unwrap().status,
        409
    );
}

#[tokio::test]
async fn specs_are_checked_strictly() {
    let rig = Rig::frozen().await;
    let refuse = async |what: &str, change: &dyn Fn(&mut Value)| {
        let mut body = app("web-app");
        change(&mut body["spec"]);
        let reply = rig.post("/v2/apps", &body).await;
        assert_eq!(reply.status, 400, "{what}: {}", reply.text);
    };
    refuse("a name with capitals", &|spec| spec["name"] = json!("Web")).await;
    refuse("a name of one letter", &|spec| spec["name"] = json!("w")).await;
    refuse("a datacenter as region", &|spec| {
        spec["region"] = json!("nyc3")
    })
    .await;
    refuse("an unknown member", &|spec| spec["colour"] = json!("red")).await;
    refuse("no components", &|spec| spec["services"] = json!([])).await;
    refuse("two of one name", &|spec| {
        spec["databases"] = json!([{"name": "web"}])
    })
    .await;
    refuse("no source", &|spec| {
        spec["services"][0].as_object_mut().unwrap().remove("image");
    })
    .await;
    refuse("two sources", &|spec| {
        spec["services"][0]["git"] =
            json!({"repo_clone_url": "https://example.com/a.git", "branch": "main"});
    })
    .await;
    refuse("a count in words", &|spec| {
        spec["services"][0]["instance_count"] = json!("two")
    })
    .await;
    refuse("an unknown type of variable", &|spec| {
        spec["services"][0]["envs"][0]["type"] = json!("PRIVATE");
    })
    .await;
    assert_eq!(rig.double.objects().totals.apps_made, 0);
}

#[tokio::test]
async fn names_are_unique_and_fixed() {
    let rig = Rig::frozen().await;
    let id = rig.app("web-app").await;
    assert_eq!(rig.post("/v2/apps", &app("web-app")).await.status, 409);
    let mut spec = shown(&rig, &id).await["spec"].clone();
    spec["region"] = json!("fra");
    assert_eq!(
        rig.put(&format!("/v2/apps/{id}"), &json!({"spec": spec}))
            .await
            .status,
        400
    );
    let deleted = rig.delete(&format!("/v2/apps/{id}")).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!({"id": id})));
    assert_eq!(rig.get(&format!("/v2/apps/{id}")).await.status, 404);
    rig.app("web-app").await;
}

#[tokio::test]
async fn two_hundred_and_one_apps_are_two_pages_of_two_hundred() {
    let rig = Rig::frozen().await;
    for number in 0..201 {
        rig.double
            .plant_app(PlantedApp::named(&format!("app-{number}")))
            .unwrap();
    }
    let first = rig.get("/v2/apps?page=1&per_page=200").await.json();
    assert_eq!(first["apps"].as_array().unwrap().len(), 200);
    assert_eq!(first["meta"]["total"], 201);
    let next = first["links"]["pages"]["next"].as_str().unwrap();
    assert_eq!(
        next,
        "https://api.digitalocean.com/v2/apps?page=2&per_page=200"
    );
    assert!(first["links"]["pages"].get("prev").is_none());
    let second = rig.get("/v2/apps?page=2&per_page=200").await.json();
    assert_eq!(second["apps"].as_array().unwrap().len(), 1);
    assert!(second["links"]["pages"].get("next").is_none());
    assert!(second["links"]["pages"].get("prev").is_some());
    assert_eq!(
        rig.get("/v2/apps").await.json()["apps"]
            .as_array()
            .unwrap()
            .len(),
        20
    );
    for wrong in ["per_page=201", "per_page=0", "page=0", "page=x"] {
        assert_eq!(
            rig.get(&format!("/v2/apps?{wrong}")).await.status,
            400,
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn an_app_made_between_two_pages_shifts_them() {
    let rig = Rig::frozen().await;
    for number in 0..4 {
        rig.double
            .plant_app(PlantedApp::named(&format!("app-{number}")))
            .unwrap();
    }
    let names = async |page: u32| -> Vec<String> {
        let list = rig
            .get(&format!("/v2/apps?per_page=2&page={page}"))
            .await
            .json();
        let apps = list["apps"].as_array().unwrap().clone();
        apps.iter()
            .map(|app| app["spec"]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(1).await, ["app-3", "app-2"]);
    rig.double.plant_app(PlantedApp::named("late")).unwrap();
    assert_eq!(names(2).await, ["app-2", "app-1"], "a duplicate");
}

#[tokio::test]
async fn what_surrounds_apps_is_there() {
    let rig = Rig::frozen().await;
    let id = rig.app("web-app").await;
    rig.double.finish_everything();
    let health = rig.get(&format!("/v2/apps/{id}/health")).await.json();
    assert_eq!(health["app_health"]["components"][0]["name"], "web");
    assert_eq!(
        rig.get(&format!("/v2/apps/{id}/alerts")).await.json(),
        json!({"alerts": []})
    );
    assert_eq!(
        rig.get("/v2/apps/regions").await.json()["regions"]
            .as_array()
            .unwrap()
            .len(),
        10
    );
    assert!(rig.get("/v2/apps/tiers/instance_sizes").await.json()["instance_sizes"].is_array());
    let proposed = rig.post("/v2/apps/propose", &app("web-app")).await.json();
    assert_eq!(proposed["app_name_available"], false);
}
