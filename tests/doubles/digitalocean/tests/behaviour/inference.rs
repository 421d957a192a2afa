//! Dedicated inference endpoints.

use double_digitalocean::{Fault, FaultBody, PlantedInference};
use serde_json::{Value, json};

use crate::client::{Rig, id_in, inference};

const PATH: &str = "/v2/dedicated-inferences";

async fn make(rig: &Rig, name: &str) -> String {
    let body = inference(name, &rig.double.default_vpc("tor1"));
    let reply = rig.post(PATH, &body).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    format!("{PATH}/{}", id_in(&reply.json()["dedicated_inference"]))
}

async fn shown(rig: &Rig, path: &str) -> Value {
    let reply = rig.get(path).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["dedicated_inference"].clone()
}

fn scaled(spec: &Value, scale: u64) -> Value {
    let mut spec = spec.clone();
    spec["model_deployments"][0]["accelerators"][0]["scale"] = json!(scale);
    json!({"spec": spec})
}

#[tokio::test]
async fn an_endpoint_becomes_active_in_steps() {
    let rig = Rig::frozen().await;
    let path = make(&rig, "chat").await;
    let times = rig.double.config().times;
    let first = shown(&rig, &path).await;
    assert_eq!(
        (&first["status"], &first["endpoints"]),
        (&json!("new"), &json!({}))
    );
    assert_eq!(first["pending_deployment_spec"]["status"], "provisioning");
    rig.double.advance(times.inference_new);
    assert_eq!(shown(&rig, &path).await["status"], "provisioning");
    assert_eq!(rig.get(&format!("{path}/ca")).await.status, 404);
    rig.double.advance(times.inference);
    let last = shown(&rig, &path).await;
    assert_eq!(last["status"], "active");
    assert!(last.get("pending_deployment_spec").is_none());
    assert!(last["endpoints"]["public_endpoint_fqdn"].is_string());
    assert_eq!(rig.get(&format!("{path}/ca")).await.status, 200);
    let accelerators = rig.get(&format!("{path}/accelerators")).await.json();
    assert_eq!(accelerators["meta"]["total"], 2);
    assert_eq!(rig.double.objects().inferences[0].gpus, 2);
}

#[tokio::test]
async fn the_value_of_a_token_is_shown_once() {
    let rig = Rig::frozen().await;
    rig.double
        .patch_config(&json!({"secrets": {"password_prefix": "canary-"}}))
        .unwrap();
    let body = inference("chat", &rig.double.default_vpc("tor1"));
    let made = rig.post(PATH, &body).await.json();
    assert!(
        made["token"]["value"]
            .as_str()
            .unwrap()
            .starts_with("canary-")
    );
    let path = format!("{PATH}/{}", id_in(&made["dedicated_inference"]));
    for reply in [
        rig.get(&path).await,
        rig.get(PATH).await,
        rig.get(&format!("{path}/tokens")).await,
    ] {
        assert!(!reply.text.contains("canary-"), "{}", reply.text);
    }
    let tokens = format!("{path}/tokens");
    let second = rig.post(&tokens, &json!({"name": "second"})).await;
    assert_eq!(second.status, 202);
    assert!(second.text.contains("canary-"));
    assert_eq!(
        rig.post(&tokens, &json!({"name": "second"})).await.status,
        409
    );
    assert_eq!(rig.get(&tokens).await.json()["meta"]["total"], 2);
    let one = format!("{tokens}/{}", id_in(&second.json()["token"]));
    assert_eq!(rig.delete(&one).await.status, 204);
    assert_eq!(rig.delete(&one).await.status, 404);
}

#[tokio::test]
async fn a_change_replaces_the_newest_spec_while_nothing_else_is_under_way() {
    let rig = Rig::frozen().await;
    let path = make(&rig, "chat").await;
    let times = rig.double.config().times;
    let body = inference("chat", &rig.double.default_vpc("tor1"));
    let refused = rig.call("PATCH", &path, &body).await;
    assert_eq!(refused.status, 403, "being made");
    assert!(
        refused.text.contains("not yet accepting updates"),
        "{}",
        refused.text
    );
    rig.double.finish_everything();
    let spec = shown(&rig, &path).await["spec"].clone();
    let reply = rig.call("PATCH", &path, &scaled(&spec, 4)).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    let early = shown(&rig, &path).await;
    assert_eq!(early["status"], "active", "the status lags");
    assert_eq!(early["pending_deployment_spec"]["version"], 2);
    assert_eq!(
        early["spec"]["model_deployments"][0]["accelerators"][0]["scale"],
        2
    );
    assert_eq!(rig.double.objects().inferences[0].gpus, 4);
    rig.double.advance(times.status_lag);
    assert_eq!(shown(&rig, &path).await["status"], "updating");
    rig.double
        .configure(|config| config.refusals.inference_busy_status = 409)
        .unwrap();
    assert_eq!(
        rig.call("PATCH", &path, &scaled(&spec, 4)).await.status,
        409
    );
    rig.double.finish_everything();
    let done = shown(&rig, &path).await;
    assert_eq!(
        (&done["status"], &done["spec"]["version"]),
        (&json!("active"), &json!(2))
    );
    assert_eq!(
        done["spec"]["model_deployments"][0]["accelerators"][0]["scale"],
        4
    );
    assert_eq!(
        done["spec"]["model_deployments"][0]["model_id"],
        spec["model_deployments"][0]["model_id"]
    );
    let stale = rig.call("PATCH", &path, &scaled(&spec, 1)).await;
    assert_eq!(stale.status, 409, "{}", stale.text);
}

#[tokio::test]
async fn what_is_fixed_stays() {
    let rig = Rig::frozen().await;
    let path = make(&rig, "chat").await;
    rig.double.finish_everything();
    let spec = shown(&rig, &path).await["spec"].clone();
    for (place, value) in [
        ("/region", json!("nyc2")),
        ("/vpc/uuid", json!(rig.double.default_vpc("nyc2"))),
        ("/enable_public_endpoint", json!(false)),
        ("/model_deployments/0/model_id", json!("other")),
        (
            "/model_deployments/0/accelerators/0/accelerator_slug",
            json!("gpu-mi300x8-1536gb"),
        ),
    ] {
        let mut changed = spec.clone();
        *changed.pointer_mut(place).unwrap() = value;
        let reply = rig.call("PATCH", &path, &json!({"spec": changed})).await;
        assert_eq!(reply.status, 422, "{place}: {}", reply.text);
    }
    let mut renamed = spec;
    renamed["name"] = json!("talk");
    assert_eq!(
        rig.call("PATCH", &path, &json!({"spec": renamed}))
            .await
            .status,
        202
    );
}

#[tokio::test]
async fn wrong_endpoints_are_refused_by_name() {
    let rig = Rig::frozen().await;
    let right = inference("chat", &rig.double.default_vpc("tor1"));
    for (place, value, says) in [
        ("/spec/name", json!("a b"), "name"),
        ("/spec/region", json!("ams3"), "region"),
        (
            "/spec/vpc/uuid",
            json!("00000000-0000-4000-8000-000000000000"),
            "spec.vpc.uuid",
        ),
        (
            "/spec/vpc/uuid",
            json!(rig.double.default_vpc("nyc2")),
            "spec.vpc.uuid",
        ),
        ("/spec/model_deployments", json!([]), "model_deployments"),
        ("/spec/model_deployments/0/replicas", json!(1), "replicas"),
        (
            "/spec/model_deployments/0/model_slug",
            json!("meta-llama/Llama-3.1-8B-Instruct"),
            "gated",
        ),
        (
            "/spec/model_deployments/0/accelerators/0/scale",
            json!(0),
            "scale",
        ),
        (
            "/spec/model_deployments/0/accelerators/0/accelerator_slug",
            json!("gpu-z80x1-1kb"),
            "accelerator_slug",
        ),
        (
            "/spec/model_deployments/0/accelerators/0/accelerator_slug",
            json!("gpu-h200x1-141gb"),
            "tor1",
        ),
        ("/secrets", json!({"hugging_face_token": "hf"}), "secrets"),
        ("/tags", json!(["a"]), "tags"),
    ] {
        let mut body = right.clone();
        let (parent, member) = place.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[member] = value;
        let reply = rig.post(PATH, &body).await;
        assert_eq!(reply.status, 422, "{place}: {}", reply.text);
        assert!(reply.text.contains(says), "{place}: {}", reply.text);
    }
    let mut gated = right.clone();
    gated["spec"]["model_deployments"][0]["model_slug"] = json!("meta-llama/Llama-3.1-8B-Instruct");
    gated["access_tokens"] = json!({"hugging_face_token": "hf-canary"});
    let made = rig.post(PATH, &gated).await;
    assert_eq!(made.status, 202, "{}", made.text);
    assert!(!made.text.contains("hf-canary"));
    assert_eq!(
        rig.post(PATH, &right).await.status,
        409,
        "the name is taken"
    );
}

#[tokio::test]
async fn an_account_has_no_more_gpus_than_its_limit() {
    let rig = Rig::frozen().await;
    rig.double
        .configure(|config| config.limits.gpus = 3)
        .unwrap();
    let path = make(&rig, "chat").await;
    rig.double.finish_everything();
    let other = inference("talk", &rig.double.default_vpc("tor1"));
    let refused = rig.post(PATH, &other).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("Limit Reached"), "{}", refused.text);
    let spec = shown(&rig, &path).await["spec"].clone();
    assert_eq!(
        rig.call("PATCH", &path, &scaled(&spec, 4)).await.status,
        422
    );
    assert_eq!(
        rig.call("PATCH", &path, &scaled(&spec, 3)).await.status,
        202
    );
}

#[tokio::test]
async fn a_deleted_endpoint_is_deleting_until_it_is_gone_and_leaves_its_vpc() {
    let rig = Rig::frozen().await;
    let made = rig
        .post("/v2/vpcs", &json!({"name": "net", "region": "tor1"}))
        .await
        .json();
    let vpc = id_in(&made["vpc"]);
    let body = inference("chat", &vpc);
    let id = id_in(&rig.post(PATH, &body).await.json()["dedicated_inference"]);
    let path = format!("{PATH}/{id}");
    assert_eq!(rig.delete(&format!("/v2/vpcs/{vpc}")).await.status, 403);
    let deleted = rig.delete(&path).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (202, ""));
    assert_eq!(shown(&rig, &path).await["status"], "deleting");
    assert_eq!(rig.delete(&path).await.status, 202);
    assert_eq!(
        rig.post(PATH, &body).await.status,
        409,
        "the name is still taken"
    );
    rig.double
        .advance(rig.double.config().times.inference_delete);
    assert_eq!(rig.get(&path).await.status, 404);
    assert_eq!(rig.delete(&path).await.status, 404);
    assert_eq!(rig.delete(&format!("/v2/vpcs/{vpc}")).await.status, 204);
    let totals = rig.double.objects().totals;
    assert_eq!((totals.inferences_made, totals.inferences_gone), (1, 1));
}

#[tokio::test]
async fn work_can_fail() {
    let rig = Rig::frozen().await;
    rig.double.fail_next_inferences(1);
    let path = make(&rig, "chat").await;
    rig.double.finish_everything();
    let failed = shown(&rig, &path).await;
    assert_eq!(failed["status"], "error");
    let again = rig
        .call("PATCH", &path, &json!({"spec": failed["spec"]}))
        .await;
    assert_eq!(again.status, 202, "{}", again.text);
    rig.double.finish_everything();
    assert_eq!(shown(&rig, &path).await["status"], "active");
    rig.double
        .fail_inference(path.rsplit('/').next().unwrap())
        .unwrap();
    assert_eq!(shown(&rig, &path).await["status"], "error");
}

#[tokio::test]
async fn endpoints_are_listed_planted_changed_by_others_hidden_and_lost() {
    let rig = Rig::frozen().await;
    for (name, region) in [("one", "tor1"), ("two", "nyc2"), ("three", "tor1")] {
        rig.double
            .plant_inference(PlantedInference::named(name, region))
            .unwrap();
    }
    assert!(
        rig.double
            .plant_inference(PlantedInference::named("one", "tor1"))
            .is_err()
    );
    let listed = rig
        .get(&format!("{PATH}?region=tor1&per_page=1"))
        .await
        .json();
    assert_eq!(
        (
            &listed["meta"]["total"],
            listed["dedicated_inferences"].as_array().unwrap().len()
        ),
        (&json!(2), 1)
    );
    for wrong in ["?region=tor1&x=1", "?per_page=201", "?page=0"] {
        assert_eq!(
            rig.get(&format!("{PATH}{wrong}")).await.status,
            400,
            "{wrong}"
        );
    }
    let id = rig.double.objects().inferences[0].id.clone();
    let path = format!("{PATH}/{id}");
    assert_eq!(shown(&rig, &path).await["status"], "active");
    rig.double
        .drift_inference(&id, &json!({"name": "drifted"}))
        .unwrap();
    assert_eq!(shown(&rig, &path).await["spec"]["name"], "drifted");
    assert!(
        rig.double
            .drift_inference(&id, &json!({"colour": "red"}))
            .is_err()
    );
    rig.double.hide(&id, 1, true).unwrap();
    assert_eq!(rig.get(PATH).await.json()["meta"]["total"], 2);
    assert_eq!(rig.get(&path).await.status, 404);
    rig.double
        .fault(Fault::on("GET", "/v2/dedicated-inferences/*").answer(500, FaultBody::Garbage));
    assert_eq!(rig.get(&path).await.status, 500);
    rig.double.vanish(&id).unwrap();
    assert_eq!(rig.get(&path).await.status, 404);
}
