//! What goes wrong at the provider while something is changed or deleted.

use berth_e2e::{New, Tenant, World};
use double_digitalocean::{Fault, FaultBody, UserPasswords};
use serde_json::json;

/// A change whose first try goes wrong is applied once, and the object stays the same.
async fn resized(world: &World, acme: &Tenant, fault: Fault) {
    let orders = acme
        .ready(&New::pg(&format!("orders-{}", world.double.log().len())))
        .await;
    let fault = world.double.fault(fault);
    acme.update(orders.id(), json!({"num_nodes": 2})).await;
    let ready = acme.wait_through(orders.id(), "ready").await;
    world.double.release(fault);
    assert_eq!(ready.provider_id(), orders.provider_id());
    let clusters = world.double.objects().clusters;
    let cluster = clusters
        .iter()
        .find(|cluster| cluster.id == orders.provider_id())
        .unwrap();
    assert_eq!(cluster.num_nodes, 2);
}

/// rule: CR-006, CR-171, CR-174
#[tokio::test]
async fn a_change_survives_every_way_of_losing_its_answer() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let resize = || Fault::on("PUT", "/v2/databases/*/resize");
    for fault in [
        resize().drop_before(),
        resize().drop_after(),
        resize().answer(502, FaultBody::Html),
        resize().act_and_answer(500, FaultBody::Empty),
        resize().act_and_answer(504, FaultBody::Html),
    ] {
        resized(&world, &acme, fault).await;
    }
    assert_eq!(
        world.double.objects().totals.clusters_gone,
        0,
        "a failed update deleted something"
    );
}

/// rule: CR-006, CR-171
#[tokio::test]
async fn a_change_during_maintenance_is_tried_until_it_is_taken() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for status in [412, 409, 423] {
        let text = FaultBody::Message {
            text: "cluster is under maintenance".into(),
        };
        resized(
            &world,
            &acme,
            Fault::on("PUT", "/v2/databases/*/resize")
                .times(2)
                .answer(status, text),
        )
        .await;
    }
    let failed = acme.list().await["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["state"] == "error")
        .count();
    assert_eq!(failed, 0);
}

/// rule: CR-008, CR-199
#[tokio::test]
async fn a_delete_that_is_refused_while_members_drain_is_tried_again_and_says_so() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for status in [409, 403] {
        let orders = acme.ready(&New::pg(&format!("orders-{status}"))).await;
        let text = FaultBody::Message {
            text: "members are still attached".into(),
        };
        let refuse = Fault::on("DELETE", "/v2/databases/*")
            .always()
            .answer(status, text);
        let refuse = world.double.fault(refuse);
        acme.delete(orders.id()).await;
        world.wait_requests("DELETE", "/v2/databases/*", 2).await;
        let waiting = acme
            .wait_for(orders.id(), "to say what it waits for", |seen| {
                !seen.message().is_empty()
            })
            .await;
        assert_eq!(waiting.state(), "deleting", "{waiting:#?}");
        assert!(waiting.message().contains("wait"), "{}", waiting.message());
        world.double.release(refuse);
        acme.wait_through(orders.id(), "deleted").await;
    }
}

/// rule: CR-199
#[tokio::test]
async fn a_delete_survives_every_way_of_losing_its_answer() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let delete = || Fault::on("DELETE", "/v2/databases/*");
    for (index, fault) in [
        delete().drop_before(),
        delete().drop_after(),
        delete().answer(500, FaultBody::Html),
        delete().act_and_answer(502, FaultBody::Empty),
        delete().answer(429, FaultBody::Error),
    ]
    .into_iter()
    .enumerate()
    {
        let orders = acme.ready(&New::pg(&format!("orders-{index}"))).await;
        world.double.fault(fault);
        acme.delete(orders.id()).await;
        acme.wait_through(orders.id(), "deleted").await;
        assert!(world.double.objects().clusters.is_empty());
    }
}

/// rule: CR-175, CR-177
#[tokio::test]
async fn encrypted_values_that_come_back_differently_are_no_change() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let reference = acme.secret("key", "hunter2hunter2hunter2").await;
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let env = json!({"key": "API_KEY", "type": "SECRET", "value": reference});
    let services = json!([{"name": "web", "image": image, "envs": [env]}]);
    let shop = acme
        .ready(&New::app("shop").spec("services", services))
        .await;
    world.wait_requests("GET", "/v2/apps/*", 5).await;
    assert_eq!(
        world.double.count("PUT", "/v2/apps/*"),
        0,
        "a ciphertext was taken for a change"
    );
    let objects = world.double.objects();
    assert_eq!(objects.apps[0].deployments, 1);
    let seen = acme.get(shop.id()).await;
    assert_eq!((seen.state(), &seen["spec"]), ("ready", &shop["spec"]));
    // A change beside the secret leaves the secret as it is.
    acme.update(shop.id(), json!({"disable_edge_cache": true}))
        .await;
    acme.wait(shop.id(), "ready").await;
    assert_eq!(world.double.count("PUT", "/v2/apps/*"), 1);
    assert_eq!(
        world
            .double
            .app_secret(&objects.apps[0].id, "API_KEY")
            .as_deref(),
        Some("hunter2hunter2hunter2")
    );
}

/// rule: CR-019
#[tokio::test]
async fn a_password_that_later_reads_do_not_show_is_never_overwritten() {
    for later in [UserPasswords::Empty, UserPasswords::Absent] {
        let world = World::with(|settings| settings.double.secrets.user_passwords = later).await;
        let acme = world.tenant("acme").await;
        let orders = acme.ready(&New::pg("orders")).await;
        let reports = acme.ready(&New::user(orders.id(), "reports")).await;
        let sealed = acme.reveal(reports.secret("password")).await;
        assert!(world.password_canary().is_in(sealed.as_bytes()));
        let before = world.double.log().len();
        berth_e2e::eventually("the user was read again", || async {
            let log = world.double.log();
            (log.iter()
                .skip(before)
                .filter(|entry| entry.path.contains("/users"))
                .count()
                >= 3)
                .then_some(())
        })
        .await;
        acme.update(
            reports.id(),
            json!({"settings": {"pg_allow_replication": true}}),
        )
        .await;
        acme.wait(reports.id(), "ready").await;
        assert_eq!(acme.reveal(reports.secret("password")).await, sealed);
    }
}

/// A credential that may not see passwords: the resource is there and says what is missing.
///
/// rule: CR-008
#[tokio::test]
async fn credentials_that_the_token_may_not_see_are_told() {
    let world = World::with(|settings| settings.double.secrets.hide_credentials = true).await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    assert!(orders.secrets().is_empty());
    assert_eq!(orders.reason(), "secretLost");
    assert!(!orders.message().is_empty());
    // Once the token may, they are sealed.
    world
        .double
        .configure(|config| config.secrets.hide_credentials = false)
        .unwrap();
    let healed = acme
        .wait_for(orders.id(), "to have its secrets", |seen| {
            !seen.secrets().is_empty()
        })
        .await;
    assert_eq!((healed.state(), healed.message()), ("ready", ""));
}

/// A token that the provider does not take any more is an error that says so, and passes with it.
///
/// rule: CR-008, CR-011
#[tokio::test]
async fn a_credential_that_is_refused_is_an_error_that_heals() {
    let mut world = World::start().await;
    world.expects_right_credential = false;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let refuse = Fault::on("*", "/v2/**")
        .always()
        .answer(401, FaultBody::Error);
    let refuse = world.double.fault(refuse);
    let failed = acme.wait(orders.id(), "error").await;
    assert_eq!(failed.reason(), "denied", "{failed:#?}");
    world.double.release(refuse);
    acme.wait_through(orders.id(), "ready").await;
    assert_eq!(world.double.objects().totals.clusters_made, 1);
}

/// rule: CR-008, CR-011
#[tokio::test]
async fn a_new_credential_of_an_account_is_used_at_once() {
    let mut world = World::start().await;
    world.expects_right_credential = false;
    let account = world
        .account_with(
            "root",
            json!({"credential": "dop_v1_an-old-one-that-expired"}),
        )
        .await;
    let pool = world.pool_on("root", &account).await;
    let acme = world.tenant("acme").await.on(&pool);
    world.offer(&pool, "acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    let failed = acme.wait(orders.id(), "error").await;
    assert_eq!(failed.reason(), "denied", "{failed:#?}");
    let body =
        json!({"tenantId": "root", "accountId": account, "credential": world.double.token()});
    world.root.ok("accounts/update", &body).await;
    acme.wait_through(orders.id(), "ready").await;
}

/// An account that nobody answers for: what was never sent is deleted without it.
///
/// rule: CR-005, CR-205
#[tokio::test]
async fn a_provider_that_can_not_be_reached_is_waited_for_and_not_needed_for_a_delete() {
    let world = World::start().await;
    // A port of loopback that was free a moment ago.
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let egress = json!({
        "baseUrls": {"https://api.digitalocean.com": format!("http://{closed}")}, "plainHttp": true, "privateNetworks": true,
    });
    let account = world.account_with("root", json!({"egress": egress})).await;
    let pool = world.pool_on("root", &account).await;
    let acme = world.tenant("acme").await.on(&pool);
    world.offer(&pool, "acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    let waiting = acme
        .wait_for(orders.id(), "to say what it waits for", |seen| {
            !seen.message().is_empty()
        })
        .await;
    assert_eq!(
        (waiting.state(), waiting.reason()),
        ("pending", "waiting"),
        "{waiting:#?}"
    );
    acme.deleted(orders.id()).await;
    // Once it is reached, it goes on.
    let stock = acme.create(&New::pg("stock")).await;
    let body = json!({"tenantId": "root", "accountId": account, "egress": world.account_body("root")["egress"]});
    world.root.ok("accounts/update", &body).await;
    acme.wait_through(stock.id(), "ready").await;
}

/// Two users of one cluster at once: the provider takes one change at a time.
///
/// rule: CR-006
#[tokio::test]
async fn users_that_are_made_at_once_wait_for_each_other() {
    let world = World::with(|settings| settings.double.times.user = 150).await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let mut users = Vec::new();
    for name in ["one", "two", "three", "four"] {
        users.push(acme.create(&New::user(orders.id(), name)).await);
    }
    for user in &users {
        acme.wait(user.id(), "ready").await;
    }
    assert_eq!(world.double.objects().totals.users_made, 4);
    acme.delete(orders.id()).await;
    acme.wait_through(orders.id(), "deleted").await;
}

/// Still `online` right after a change was taken: that is not its end.
///
/// rule: CR-171
#[tokio::test]
async fn a_status_that_lags_behind_is_not_taken_for_the_end_of_a_change() {
    let world = World::with(|settings| {
        settings.double.times.status_lag = 600_000;
        settings.double.times.resize = 1;
    })
    .await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    acme.update(orders.id(), json!({"num_nodes": 2})).await;
    world
        .wait_requests("PUT", "/v2/databases/*/resize", 1)
        .await;
    world.wait_requests("GET", "/v2/databases/*", 3).await;
    assert_eq!(acme.get(orders.id()).await.state(), "updating");
    assert_eq!(
        world.double.count("PUT", "/v2/databases/*/resize"),
        1,
        "it was asked for twice"
    );
    world.double.advance(600_001);
    acme.wait(orders.id(), "ready").await;
}
