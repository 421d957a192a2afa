//! Faults on chosen requests.

use std::time::Duration;

use double_digitalocean::{Fault, FaultBody};
use serde_json::json;

use crate::client::{Rig, cluster};

#[tokio::test]
async fn only_the_nth_request_is_hit() {
    let rig = Rig::frozen().await;
    rig.double.fault(
        Fault::on("GET", "/v2/databases")
            .skip(1)
            .times(2)
            .answer(500, FaultBody::Error),
    );
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(rig.get("/v2/databases").await.status);
        rig.get("/v2/apps").await;
    }
    assert_eq!(statuses, [200, 500, 500, 200]);
}

#[tokio::test]
async fn wrong_answers_come_in_every_form() {
    let rig = Rig::frozen().await;
    let answer = async |body: FaultBody| {
        rig.double
            .fault(Fault::on("POST", "/v2/databases").answer(502, body));
        rig.post("/v2/databases", &cluster("one")).await
    };
    let html = answer(FaultBody::Html).await;
    assert_eq!(
        (html.status, html.header("content-type")),
        (502, Some("text/html"))
    );
    assert!(html.text.contains("<html>"));
    assert_eq!(answer(FaultBody::Empty).await.text, "");
    assert_eq!(
        answer(FaultBody::Json { value: json!([1]) }).await.json(),
        json!([1])
    );
    let garbage = answer(FaultBody::Garbage).await;
    assert!(serde_json::from_str::<serde_json::Value>(&garbage.text).is_err());
    let error = answer(FaultBody::Message {
        text: "overloaded".into(),
    })
    .await;
    assert_eq!(error.json()["message"], "overloaded");
    assert_eq!(
        rig.double.objects().totals.clusters_made,
        0,
        "none of them was carried out"
    );
}

#[tokio::test]
async fn a_truncated_answer_breaks_off_after_the_act() {
    let rig = Rig::frozen().await;
    rig.double
        .fault(Fault::on("POST", "/v2/databases").act_and_answer(201, FaultBody::Truncated));
    let sent = rig
        .send(rig.request("POST", "/v2/databases").json(&cluster("one")))
        .await;
    assert!(
        sent.is_err(),
        "half a body under the length of the whole: {sent:?}"
    );
    assert_eq!(rig.double.objects().clusters.len(), 1);
}

#[tokio::test]
async fn a_dropped_connection_did_nothing_or_all() {
    let rig = Rig::frozen().await;
    rig.double
        .fault(Fault::on("POST", "/v2/databases").drop_before());
    let request = || rig.request("POST", "/v2/databases").json(&cluster("one"));
    assert!(rig.send(request()).await.is_err());
    assert_eq!(rig.double.objects().clusters.len(), 0);
    rig.double
        .fault(Fault::on("POST", "/v2/databases").drop_after());
    assert!(rig.send(request()).await.is_err());
    assert_eq!(
        rig.double.objects().clusters.len(),
        1,
        "the answer alone was lost"
    );
    let log = rig.double.log();
    let acted: Vec<(bool, Option<u16>)> = log
        .iter()
        .map(|entry| (entry.acted, entry.status))
        .collect();
    assert_eq!(acted, [(false, None), (true, None)]);
}

#[tokio::test]
async fn an_answer_can_come_from_a_proxy_after_the_act() {
    let rig = Rig::frozen().await;
    rig.double
        .fault(Fault::on("POST", "/v2/databases").act_and_answer(504, FaultBody::Html));
    let reply = rig.post("/v2/databases", &cluster("one")).await;
    assert_eq!(reply.status, 504);
    assert_eq!(rig.double.objects().clusters.len(), 1);
}

#[tokio::test]
async fn a_hanging_request_ends_with_its_client() {
    let rig = Rig::frozen().await;
    rig.double
        .fault(Fault::on("GET", "/v2/databases").hang_before());
    let request = rig
        .request("GET", "/v2/databases")
        .timeout(Duration::from_millis(50));
    assert!(rig.send(request).await.unwrap_err().is_timeout());
    rig.double.clear_faults();
    rig.double
        .fault(Fault::on("POST", "/v2/databases").hang_after());
    let body = cluster("one");
    let acted = async {
        while rig.double.objects().clusters.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        reply = rig.post("/v2/databases", &body) => panic!("it hangs: {reply:?}"),
        () = acted => {}
    }
    assert_eq!(rig.get("/v2/databases").await.status, 200);
}

#[tokio::test]
async fn a_held_answer_waits_for_its_release() {
    let rig = Rig::frozen().await;
    let hold = rig
        .double
        .fault(Fault::on("POST", "/v2/databases").hold_after());
    let body = cluster("one");
    let request = rig.post("/v2/databases", &body);
    let meanwhile = async {
        rig.double.wait_held(hold).await;
        assert_eq!(rig.double.objects().clusters.len(), 1, "it was accepted");
        assert_eq!(rig.double.held(hold), 1);
        assert!(rig.double.release(hold));
    };
    let (reply, ()) = tokio::join!(request, meanwhile);
    assert_eq!(reply.status, 201);
    assert_eq!(rig.double.held(hold), 0);
}

#[tokio::test]
async fn a_request_held_before_the_act_does_nothing_if_its_client_dies() {
    let rig = Rig::frozen().await;
    let hold = rig
        .double
        .fault(Fault::on("POST", "/v2/databases").hold_before());
    let body = cluster("one");
    tokio::select! {
        _ = rig.post("/v2/databases", &body) => panic!("it is held"),
        () = rig.double.wait_held(hold) => {}
    }
    while rig.double.held(hold) > 0 {
        tokio::task::yield_now().await;
    }
    rig.double.release(hold);
    assert_eq!(
        rig.get("/v2/databases").await.json(),
        json!({"databases": []})
    );
}

#[tokio::test]
async fn deletes_are_refused_while_members_drain() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}", rig.online_cluster("one").await);
    let body = FaultBody::Message {
        text: "the cluster still has members".into(),
    };
    rig.double.fault(
        Fault::on("DELETE", "/v2/databases/*")
            .for_ms(60_000)
            .answer(409, body),
    );
    for _ in 0..2 {
        let refused = rig.delete(&path).await;
        assert_eq!(
            (refused.status, refused.json()["id"].clone()),
            (409, json!("conflict"))
        );
        rig.double.advance(30_000);
    }
    assert_eq!(rig.delete(&path).await.status, 204);
}

#[tokio::test]
async fn a_delay_delays_and_headers_can_be_added() {
    let rig = Rig::frozen().await;
    rig.double
        .fault(Fault::on("GET", "/v2/databases").delay(Duration::from_millis(20)));
    rig.double.fault(
        Fault::on("GET", "/v2/databases")
            .answer(503, FaultBody::Error)
            .header("retry-after", "7"),
    );
    let reply = rig.get("/v2/databases").await;
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (503, Some("7"))
    );
    let hits: Vec<u32> = rig.double.faults().iter().map(|fault| fault.hits).collect();
    assert_eq!(hits, [1, 1]);
    rig.double.clear_faults();
    assert!(rig.double.faults().is_empty());
}
