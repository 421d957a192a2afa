//! What one POST says, and what it can not say.

use berth_sdk::testing::{exchange, remember, secret, wanted};
use berth_sdk::types::{Error, HttpError, Linked, Phase};
use serde_json::json;

use crate::{ID, KIND, NAME, OURS, answer, cluster, host, spec, tags, with};

#[test]
fn a_create_says_everything_in_one_post_with_our_name_and_tags() {
    let berth = host();
    let ours = wanted(
        KIND,
        &with(
            spec(),
            &json!({
                "version": "16", "storage_size_mib": 20480, "tags": ["team:blue"],
                "rules": [{"type": "ip_addr", "value": "192.0.2.0/24"}],
                "autoscale": {"storage": {"enabled": true, "threshold_percent": 80}},
                "do_settings": {"service_cnames": ["db.example.com"]}
            }),
        ),
    );
    let mut sent = tags();
    sent.as_array_mut().unwrap().push(json!("team:blue"));
    berth.expect([exchange("POST", "/v2/databases")
        .sending(&json!({
            "name": NAME, "engine": "pg", "region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1,
            "version": "16", "storage_size_mib": 20480, "tags": sent,
            "rules": [{"type": "ip_addr", "value": "192.0.2.0/24"}],
            "autoscale": {"storage": {"enabled": true, "threshold_percent": 80}},
            "do_settings": {"service_cnames": ["db.example.com"]}
        }))
        .answers(201, &answer(&with(cluster("creating"), &json!({"storage_size_mib": 20480}))))]);
    let created = berth.create(&ours).unwrap();
    assert_eq!(created.provider_id, ID);
    assert_eq!(created.phase, Phase::Converging);
    assert_eq!(created.labels, ours.labels);
    assert_eq!(created.pending, Vec::<String>::new());
    assert_eq!(secret(&created, "password"), Some("AVNS_canary"));
}

#[test]
fn what_a_create_can_not_say_is_pending_and_applied_one_write_a_call() {
    let berth = host();
    let mut ours = wanted(
        KIND,
        &with(
            spec(),
            &json!({"config": {"work_mem": 8}, "maintenance": {"day": "sunday", "hour": "02:00"}}),
        ),
    );
    berth.expect([exchange("POST", "/v2/databases").answers(201, &answer(&cluster("creating")))]);
    let created = berth.create(&ours).unwrap();
    assert_eq!(created.pending, ["maintenance", "config"]);
    remember(&mut ours, &created);

    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
        exchange("PUT", &format!("{OURS}/maintenance"))
            .sending(&json!({"day": "sunday", "hour": "02:00"})),
    ]);
    let first = berth.update(&ours, &["maintenance", "config"]).unwrap();
    assert_eq!(first.pending, ["config"]);
    remember(&mut ours, &first);

    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
        exchange("PATCH", &format!("{OURS}/config"))
            .sending(&json!({"config": {"work_mem": 8}}))
            .answers(200, &json!({})),
    ]);
    let second = berth.update(&ours, &["config"]).unwrap();
    assert_eq!(second.pending, Vec::<String>::new());
    remember(&mut ours, &second);

    berth.expect([exchange("GET", OURS).answers(200, &answer(&cluster("online")))]);
    let settled = berth.observe(&ours).unwrap();
    assert_eq!((settled.phase, settled.pending), (Phase::Ready, Vec::new()));
}

#[test]
fn the_tenants_network_and_instances_are_sent_by_their_provider_ids() {
    let berth = host();
    let mut ours = wanted(
        KIND,
        &with(spec(), &json!({"network": "net_1", "instances": ["ins_1"]})),
    );
    ours.networks = ["ams3", "nyc3"]
        .map(|region| Linked {
            id: "net_1".to_owned(),
            provider_id: format!("vpc-{region}"),
            region: region.to_owned(),
        })
        .to_vec();
    ours.instances = vec![Linked {
        id: "ins_1".to_owned(),
        provider_id: "4711".to_owned(),
        region: "nyc3".to_owned(),
    }];
    berth.expect([exchange("POST", "/v2/databases")
        .sending(&json!({
            "name": NAME, "engine": "pg", "region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1, "tags": tags(),
            "private_network_uuid": "vpc-nyc3", "rules": [{"type": "droplet", "value": "4711"}]
        }))
        .answers(201, &answer(&cluster("creating")))]);
    berth.create(&ours).unwrap();
}

#[test]
fn a_lost_answer_to_a_create_is_ambiguous() {
    let ours = wanted(KIND, &spec());
    for lost in [
        exchange("POST", "/v2/databases").fails(HttpError::Lost("reset".to_owned())),
        exchange("POST", "/v2/databases").fails(HttpError::TooLarge(1024)),
        exchange("POST", "/v2/databases").answers_text(502, "<html>Bad Gateway</html>"),
        exchange("POST", "/v2/databases").answers_text(201, ""),
        exchange("POST", "/v2/databases").answers_text(201, "{\"database\": {\"id\": \"9cc1"),
        exchange("POST", "/v2/databases").answers_text(200, "<html></html>"),
    ] {
        let berth = host();
        berth.expect([lost]);
        let outcome = berth.create(&ours);
        assert!(matches!(outcome, Err(Error::Ambiguous(_))), "{outcome:?}");
    }
}

#[test]
fn a_request_that_never_left_is_not_ambiguous() {
    let berth = host();
    berth.expect([
        exchange("POST", "/v2/databases").fails(HttpError::Connect("refused".to_owned()))
    ]);
    assert!(matches!(
        berth.create(&wanted(KIND, &spec())),
        Err(Error::Unavailable(_))
    ));
}

#[test]
fn a_taken_name_is_a_conflict_and_a_bad_size_is_invalid_with_the_reason() {
    let berth = host();
    let body = json!({"id": "unprocessable_entity", "message": "database cluster with that name already exists"});
    berth.expect([exchange("POST", "/v2/databases").answers(422, &body)]);
    assert!(matches!(
        berth.create(&wanted(KIND, &spec())),
        Err(Error::Conflict(_))
    ));

    let body = json!({"id": "unprocessable_entity", "message": "invalid size db-s-1vcpu-1gb in nyc3 for token dop_v1_0123"});
    berth.expect([exchange("POST", "/v2/databases").answers(422, &body)]);
    let Err(Error::Invalid(errors)) = berth.create(&wanted(KIND, &spec())) else {
        panic!("not invalid");
    };
    assert!(
        errors[0]
            .message
            .contains("invalid size db-s-1vcpu-1gb in nyc3 for token …"),
        "{errors:?}"
    );
}
