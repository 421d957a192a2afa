//! `do.database.pg` against scripted answers: each test is a trap of the API that was seen in the field.

#![expect(clippy::unwrap_used, reason = "tests")]

use berth_sdk::testing::{TestHost, exchange, json, remember, secret, wanted};
use berth_sdk::types::{Error, HttpError, Linked, Phase, Resource};
use plugin_do::DigitalOcean;
use serde_json::{Value, json};

const KIND: &str = "do.database.pg";
const ID: &str = "9cc10173-e9ea-4176-9dbc-a4cee4c4ff30";
const OURS: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30";
const BY_TAG: &str =
    "/v2/databases?tag_name=better-compute-resource%3Acrs_0123456789abcdefghjkmnpqrs";
const NAME: &str = "bc-r-0123456789abcdefghjkmnpq";

fn host() -> TestHost<DigitalOcean> {
    TestHost::new()
}

fn spec() -> Value {
    json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1})
}

fn tags() -> Value {
    json!([
        "better-compute-managed:dep-1",
        "better-compute-resource:crs_0123456789abcdefghjkmnpqrs",
        "better-compute-tenant:acme"
    ])
}

/// Our cluster as the API shows it.
fn cluster(status: &str) -> Value {
    let connection = |host: &str| {
        json!({
            "uri": format!("postgresql://doadmin:AVNS_canary@{host}:25060/defaultdb?sslmode=require"),
            "database": "defaultdb", "host": host, "port": 25060,
            "user": "doadmin", "password": "AVNS_canary", "ssl": true
        })
    };
    json!({
        "id": ID, "name": NAME, "engine": "pg", "version": "16", "semantic_version": "16.4",
        "status": status, "region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1,
        "storage_size_mib": 10240, "tags": tags(), "created_at": "2026-01-01T00:00:00Z",
        "connection": connection("db.example"), "private_connection": connection("private.db.example"),
        "users": [{"name": "doadmin", "role": "primary", "password": "AVNS_canary"}],
        "maintenance_window": {"day": "tuesday", "hour": "14:00:00", "pending": false},
        "private_network_uuid": "d455e75d-4858-4eec-8c95-da2f0a5f93a7", "project_id": ID
    })
}

fn with(mut value: Value, changes: &Value) -> Value {
    for (field, change) in changes.as_object().unwrap() {
        value[field] = change.clone();
    }
    value
}

fn answer(cluster: &Value) -> Value {
    json!({"database": cluster})
}

/// A cluster that was created and is online.
fn owned(spec: &Value) -> Resource {
    let berth = host();
    let mut ours = wanted(KIND, spec);
    berth.expect([exchange("POST", "/v2/databases").answers(201, &answer(&cluster("creating")))]);
    let created = berth.create(&ours).unwrap();
    remember(&mut ours, &created);
    ours
}

// --------------------------------------------------------------------- create

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

// ----------------------------------------------------------------------- find

#[test]
fn a_lost_create_is_found_by_its_tag_without_secrets() {
    let berth = host();
    berth.expect([
        exchange("GET", BY_TAG).answers(200, &json!({"databases": [cluster("creating")]}))
    ]);
    let found = berth.find(&wanted(KIND, &spec())).unwrap().unwrap();
    assert_eq!(found.provider_id, ID);
    assert!(found.secret_outputs.is_empty());
}

#[test]
fn absence_is_certain_only_by_tag_and_name() {
    let berth = host();
    let twin = with(cluster("online"), &json!({"tags": []}));
    berth.expect([
        exchange("GET", BY_TAG).answers(404, &json!({"id": "not_found", "message": "no tag"})),
        exchange("GET", "/v2/databases").answers(200, &json!({"databases": [twin]})),
    ]);
    let found = berth.find(&wanted(KIND, &spec())).unwrap().unwrap();
    assert_eq!(
        found.labels,
        Vec::new(),
        "a foreign twin shows that it is not ours"
    );

    berth.expect([
        exchange("GET", BY_TAG).answers(200, &json!({"databases": []})),
        exchange("GET", "/v2/databases").answers(
            200,
            &json!({"databases": [with(cluster("online"), &json!({"name": "other"}))]}),
        ),
    ]);
    assert!(berth.find(&wanted(KIND, &spec())).unwrap().is_none());
}

#[test]
fn a_failed_search_is_never_absence() {
    for broken in [
        exchange("GET", BY_TAG).answers_text(200, "<html></html>"),
        exchange("GET", BY_TAG).answers_text(200, "{\"databases\": [{"),
        exchange("GET", BY_TAG).answers_text(503, ""),
        exchange("GET", BY_TAG).fails(HttpError::Lost("cut".to_owned())),
    ] {
        let berth = host();
        berth.expect([broken]);
        assert!(matches!(
            berth.find(&wanted(KIND, &spec())),
            Err(Error::Unavailable(_))
        ));
    }
}

// -------------------------------------------------------------------- observe

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

// --------------------------------------------------------------------- update

#[test]
fn a_resize_sends_size_and_nodes_and_no_storage_that_did_not_change() {
    let berth = host();
    let mut ours = owned(&with(spec(), &json!({"storage_size_mib": 10240})));
    ours.spec = with(
        spec(),
        &json!({"storage_size_mib": 10240, "size": "db-s-2vcpu-4gb"}),
    )
    .to_string();
    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
        exchange("PUT", &format!("{OURS}/resize"))
            .sending(&json!({"size": "db-s-2vcpu-4gb", "num_nodes": 1}))
            .answers_text(202, ""),
    ]);
    let asked = berth.update(&ours, &["size"]).unwrap();
    assert_eq!(asked.phase, Phase::Converging);
    assert_eq!(asked.pending, ["size"]);
}

#[test]
fn storage_that_changed_is_sent() {
    let berth = host();
    let mut ours = owned(&spec());
    ours.spec = with(spec(), &json!({"storage_size_mib": 20480})).to_string();
    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
        exchange("PUT", &format!("{OURS}/resize"))
            .sending(&json!({"size": "db-s-1vcpu-1gb", "num_nodes": 1, "storage_size_mib": 20480}))
            .answers_text(202, ""),
    ]);
    berth.update(&ours, &["storage_size_mib"]).unwrap();
}

#[test]
fn storage_that_the_autoscaler_grew_is_left_alone() {
    let berth = host();
    let ours = owned(&with(
        spec(),
        &json!({"storage_size_mib": 10240, "autoscale": {"storage": {"enabled": true}}}),
    ));
    berth.expect([exchange("GET", OURS).answers(
        200,
        &answer(&with(
            cluster("online"),
            &json!({"storage_size_mib": 20480}),
        )),
    )]);
    assert_eq!(berth.observe(&ours).unwrap().pending, Vec::<String>::new());
}

#[test]
fn online_with_the_old_size_right_after_a_resize_is_not_ready_and_not_asked_again() {
    let berth = host();
    let mut ours = owned(&spec());
    ours.spec = with(spec(), &json!({"num_nodes": 2})).to_string();
    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
        exchange("PUT", &format!("{OURS}/resize")).answers_text(202, ""),
    ]);
    let asked = berth.update(&ours, &["num_nodes"]).unwrap();
    remember(&mut ours, &asked);

    berth.wait(5_000);
    berth.expect([exchange("GET", OURS).answers(200, &answer(&cluster("online")))]);
    let stale = berth.observe(&ours).unwrap();
    assert_eq!(
        (stale.phase.clone(), stale.pending.clone()),
        (Phase::Converging, vec!["num_nodes".to_owned()])
    );
    remember(&mut ours, &stale);
    berth.expect([exchange("GET", OURS).answers(200, &answer(&cluster("online")))]);
    berth.update(&ours, &["num_nodes"]).unwrap();

    berth.expect([exchange("GET", OURS).answers(200, &answer(&cluster("resizing")))]);
    assert_eq!(berth.observe(&ours).unwrap().phase, Phase::Converging);

    berth.expect([exchange("GET", OURS).answers(
        200,
        &answer(&with(cluster("online"), &json!({"num_nodes": 2}))),
    )]);
    let done = berth.observe(&ours).unwrap();
    assert_eq!((done.phase, done.pending), (Phase::Ready, Vec::new()));
}

#[test]
fn a_resize_that_stays_invisible_is_asked_for_again() {
    let berth = host();
    let mut ours = owned(&spec());
    ours.spec = with(spec(), &json!({"num_nodes": 2})).to_string();
    for _ in 0..2 {
        berth.expect([
            exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
            exchange("PUT", &format!("{OURS}/resize")).answers_text(202, ""),
        ]);
        let asked = berth.update(&ours, &["num_nodes"]).unwrap();
        remember(&mut ours, &asked);
        berth.wait(6 * 60_000);
    }
}

#[test]
fn a_resize_that_is_refused_under_maintenance_is_busy() {
    let berth = host();
    let mut ours = owned(&spec());
    ours.spec = with(spec(), &json!({"num_nodes": 2})).to_string();
    for (status, message) in [
        (412, "the cluster is under maintenance"),
        (409, "operation conflicts"),
        (423, "locked"),
        (422, "cluster is not online"),
    ] {
        berth.expect([
            exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
            exchange("PUT", &format!("{OURS}/resize"))
                .answers(status, &json!({"id": "x", "message": message})),
        ]);
        let outcome = berth.update(&ours, &["num_nodes"]);
        assert!(
            matches!(outcome, Err(Error::Busy(_))),
            "{status}: {outcome:?}"
        );
    }
}

#[test]
fn nothing_is_written_to_a_cluster_that_is_not_online() {
    let berth = host();
    let mut ours = owned(&spec());
    ours.spec = with(spec(), &json!({"num_nodes": 2})).to_string();
    berth.expect([exchange("GET", OURS).answers(200, &answer(&cluster("migrating")))]);
    let waiting = berth.update(&ours, &["num_nodes"]).unwrap();
    assert_eq!(
        (waiting.phase, waiting.pending),
        (Phase::Converging, vec!["num_nodes".to_owned()])
    );
}

#[test]
fn several_changes_are_made_one_after_another() {
    let berth = host();
    let mut ours = owned(&spec());
    ours.spec =
        json!({"region": "ams3", "size": "db-s-2vcpu-4gb", "num_nodes": 1, "version": "17"})
            .to_string();
    let fields = ["size", "region", "version"];
    let steps = [
        (
            "resize",
            json!({"size": "db-s-2vcpu-4gb", "num_nodes": 1}),
            json!({"size": "db-s-2vcpu-4gb"}),
        ),
        (
            "migrate",
            json!({"region": "ams3"}),
            json!({"size": "db-s-2vcpu-4gb", "region": "ams3"}),
        ),
        (
            "upgrade",
            json!({"version": "17"}),
            json!({"size": "db-s-2vcpu-4gb", "region": "ams3", "version": "17"}),
        ),
    ];
    let mut now = cluster("online");
    for (path, body, after) in steps {
        berth.expect([
            exchange("GET", OURS).answers(200, &answer(&now)),
            exchange("PUT", &format!("{OURS}/{path}")).sending(&body),
        ]);
        let step = berth.update(&ours, &fields).unwrap();
        remember(&mut ours, &step);
        now = with(now, &after);
    }
    berth.expect([exchange("GET", OURS).answers(200, &answer(&now))]);
    let done = berth.observe(&ours).unwrap();
    assert_eq!((done.phase, done.pending), (Phase::Ready, Vec::new()));
}

#[test]
fn an_update_touches_only_the_fields_it_is_given() {
    let berth = host();
    let mut ours = owned(&spec());
    ours.spec = with(spec(), &json!({"num_nodes": 2, "config": {"work_mem": 8}})).to_string();
    berth.expect([
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
        exchange("PATCH", &format!("{OURS}/config")).answers(200, &json!({})),
    ]);
    let applied = berth.update(&ours, &["config"]).unwrap();
    assert_eq!(applied.pending, ["num_nodes"]);
}

// --------------------------------------------------------------------- delete

#[test]
fn a_delete_is_idempotent() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([exchange("DELETE", OURS)]);
    berth.delete(&ours).unwrap();
    berth.expect([
        exchange("DELETE", OURS).answers(404, &json!({"id": "not_found", "message": "gone"}))
    ]);
    berth.delete(&ours).unwrap();
}

#[test]
fn a_delete_while_members_drain_is_busy_and_says_what_is_waited_for() {
    let berth = host();
    let ours = owned(&spec());
    for status in [403, 409] {
        berth.expect([exchange("DELETE", OURS).answers(
            status,
            &json!({"id": "forbidden", "message": "cluster still has replicas attached"}),
        )]);
        let Err(Error::Busy(retry)) = berth.delete(&ours) else {
            panic!("{status} is not busy");
        };
        assert!(
            retry.message.contains("waiting until what uses it is gone"),
            "{}",
            retry.message
        );
        assert!(
            retry.message.contains("still has replicas attached"),
            "{}",
            retry.message
        );
    }
}

#[test]
fn a_token_that_may_not_delete_is_denied_and_not_busy() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([exchange("DELETE", OURS).answers(
        403,
        &json!({"id": "forbidden", "message": "You are missing the required permission database:delete."}),
    )]);
    assert!(
        matches!(berth.delete(&ours), Err(Error::Denied(message)) if message.contains("scopes"))
    );
}

// ------------------------------------------------------------ list and labels

#[test]
fn a_list_shows_postgres_clusters_of_the_account_and_no_ones_secrets() {
    let berth = host();
    let foreign = with(
        cluster("online"),
        &json!({"id": "11111111-1111-4111-8111-111111111111", "name": "theirs", "tags": ["better-compute-managed:other"]}),
    );
    let mysql = with(cluster("online"), &json!({"id": "2", "engine": "mysql"}));
    berth.expect([exchange("GET", "/v2/databases").answers(
        200,
        &json!({"databases": [cluster("online"), foreign, mysql]}),
    )]);
    let page = berth.list(KIND, None, None).unwrap();
    assert_eq!(page.next, None);
    let names: Vec<_> = page
        .items
        .iter()
        .filter_map(|item| item.name.as_deref())
        .collect();
    assert_eq!(names, [NAME, "theirs"]);
    assert_eq!(page.items[1].labels[0].value, "other");
    assert!(!format!("{page:?}").contains("AVNS_canary"));
}

#[test]
fn an_account_without_clusters_lists_nothing() {
    let berth = host();
    for body in [
        json!({"databases": []}),
        json!({"databases": null}),
        json!({}),
    ] {
        berth.expect([exchange("GET", "/v2/databases").answers(200, &body)]);
        assert!(berth.list(KIND, None, None).unwrap().items.is_empty());
    }
}

#[test]
fn labels_are_written_as_tags_that_are_made_where_they_are_missing() {
    let berth = host();
    let ours = owned(&spec());
    let body = json!({"resources": [{"resource_id": ID, "resource_type": "database"}]});
    let managed = "/v2/tags/better-compute-managed%3Adep-1/resources";
    berth.expect([
        exchange("POST", managed)
            .sending(&body)
            .answers(404, &json!({"id": "not_found", "message": "no tag"})),
        exchange("POST", "/v2/tags")
            .sending(&json!({"name": "better-compute-managed:dep-1"}))
            .answers(201, &json!({})),
        exchange("POST", managed).sending(&body),
        exchange(
            "POST",
            "/v2/tags/better-compute-resource%3Acrs_0123456789abcdefghjkmnpqrs/resources",
        )
        .sending(&body),
        exchange("POST", "/v2/tags/better-compute-tenant%3Aacme/resources").sending(&body),
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
    ]);
    assert_eq!(berth.label(&ours).unwrap().labels, ours.labels);
}

#[test]
fn letting_go_takes_the_managed_tag_off_last() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([
        exchange(
            "DELETE",
            "/v2/tags/better-compute-resource%3Acrs_0123456789abcdefghjkmnpqrs/resources",
        ),
        exchange("DELETE", "/v2/tags/better-compute-tenant%3Aacme/resources")
            .answers(404, &json!({})),
        exchange(
            "DELETE",
            "/v2/tags/better-compute-managed%3Adep-1/resources",
        ),
    ]);
    berth.unlabel(&ours).unwrap();
}

// ---------------------------------------------------------------------- check

#[test]
fn sources_other_than_addresses_reach_the_whole_account() {
    let rules = json!([
        {"type": "ip_addr", "value": "192.0.2.1"},
        {"type": "droplet", "value": "4711"},
        {"type": "tag", "value": "web"}
    ]);
    let checked = host()
        .check(KIND, &with(spec(), &json!({"rules": rules})), None)
        .unwrap();
    assert_eq!(checked.account_wide, ["/rules/1/value", "/rules/2/value"]);
}

#[test]
fn a_tenant_can_not_write_ownership_tags() {
    let outcome = host().check(
        KIND,
        &with(
            spec(),
            &json!({"tags": ["ok", "Better-Compute-Managed:me"]}),
        ),
        None,
    );
    assert!(matches!(outcome, Err(Error::Invalid(errors)) if errors[0].field == "/tags/1"));
}

#[test]
fn a_misspelt_field_is_named() {
    let outcome = host().check(
        KIND,
        &json!({"region": "nyc3", "size": "s", "num_nodes": "two"}),
        None,
    );
    assert!(matches!(outcome, Err(Error::Invalid(errors)) if errors[0].field == "/num_nodes"));
}

// ----------------------------------------------------------------- throttling

#[test]
fn a_429_says_when_to_come_back() {
    let berth = host();
    let ours = owned(&spec());
    let body = json!({"id": "too_many_requests", "message": "API Rate limit exceeded."});
    berth.expect([exchange("GET", OURS)
        .answers(429, &body)
        .with_header("Retry-After", "7")]);
    assert!(
        matches!(berth.observe(&ours), Err(Error::Throttled(retry)) if retry.after == Some(7_000))
    );

    let reset = (berth_sdk::testing::START / 1000 + 90).to_string();
    berth.expect([exchange("GET", OURS)
        .answers(429, &body)
        .with_header("ratelimit-reset", &reset)]);
    assert!(
        matches!(berth.observe(&ours), Err(Error::Throttled(retry)) if retry.after == Some(90_000))
    );

    berth.expect([exchange("GET", OURS).fails(HttpError::Throttled(1_500))]);
    assert!(
        matches!(berth.observe(&ours), Err(Error::Throttled(retry)) if retry.after == Some(1_500))
    );
}
