//! Two tenants on one account, each with the other's ids at hand, through every method of the contract.

use berth_e2e::{New, World, names};
use serde_json::{Value, json};

/// rule: CR-002, CR-003, CR-037, CR-145, CR-221, CR-240
#[tokio::test]
async fn no_method_does_anything_with_another_tenants_ids() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    // Beside what both share, the other has an account of its own.
    let account = world.account_of("umbrella").await;
    let their_pool = world.pool_on("umbrella", &account).await;
    let theirs = umbrella.ready(&New::pg("orders")).await;
    let reports = umbrella.ready(&New::user(theirs.id(), "reports")).await;
    let tags = world.double.objects().clusters[0].tags.clone();
    let from = world.next_request();

    let of = |fields: Value| acme.input(fields);
    let in_their_pool = |fields: Value| {
        let mut body = of(json!({"poolId": their_pool}));
        body.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        body
    };
    let about = |id: &str| acme.about(id);
    let pg = json!({"kind": "do.database.pg"});
    let mut adoption = acme.adoption("mine", theirs.provider_id());
    let adopt_shared = adoption.clone();
    adoption["poolId"] = json!(their_pool);
    let mut child = acme.body(&New::user(theirs.id(), "spy"));
    child["idempotencyKey"] = json!("spy");
    let create = acme.on(&their_pool).body(&New::pg("mine"));
    for (method, body, code, reason) in [
        ("kinds", in_their_pool(json!({})), "NOT_FOUND", ""),
        ("catalog", in_their_pool(json!({})), "NOT_FOUND", ""),
        ("signals", in_their_pool(json!({})), "NOT_FOUND", ""),
        (
            "signals",
            of(json!({"poolId": acme.pool, "resourceId": theirs.id()})),
            "NOT_FOUND",
            "",
        ),
        ("create", create, "NOT_FOUND", ""),
        ("create", child, "INVALID_INPUT", ""),
        ("get", about(theirs.id()), "NOT_FOUND", ""),
        ("get", about(reports.id()), "NOT_FOUND", ""),
        (
            "update",
            acme.change(theirs.id(), json!({"num_nodes": 2})),
            "NOT_FOUND",
            "",
        ),
        ("delete", about(theirs.id()), "NOT_FOUND", ""),
        ("delete", about(reports.id()), "NOT_FOUND", ""),
        ("release", about(theirs.id()), "NOT_FOUND", ""),
        ("discover", in_their_pool(pg.clone()), "NOT_FOUND", ""),
        (
            "discover",
            of(json!({"poolId": acme.pool, "kind": "do.database.pg"})),
            "ACCESS_DENIED",
            "notAccountOwner",
        ),
        ("adopt", adoption, "NOT_FOUND", ""),
        ("adopt", adopt_shared, "ACCESS_DENIED", "notAccountOwner"),
    ] {
        let path = format!("cloudResources/{method}");
        let refusal = acme.api.refused(&path, &body).await;
        // Of signals the provider has none without previews: that is told of any pool that is seen.
        let is_signals = method == "signals" && refusal.code == "UNSUPPORTED";
        if !is_signals {
            refusal.is(code, reason);
        }
        let told = format!("{refusal:?}");
        assert!(!told.contains(theirs.provider_id()), "{method}: {told}");
    }
    assert_eq!(acme.list().await["items"], json!([]));
    let narrowed = acme.list_by(json!({"poolId": their_pool})).await;
    assert_eq!(narrowed["items"], json!([]));

    let after = umbrella.get(theirs.id()).await;
    assert_eq!((after.state(), after.version()), ("ready", 1));
    assert_eq!(after["releasing"], false);
    assert_eq!(names(&umbrella.list().await), ["orders", "reports"]);
    assert_eq!(world.double.objects().clusters[0].tags, tags);
    let writes = world.writes_since(from);
    assert!(writes.is_empty(), "{writes:?}");
}
