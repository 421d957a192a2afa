//! What goes wrong at the provider while something is made.

use std::time::Duration;

use berth_e2e::{New, Tenant, World, eventually};
use double_digitalocean::{Fault, FaultBody, PlantedApp, PlantedCluster};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// One cluster was ever made, it is the resource's, and its password is sealed.
async fn is_the_only_one(world: &World, tenant: &Tenant, id: &str) {
    let ready = tenant.wait_through(id, "ready").await;
    let objects = world.double.objects();
    assert_eq!(objects.totals.clusters_made, 1, "{:?}", world.writes());
    assert_eq!(objects.clusters[0].id, ready.provider_id());
    assert_eq!(objects.clusters[0].name, ready.provider_name());
    let password = tenant.reveal(ready.secret("password")).await;
    assert!(world.password_canary().is_in(password.as_bytes()));
}

/// rule: CR-006, CR-019
#[tokio::test]
async fn an_answer_that_is_lost_after_the_provider_acted_makes_no_second_one() {
    for fault in [
        Fault::on("POST", "/v2/databases").drop_after(),
        Fault::on("POST", "/v2/databases").act_and_answer(500, FaultBody::Error),
        Fault::on("POST", "/v2/databases").act_and_answer(502, FaultBody::Html),
        Fault::on("POST", "/v2/databases").act_and_answer(201, FaultBody::Empty),
        Fault::on("POST", "/v2/databases").act_and_answer(201, FaultBody::Truncated),
        Fault::on("POST", "/v2/databases").act_and_answer(201, FaultBody::Garbage),
        Fault::on("POST", "/v2/databases").act_and_answer(
            201,
            FaultBody::Json {
                value: json!({"database": 7}),
            },
        ),
    ] {
        let world = World::start().await;
        let acme = world.tenant("acme").await;
        world.double.fault(fault);
        let orders = acme.create(&New::pg("orders")).await;
        is_the_only_one(&world, &acme, orders.id()).await;
        assert_eq!(world.double.count("POST", "/v2/databases"), 1);
    }
}

/// rule: CR-006
#[tokio::test]
async fn a_request_that_is_lost_before_the_provider_acted_is_made_good() {
    for fault in [
        Fault::on("POST", "/v2/databases").drop_before(),
        Fault::on("POST", "/v2/databases").answer(503, FaultBody::Html),
        Fault::on("POST", "/v2/databases").answer(500, FaultBody::Empty),
    ] {
        let world = World::start().await;
        let acme = world.tenant("acme").await;
        world.double.fault(fault);
        let orders = acme.create(&New::pg("orders")).await;
        is_the_only_one(&world, &acme, orders.id()).await;
        assert_eq!(world.double.count("POST", "/v2/databases"), 2);
    }
}

/// An answer that never comes is given up, and then it is as if it had been lost.
///
/// rule: CR-006
#[tokio::test]
async fn a_provider_that_hangs_holds_nobody_for_ever() {
    let world = World::with(|settings| {
        settings.set("runtime.limits.httpTotalMs", "400");
    })
    .await;
    let acme = world.tenant("acme").await;
    world
        .double
        .fault(Fault::on("POST", "/v2/databases").hang_after());
    let orders = acme.create(&New::pg("orders")).await;
    is_the_only_one(&world, &acme, orders.id()).await;
}

/// rule: CR-006
#[tokio::test]
async fn reads_that_fail_in_every_way_delay_and_do_no_more() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let bodies = [
        FaultBody::Html,
        FaultBody::Empty,
        FaultBody::Truncated,
        FaultBody::Garbage,
        FaultBody::Json { value: json!([]) },
        FaultBody::Json {
            value: json!({"databases": "none"}),
        },
    ];
    for path in ["/v2/databases", "/v2/databases/*"] {
        for (index, body) in bodies.iter().enumerate() {
            let status = if index % 2 == 0 { 200 } else { 502 };
            world.double.fault(
                Fault::on("GET", path)
                    .skip(u32::try_from(index).unwrap())
                    .answer(status, body.clone()),
            );
        }
    }
    let orders = acme.create(&New::pg("orders")).await;
    is_the_only_one(&world, &acme, orders.id()).await;
    acme.delete(orders.id()).await;
    acme.wait_through(orders.id(), "deleted").await;
}

/// rule: CR-006, CR-014
#[tokio::test]
async fn not_found_three_times_right_after_the_create_is_one_create() {
    let world = World::with(|settings| {
        settings.double.visibility.not_found_reads = 3;
        settings.double.visibility.hidden_in_lists = true;
    })
    .await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    is_the_only_one(&world, &acme, orders.id()).await;
    assert_eq!(acme.happened(orders.id()).await, ["created", "ready"]);
    assert_eq!(world.double.count("POST", "/v2/databases"), 1);
}

/// A lost answer, and then the object can't be seen for a while: the second create has to wait.
///
/// rule: CR-006, CR-014
#[tokio::test]
async fn an_object_that_shows_up_late_after_a_lost_answer_is_not_doubled() {
    let world = World::with(|settings| {
        settings.double.visibility.not_found_ms = 400;
        settings.double.visibility.hidden_in_lists = true;
        settings.set("service.reconcile.timing.absenceGrace", "3000");
    })
    .await;
    let acme = world.tenant("acme").await;
    world
        .double
        .fault(Fault::on("POST", "/v2/databases").drop_after());
    let orders = acme.create(&New::pg("orders")).await;
    is_the_only_one(&world, &acme, orders.id()).await;
}

/// rule: CR-207
#[tokio::test]
async fn an_object_of_somebody_else_under_our_exact_name_is_left_alone() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let hold = world
        .double
        .fault(Fault::on("GET", "/v2/**").always().hold_before());
    let orders = acme.create(&New::pg("orders")).await;
    let shop = acme.create(&New::app("shop")).await;
    world.double.wait_held(hold).await;
    let cluster = world
        .double
        .plant_cluster(PlantedCluster::named(&orders.provider_name()))
        .unwrap();
    let app = world
        .double
        .plant_app(PlantedApp::named(&shop.provider_name()))
        .unwrap();
    world.double.release(hold);
    for id in [orders.id(), shop.id()] {
        let failed = acme.wait(id, "error").await;
        assert_eq!(failed.reason(), "exists", "{failed:#?}");
        assert_eq!(failed["providerId"], Value::Null);
        assert!(
            failed.secrets().is_empty(),
            "a stranger's secrets were taken"
        );
        acme.deleted(id).await;
    }
    assert!(world.writes().is_empty(), "{:?}", world.writes());
    let objects = world.double.objects();
    assert_eq!(
        (objects.clusters[0].id.as_str(), objects.apps[0].id.as_str()),
        (cluster.as_str(), app.as_str())
    );
}

/// rule: CR-207
#[tokio::test]
async fn a_user_that_somebody_else_made_is_left_alone() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    world
        .double
        .plant_user(orders.provider_id(), "reports", None)
        .unwrap();
    let reports = acme.create(&New::user(orders.id(), "reports")).await;
    let failed = acme.wait(reports.id(), "error").await;
    assert_eq!(failed.reason(), "exists", "{failed:#?}");
    assert!(failed.secrets().is_empty());
    acme.deleted(reports.id()).await;
    assert_eq!(
        world.double.objects().clusters[0].users,
        ["doadmin", "reports"]
    );
}

/// rule: CR-006
#[tokio::test]
async fn an_app_on_the_second_page_is_found() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    // The answer to the create is lost, and the next look is held until the app is on page two.
    world
        .double
        .fault(Fault::on("POST", "/v2/apps").drop_after());
    let hold = world
        .double
        .fault(Fault::on("GET", "/v2/apps").skip(1).always().hold_before());
    let shop = acme.create(&New::app("shop")).await;
    world.double.wait_held(hold).await;
    for index in 0..201 {
        world
            .double
            .plant_app(PlantedApp::named(&format!("other-{index}")))
            .unwrap();
    }
    world.double.release(hold);
    let ready = acme.wait_through(shop.id(), "ready").await;
    assert_eq!(world.double.objects().totals.apps_made, 202);
    assert_eq!(world.double.count("POST", "/v2/apps"), 1);
    assert!(
        world
            .double
            .objects()
            .apps
            .iter()
            .any(|app| app.id == ready.provider_id())
    );
    let pages: Vec<String> = world
        .double
        .log()
        .iter()
        .filter(|entry| entry.path == "/v2/apps")
        .filter_map(|entry| entry.query.clone())
        .collect();
    assert!(
        pages.iter().any(|query| query.contains("page=2")),
        "{pages:?}"
    );
}

/// rule: CR-008, CR-205
#[tokio::test]
async fn a_create_that_the_provider_refuses_is_kept_and_can_be_deleted() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    world.double.fail_next_deployments(1);
    let shop = acme.create(&New::app("shop")).await;
    let failed = acme.wait(shop.id(), "error").await;
    assert!(!failed.message().is_empty());
    assert_eq!(failed.provider_id(), world.double.objects().apps[0].id);
    acme.delete(shop.id()).await;
    acme.wait_through(shop.id(), "deleted").await;
    assert!(world.double.objects().apps.is_empty());
}

/// rule: CR-013
#[tokio::test]
async fn many_resources_on_a_narrow_account_all_converge_without_a_storm_of_refusals() {
    let world = World::with(|settings| {
        settings.set("service.maxPerKind", "100");
        let rate = &mut settings.double.rate;
        rate.enabled = true;
        rate.per_minute = 60;
        rate.minute_ms = 1_500;
        rate.per_hour = 100_000;
    })
    .await;
    let many = world.tenant("many").await;
    let few = world.tenant("few").await;
    let news: Vec<New> = (0..40)
        .map(|index| New::pg(&format!("db-{index}")))
        .collect();
    let all = join_all(news.iter().map(|new| many.create(new))).await;
    let one = few.create(&New::pg("orders")).await;
    few.wait_through(one.id(), "ready").await;
    for resource in &all {
        many.wait_through(resource.id(), "ready").await;
    }
    let objects = world.double.objects();
    assert_eq!(objects.totals.clusters_made, 41);
    let asked = world.double.log().len() as u64;
    // A few refusals teach the rate anew whenever the machine stalls; a storm is most of what is asked.
    assert!(
        objects.rate_refusals * 4 <= asked,
        "{} of {asked} requests were refused: the account's rate is not kept",
        objects.rate_refusals
    );
}

/// A provider that is slow for one account holds up no other.
///
/// rule: CR-006
#[tokio::test]
async fn an_account_that_hangs_holds_up_no_other() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let slow = world.account_with("root", json!({})).await;
    let slow_pool = world.pool_on("root", &slow).await;
    world.offer(&slow_pool, "acme").await;
    // The apps' part of the provider answers nothing.
    world
        .double
        .fault(Fault::on("*", "/v2/apps/**").always().hang_before());
    world
        .double
        .fault(Fault::on("*", "/v2/apps").always().hang_before());
    let stuck = acme.on(&slow_pool);
    for index in 0..20 {
        stuck.create(&New::app(&format!("app-{index}"))).await;
    }
    eventually("apps are being looked for", || async {
        (world.double.count("GET", "/v2/apps") > 3).then_some(())
    })
    .await;
    acme.ready(&New::pg("orders")).await;
}

/// A slow answer is no lost one.
///
/// rule: CR-006
#[tokio::test]
async fn a_slow_answer_is_waited_for() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    world
        .double
        .fault(Fault::on("POST", "/v2/databases").delay(Duration::from_millis(700)));
    let orders = acme.create(&New::pg("orders")).await;
    is_the_only_one(&world, &acme, orders.id()).await;
    assert_eq!(world.double.count("POST", "/v2/databases"), 1);
}
