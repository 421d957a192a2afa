//! A plugin that runs wild or breaks: it harms only itself.

use berth_e2e::{Canary, New};
use double_digitalocean::{Fault, FaultBody};
use serde_json::json;

use crate::hostile::{hostile, report, send, with_hostile};

/// The same wish is refused, told with the name of a limit, and others are served all the while.
///
/// rule: CR-110
#[tokio::test]
async fn a_check_that_runs_wild_is_unavailable_and_harms_nobody_else() {
    let (world, acme) = with_hostile(json!({})).await;
    let good = acme.on(&world.pool);
    for (index, step) in [
        json!("spin"),
        json!("allocate"),
        json!("overflow"),
        json!({"panic": "hunter2"}),
        json!({"random": {"bytes": 1024, "times": 1000}}),
    ]
    .into_iter()
    .enumerate()
    {
        let wild = acme.body(&hostile("wild", json!({"steps": [step]})));
        let name = format!("orders-{index}");
        let new = New::pg(&name);
        let (refusal, made) = tokio::join!(
            acme.api.refused("cloudResources/create", &wild),
            good.create(&new)
        );
        refusal.is("UNAVAILABLE", "");
        assert!(!refusal.message.contains("hunter2"), "{}", refusal.message);
        assert_eq!(made.state(), "pending");
    }
    let listed = acme
        .list_by(json!({"kind": "hostile.db", "includeDeleted": true}))
        .await;
    assert_eq!(listed["items"], json!([]), "something was recorded");
    let log = world.host_log();
    for limit in ["cpuMs", "memoryBytes"] {
        assert!(
            log.contains(limit),
            "the log does not name the limit `{limit}`"
        );
    }
    // The plugin itself serves on.
    acme.ready(&hostile("tame", json!({}))).await;
}

/// In a run of the reconciler a broken plugin is an error that names the limit and its setting, and
/// an answer of the provider that is too large is told to the plugin.
///
/// rule: CR-008
#[tokio::test]
async fn a_run_that_breaks_names_the_limit_and_others_converge() {
    let (world, acme) = with_hostile(json!({})).await;
    let text = FaultBody::Text {
        content_type: "application/json".into(),
        text: "x".repeat(20 << 20),
    };
    world.double.fault(
        Fault::on("GET", "/v2/everyone/much")
            .always()
            .answer(200, text),
    );
    let much = json!({"steps": [send("GET", "/v2/everyone/much")]});
    let much = acme.create(&hostile("much", much)).await;
    let bulk = acme
        .create(&hostile("bulk", json!({"steps": [{"bulk": 10 << 20}]})))
        .await;
    acme.on(&world.pool).ready(&New::pg("orders")).await;
    let failed = acme
        .wait_for(bulk.id(), "to name its limit", |seen| {
            seen.message().contains("runtime.limits.outputBytes")
        })
        .await;
    assert_eq!(failed.reason(), "plugin", "{failed:#?}");
    assert_eq!(failed["outputs"], json!({}));
    let much = acme.wait(much.id(), "ready").await;
    assert!(
        report(&much)[0]["tooLarge"].is_string(),
        "{:#}",
        report(&much)
    );
}

/// An answer that holds a secret in a plain place is not stored.
///
/// rule: CR-021
#[tokio::test]
async fn a_secret_that_it_puts_into_a_plain_place_is_not_stored() {
    let (mut world, acme) = with_hostile(json!({})).await;
    let canary = Canary::new("plaincanary61fd09ab7733");
    world.must_be_nowhere(canary.clone());
    let own = json!({"db": {"id": "own", "password": canary.text()}});
    world.double.fault(
        Fault::on("POST", "/v2/dbs")
            .always()
            .answer(201, FaultBody::Json { value: own }),
    );
    let leaks = [
        json!({"outputs": "{\"report\": \"$body\"}"}),
        json!({"memo": "$body"}),
        json!({"spec": "$body"}),
        json!({"failed": "$body"}),
        json!({"name": "$body"}),
    ];
    for (index, leak) in leaks.into_iter().enumerate() {
        let mut answer = leak;
        answer["secrets"] = json!([["password", "$pointer:/db/password"]]);
        let script = json!({"steps": [send("POST", "/v2/dbs")], "answer": answer});
        let db = acme
            .create(&hostile(&format!("leak-{index}"), script))
            .await;
        acme.wait_for(db.id(), "to say something", |seen| {
            !seen.message().is_empty() || seen.state() == "ready"
        })
        .await;
        assert_eq!(world.places_of(&canary).await, [], "leak {index}");
    }
}
