//! The tour through Functions namespaces and inference endpoints.

use double_digitalocean::PlantedInference;
use serde_json::json;

use super::{NONE, expect};
use crate::client::{Rig, id_in, inference};

pub(super) async fn tour(rig: &Rig) {
    functions(rig).await;
    endpoints(rig).await;
}

async fn functions(rig: &Rig) {
    let path = "/v2/functions/namespaces";
    let body = json!({"label": "jobs", "region": "nyc1"});
    let made = expect(rig, "POST", path, body.clone(), 200).await;
    expect(rig, "POST", path, body, 422).await;
    expect(rig, "GET", path, NONE, 200).await;
    let one = format!(
        "{path}/{}",
        made["namespace"]["namespace"].as_str().unwrap()
    );
    expect(rig, "GET", &one, NONE, 200).await;
    expect(rig, "DELETE", &one, NONE, 204).await;
    expect(rig, "DELETE", &one, NONE, 404).await;
}

async fn endpoints(rig: &Rig) {
    let path = "/v2/dedicated-inferences";
    for part in ["sizes", "gpu-model-config"] {
        expect(rig, "GET", &format!("{path}/{part}"), NONE, 200).await;
    }
    let body = inference("chat", &rig.double.default_vpc("tor1"));
    let made = expect(rig, "POST", path, body.clone(), 202).await;
    expect(rig, "POST", path, body, 409).await;
    let one = format!("{path}/{}", id_in(&made["dedicated_inference"]));
    let times = rig.double.config().times;
    expect(rig, "GET", &format!("{one}/ca"), NONE, 404).await;
    for step in [0, times.inference_new, times.inference] {
        rig.double.advance(step);
        expect(rig, "GET", &one, NONE, 200).await;
        expect(rig, "GET", &format!("{one}/accelerators"), NONE, 200).await;
    }
    for part in [
        "ca",
        "tokens",
        "accelerators?per_page=1&slug=gpu-h100x1-80gb",
    ] {
        expect(rig, "GET", &format!("{one}/{part}"), NONE, 200).await;
    }
    let token = expect(
        rig,
        "POST",
        &format!("{one}/tokens"),
        json!({"name": "second"}),
        202,
    )
    .await;
    let token = format!("{one}/tokens/{}", id_in(&token["token"]));
    expect(rig, "DELETE", &token, NONE, 204).await;
    expect(rig, "DELETE", &token, NONE, 404).await;
    let spec = expect(rig, "GET", &one, NONE, 200).await["dedicated_inference"]["spec"].clone();
    let body = json!({"spec": spec, "access_tokens": {"hugging_face_token": "hf"}});
    expect(rig, "PATCH", &one, body.clone(), 202).await;
    expect(rig, "PATCH", &one, body, 403).await;
    for step in [0, times.status_lag, times.inference_update] {
        rig.double.advance(step);
        expect(rig, "GET", &one, NONE, 200).await;
    }
    rig.double
        .plant_inference(PlantedInference::named("theirs", "tor1"))
        .unwrap();
    for query in ["", "?region=tor1", "?page=2&per_page=1"] {
        expect(rig, "GET", &format!("{path}{query}"), NONE, 200).await;
    }
    rig.double
        .fail_inference(one.rsplit('/').next().unwrap())
        .unwrap();
    expect(rig, "GET", &one, NONE, 200).await;
    expect(rig, "DELETE", &one, NONE, 202).await;
    expect(rig, "GET", &one, NONE, 200).await;
    rig.double.finish_everything();
    expect(rig, "GET", &one, NONE, 404).await;
}
