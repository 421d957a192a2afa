//! `do.inference.dedicated` against scripted answers.

#![expect(clippy::unwrap_used, reason = "tests")]

use berth_sdk::testing::{TestHost, exchange, json, remember, secret, wanted};
use berth_sdk::types::{Error, Linked, Phase, Resource};
use plugin_do::DigitalOcean;
use serde_json::{Value, json};

const KIND: &str = "do.inference.dedicated";
const ALL: &str = "/v2/dedicated-inferences";
const LIST: &str = "/v2/dedicated-inferences?page=1&per_page=200";
const ID: &str = "6b5c619c-359c-44ca-87e2-47e98170c01d";
const OURS: &str = "/v2/dedicated-inferences/6b5c619c-359c-44ca-87e2-47e98170c01d";
const NAME: &str = "bc-r-0123456789abcdefghjkmnpq";
const VPC: &str = "997615ce-132d-4bae-9270-9ee21b395e5d";

fn host() -> TestHost<DigitalOcean> {
    TestHost::new()
}

fn spec() -> Value {
    json!({
        "region": "atl1", "network": "net_1", "enable_public_endpoint": true,
        "model_slug": "mistral/mistral-7b-instruct-v3", "accelerator_slug": "gpu-mi300x1-192gb",
        "replicas": 2
    })
}

fn endpoint(spec: &Value) -> Resource {
    let mut endpoint = wanted(KIND, spec);
    endpoint.networks = vec![Linked {
        id: "net_1".to_owned(),
        provider_id: VPC.to_owned(),
        region: "atl1".to_owned(),
    }];
    endpoint
}

fn with(mut value: Value, changes: &Value) -> Value {
    for (field, change) in changes.as_object().unwrap() {
        value[field] = change.clone();
    }
    value
}

/// The provider's spec of the endpoint; `model_id` is there once it runs.
fn sent(version: u64, scale: u64, model_id: Option<&str>) -> Value {
    let mut deployment = json!({
        "model_slug": "mistral/mistral-7b-instruct-v3", "model_provider": "hugging_face",
        "accelerators": [{"scale": scale, "type": "prefill_decode", "accelerator_slug": "gpu-mi300x1-192gb"}]
    });
    if let Some(id) = model_id {
        deployment["model_id"] = json!(id);
    }
    json!({
        "version": version, "name": NAME, "region": "atl1", "vpc": {"uuid": VPC},
        "enable_public_endpoint": true, "model_deployments": [deployment]
    })
}

fn shown(status: &str, scale: u64) -> Value {
    json!({
        "id": ID, "status": status, "region": "atl1", "vpc_uuid": VPC,
        "spec": sent(3, scale, Some("m-1")), "pending_deployment_spec": null,
        "endpoints": {"public_endpoint_fqdn": "https://public.example", "private_endpoint_fqdn": ""},
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"
    })
}

fn answer(endpoint: &Value) -> Value {
    json!({"dedicated_inference": endpoint})
}

fn owned() -> Resource {
    let berth = host();
    let mut ours = endpoint(&spec());
    let created = json!({
        "dedicated_inference": shown("new", 2),
        "token": {"id": VPC, "name": "first-token", "value": "di_canary", "is_managed": true}
    });
    berth.expect([exchange("POST", ALL)
        .sending(&json!({"spec": sent(1, 2, None)}))
        .answers(202, &created)]);
    let created = berth.create(&ours).unwrap();
    assert_eq!(
        (created.provider_id.as_str(), &created.phase),
        (ID, &Phase::Converging)
    );
    assert_eq!(secret(&created, "token"), Some("di_canary"));
    remember(&mut ours, &created);
    ours
}

#[test]
fn the_token_is_handed_out_once() {
    let berth = host();
    let ours = owned();
    berth.expect([exchange("GET", OURS).answers(200, &answer(&shown("active", 2)))]);
    let seen = berth.observe(&ours).unwrap();
    assert_eq!((&seen.phase, seen.secret_outputs.len()), (&Phase::Ready, 0));
    assert_eq!(
        json(&seen.outputs)["public_endpoint"],
        "https://public.example"
    );
}

#[test]
fn it_is_ready_when_it_is_active_and_no_deployment_is_pending() {
    let berth = host();
    let ours = owned();
    let pending = with(
        shown("active", 2),
        &json!({"pending_deployment_spec": {"id": VPC, "status": "updating"}}),
    );
    for (shown, phase) in [
        (shown("new", 2), Phase::Converging),
        (shown("provisioning", 2), Phase::Converging),
        (shown("updating", 2), Phase::Converging),
        (shown("deleting", 2), Phase::Converging),
        (pending, Phase::Converging),
        (shown("active", 2), Phase::Ready),
        (
            shown("error", 2),
            Phase::Failed("the endpoint is in error at the provider".to_owned()),
        ),
    ] {
        berth.expect([exchange("GET", OURS).answers(200, &answer(&shown))]);
        assert_eq!(berth.observe(&ours).unwrap().phase, phase, "{shown}");
    }
}

/// rule: CR-135
#[test]
fn gpus_are_booked_for_the_larger_of_replicas_and_max_replicas() {
    let berth = host();
    for (changes, booked, runs) in [
        (json!({}), 2, 2),
        (json!({"maxReplicas": 5}), 5, 2),
        (json!({"maxReplicas": 1}), 2, 2),
        (
            json!({"accelerator_slug": "gpu-h100x8-640gb", "maxReplicas": 3}),
            24,
            16,
        ),
    ] {
        let checked = berth.check(KIND, &with(spec(), &changes), None).unwrap();
        assert_eq!(checked.bookings[0].name, "gpus");
        assert_eq!(checked.bookings[0].amount, booked, "{changes}");
        assert_eq!(checked.meters[0].name, "do.inference.gpu-hours");
        assert_eq!(checked.meters[0].rate, runs, "{changes}");
        assert_eq!(json(&checked.defaults), json!({}));
    }
    let least = json!({
        "region": "atl1", "network": "net_1", "model_slug": "m", "accelerator_slug": "gpu-h100x8-640gb"
    });
    let checked = berth.check(KIND, &least, None).unwrap();
    assert_eq!(checked.bookings[0].amount, 8);
    assert_eq!(
        json(&checked.defaults),
        json!({"replicas": 1, "enable_public_endpoint": false})
    );
}

#[test]
fn it_lives_in_exactly_one_network_and_its_gpus_are_known() {
    let berth = host();
    for (changes, field) in [
        (json!({"vpc_uuid": VPC}), "/vpc_uuid"),
        (json!({"network": null}), "/network"),
        (
            json!({"accelerator_slug": "gpu-mystery"}),
            "/accelerator_slug",
        ),
    ] {
        let outcome = berth.check(KIND, &with(spec(), &changes), None);
        assert!(
            matches!(&outcome, Err(Error::Invalid(errors)) if errors[0].field == field),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_change_replaces_the_spec_as_it_is_shown_once_and_waits_until_it_runs() {
    let berth = host();
    let mut ours = owned();
    ours.spec = with(spec(), &json!({"replicas": 4})).to_string();
    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&shown("active", 2))),
        exchange("PATCH", OURS)
            .sending(&json!({"spec": sent(3, 4, Some("m-1"))}))
            .answers(202, &answer(&shown("active", 2))),
    ]);
    let asked = berth.update(&ours, &["replicas"]).unwrap();
    assert_eq!(
        (&asked.phase, asked.pending.as_slice()),
        (&Phase::Converging, ["replicas".to_owned()].as_slice())
    );
    remember(&mut ours, &asked);

    for stale in [shown("active", 2), shown("updating", 2)] {
        berth.expect([exchange("GET", OURS).answers(200, &answer(&stale))]);
        let waiting = berth.update(&ours, &["replicas"]).unwrap();
        assert_eq!(waiting.phase, Phase::Converging);
        remember(&mut ours, &waiting);
    }
    berth.expect([exchange("GET", OURS).answers(200, &answer(&shown("active", 4)))]);
    let settled = berth.observe(&ours).unwrap();
    assert_eq!((settled.phase, settled.pending), (Phase::Ready, Vec::new()));
}

#[test]
fn an_endpoint_that_takes_no_update_yet_is_asked_again() {
    let berth = host();
    let mut ours = owned();
    ours.spec = with(spec(), &json!({"replicas": 4})).to_string();
    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&shown("active", 2))),
        exchange("PATCH", OURS).answers(
            403,
            &json!({"id": "forbidden", "message": "not yet accepting updates"}),
        ),
    ]);
    assert!(matches!(
        berth.update(&ours, &["replicas"]),
        Err(Error::Busy(_))
    ));
}

#[test]
fn quota_alone_is_no_write() {
    let berth = host();
    let mut ours = owned();
    ours.spec = with(spec(), &json!({"maxReplicas": 9})).to_string();
    berth.expect([exchange("GET", OURS).answers(200, &answer(&shown("active", 2)))]);
    let seen = berth.update(&ours, &["maxReplicas"]).unwrap();
    assert_eq!((seen.phase, seen.pending), (Phase::Ready, Vec::new()));
}

#[test]
fn a_token_for_the_model_goes_as_its_reference_and_again_when_it_is_new() {
    let berth = host();
    let token = json!({"hugging_face_token": "secret://acme/hf"});
    let mut ours = endpoint(&with(spec(), &token));
    berth.expect([exchange("POST", ALL)
        .sending(&json!({"spec": sent(1, 2, None), "access_tokens": token}))
        .answers(202, &answer(&shown("new", 2)))]);
    let created = berth.create(&ours).unwrap();
    assert_eq!(created.pending, Vec::<String>::new());
    remember(&mut ours, &created);
    // The host says that the secret has a newer version.
    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&shown("active", 2))),
        exchange("PATCH", OURS)
            .sending(&json!({"spec": sent(3, 2, Some("m-1")), "access_tokens": token}))
            .answers(202, &answer(&shown("updating", 2))),
    ]);
    let renewed = berth.update(&ours, &["hugging_face_token"]).unwrap();
    assert_eq!(renewed.pending, Vec::<String>::new());
}

#[test]
fn it_is_found_by_its_name_even_if_the_list_leaves_names_out() {
    let berth = host();
    let ours = endpoint(&spec());
    let mut nameless = shown("new", 2);
    nameless.as_object_mut().unwrap().remove("spec");
    let list =
        |items: Value| json!({"dedicated_inferences": items, "links": {}, "meta": {"total": 1}});
    berth.expect([exchange("GET", LIST).answers(200, &list(json!([shown("new", 2)])))]);
    assert_eq!(berth.find(&ours).unwrap().unwrap().provider_id, ID);
    berth.expect([
        exchange("GET", LIST).answers(200, &list(json!([nameless]))),
        exchange("GET", OURS).answers(200, &answer(&shown("new", 2))),
    ]);
    assert_eq!(berth.find(&ours).unwrap().unwrap().provider_id, ID);
    berth.expect([
        exchange("GET", LIST).answers(200, &list(json!([nameless]))),
        exchange("GET", OURS).answers_text(404, ""),
    ]);
    assert!(berth.find(&ours).unwrap().is_none());
}

#[test]
fn an_endpoint_without_its_spec_is_not_known_to_be_ours() {
    let berth = host();
    let ours = owned();
    let mut nameless = shown("active", 2);
    nameless.as_object_mut().unwrap().remove("spec");
    berth.expect([exchange("GET", OURS).answers(200, &answer(&nameless))]);
    assert!(
        matches!(berth.observe(&ours), Err(Error::Unavailable(why)) if why.contains("without its name"))
    );
    let list =
        json!({"dedicated_inferences": [nameless, shown("active", 2)], "meta": {"total": 2}});
    berth.expect([exchange("GET", LIST).answers(200, &list)]);
    assert_eq!(berth.list(KIND, None, None).unwrap().items.len(), 1);
}

#[test]
fn a_shared_account_does_not_tell_whose_network_it_is() {
    let berth = host().shared();
    let ours = owned();
    berth.expect([exchange("GET", OURS).answers(200, &answer(&shown("active", 2)))]);
    let seen = berth.observe(&ours).unwrap();
    assert!(!format!("{seen:?}").contains(VPC), "{seen:?}");
}

#[test]
fn deleting_is_accepted_and_watched_until_it_is_gone() {
    let berth = host();
    let ours = owned();
    berth.expect([exchange("DELETE", OURS).answers_text(202, "")]);
    berth.delete(&ours).unwrap();
    berth.expect([exchange("GET", OURS).answers(200, &answer(&shown("deleting", 2)))]);
    assert_eq!(berth.observe(&ours).unwrap().phase, Phase::Converging);
    berth.expect([exchange("GET", OURS).answers_text(404, "")]);
    assert!(matches!(berth.observe(&ours), Err(Error::NotFound(_))));
}
