//! What a cluster shows, and when it is ready.

use berth_sdk::testing::{exchange, json, remember, secret};
use berth_sdk::types::{Error, Phase};
use serde_json::json;

use crate::{OURS, answer, cluster, host, owned, spec, tags, with};

#[test]
fn an_online_cluster_is_ready_with_outputs_and_sealed_secrets() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([exchange("GET", OURS).answers(200, &answer(&cluster("online")))]);
    let seen = berth.observe(&ours).unwrap();
    assert_eq!(seen.phase, Phase::Ready);
    let outputs = json(&seen.outputs);
    assert_eq!(outputs["host"], "db.example");
    assert_eq!(outputs["port"], 25060);
    assert_eq!(outputs["private_host"], "private.db.example");
    assert!(outputs.get("version_end_of_life").is_none());
    assert_eq!(secret(&seen, "password"), Some("AVNS_canary"));
    assert!(
        secret(&seen, "uri")
            .unwrap()
            .contains("AVNS_canary@db.example")
    );
    assert!(
        secret(&seen, "private_uri")
            .unwrap()
            .contains("private.db.example")
    );
    assert_eq!(secret(&seen, "standby_uri"), None);
    let reported = json(seen.spec.as_deref().unwrap());
    assert_eq!(reported["size"], "db-s-1vcpu-1gb");
    assert_eq!(
        reported["maintenance"],
        json!({"day": "tuesday", "hour": "14:00"})
    );
    assert_eq!(
        reported.get("tags"),
        None,
        "ownership tags are no part of a spec"
    );
}

#[test]
fn five_runs_of_a_settled_cluster_write_nothing() {
    let berth = host();
    let mut ours = owned(&with(
        spec(),
        &json!({"version": "16", "storage_size_mib": 10240, "autoscale": {"storage": {"enabled": false}}}),
    ));
    for _ in 0..5 {
        berth.wait(300_000);
        berth.expect([exchange("GET", OURS).answers(200, &answer(&cluster("online")))]);
        let seen = berth.observe(&ours).unwrap();
        assert_eq!(
            (seen.phase.clone(), seen.pending.clone()),
            (Phase::Ready, Vec::new())
        );
        remember(&mut ours, &seen);
    }
}

#[test]
fn tags_that_the_api_reorders_or_capitalises_are_shown_as_they_were_written() {
    let berth = host();
    let ours = owned(&with(spec(), &json!({"tags": ["team:blue", "cost:42"]})));
    let mut shown = tags();
    shown
        .as_array_mut()
        .unwrap()
        .extend([json!("cost:42"), json!("Team:Blue")]);
    berth.expect([exchange("GET", OURS).answers(
        200,
        &answer(&with(cluster("online"), &json!({"tags": shown}))),
    )]);
    let reported = json(berth.observe(&ours).unwrap().spec.as_deref().unwrap());
    assert_eq!(reported["tags"], json!(["team:blue", "cost:42"]));
}

#[test]
fn without_the_scope_secrets_are_absent_and_not_empty() {
    let berth = host();
    let ours = owned(&spec());
    let bare = json!({"uri": "postgresql://doadmin:@db.example:25060/defaultdb", "host": "db.example", "port": 25060, "password": ""});
    berth.expect([exchange("GET", OURS).answers(
        200,
        &answer(&with(
            cluster("online"),
            &json!({"connection": bare, "private_connection": null}),
        )),
    )]);
    assert_eq!(berth.observe(&ours).unwrap().secret_outputs, Vec::new());
}

#[test]
fn a_404_is_not_found_and_the_host_decides_what_it_means() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([
        exchange("GET", OURS).answers(404, &json!({"id": "not_found", "message": "not there"}))
    ]);
    assert!(matches!(berth.observe(&ours), Err(Error::NotFound(_))));
}

#[test]
fn a_status_that_no_one_documented_is_converging_and_an_unhealthy_one_failed() {
    let berth = host();
    let ours = owned(&spec());
    for (status, phase) in [
        ("forking", Phase::Converging),
        ("POWERING_ON", Phase::Converging),
        ("", Phase::Converging),
        (
            "UNHEALTHY",
            Phase::Failed("the cluster is unhealthy at the provider".to_owned()),
        ),
    ] {
        berth.expect([exchange("GET", OURS).answers(200, &answer(&cluster(status)))]);
        assert_eq!(berth.observe(&ours).unwrap().phase, phase);
    }
}

#[test]
fn html_empty_and_half_answers_are_unavailable() {
    let berth = host();
    let ours = owned(&spec());
    for body in [
        "<html>",
        "",
        "{\"database\": {\"id\": \"x\", \"name\"",
        "[]",
        "null",
        "{\"database\": {\"id\": 7}}",
    ] {
        berth.expect([exchange("GET", OURS).answers_text(200, body)]);
        let outcome = berth.observe(&ours);
        assert!(
            matches!(outcome, Err(Error::Unavailable(_))),
            "{body}: {outcome:?}"
        );
    }
}

#[test]
fn an_error_body_is_not_repeated() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([exchange("GET", OURS).answers(
        500,
        &json!({"id": "server_error", "message": "can't reach postgresql://doadmin:AVNS_neighbour@x", "request_id": "AVNS_neighbour"}),
    )]);
    let error = format!("{:?}", berth.observe(&ours));
    assert!(!error.contains("AVNS_neighbour"), "{error}");
    assert!(!berth.log().concat().contains("AVNS_neighbour"));
}
