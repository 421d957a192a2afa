//! Changes, one write a call.

use berth_sdk::testing::{exchange, remember};
use berth_sdk::types::{Error, Phase};
use serde_json::json;

use crate::{OURS, answer, cluster, host, owned, spec, with};

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
