//! Where secrets are, and above all where they are not.

use berth_e2e::{Canary, New, World, eventually};
use double_digitalocean::{ClusterDrift, Fault, FaultBody, PlantedCluster};
use serde_json::{Value, json};

/// The log at its most talkative.
const TRACE: &str = "trace";

fn app_with(key: &str, reference: &str) -> New {
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let env = json!({"key": key, "type": "SECRET", "value": reference});
    New::app("shop").spec(
        "services",
        json!([{"name": "web", "image": image, "envs": [env]}]),
    )
}

async fn is_nowhere(world: &World, canary: &Canary) {
    let places = world.places_of(canary).await;
    assert!(places.is_empty(), "{} stands in {places:?}", canary.text());
}

/// rule: CR-019, CR-020, CR-021, CR-022, CR-161
#[tokio::test]
async fn a_password_is_in_the_sealed_store_and_nowhere_else() {
    let world = World::with(|settings| {
        settings.set("log.filter", TRACE);
    })
    .await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    acme.update(orders.id(), json!({"num_nodes": 2})).await;
    acme.wait(orders.id(), "ready").await;
    acme.list().await;
    acme.events(orders.id()).await;
    world.root.ok("audit/list", &json!({"limit": 500})).await;

    let canary = world.password_canary();
    let password = acme.reveal(orders.secret("password")).await;
    assert!(canary.is_in(password.as_bytes()));
    assert!(
        acme.reveal(orders.secret("uri")).await.contains(&password),
        "the URI embeds it, so it is sealed too"
    );
    assert!(
        acme.reveal(reports.secret("password"))
            .await
            .starts_with(canary.text())
    );
    is_nowhere(&world, &canary).await;
    // Each of them alone, in case that they were cut out of their surroundings.
    for name in orders.secrets() {
        let value = acme.reveal(orders.secret(&name)).await;
        assert!(canary.is_in(value.as_bytes()), "{name} has no secret in it");
    }
    let log = world.host_log();
    assert!(
        log.contains("TRACE"),
        "the log says everything that it can say"
    );
}

/// rule: CR-021
#[tokio::test]
async fn secrets_of_neighbours_in_lists_stay_with_the_provider() {
    let world = World::with(|settings| {
        settings.set("log.filter", TRACE);
    })
    .await;
    let acme = world.tenant("acme").await;
    let neighbour = Canary::new("neighbourcanary5c0de17f42");
    let cluster = PlantedCluster::named("neighbour").password(neighbour.text());
    let cluster = world.double.plant_cluster(cluster).unwrap();
    world
        .double
        .plant_user(
            &cluster,
            "their-user",
            Some(&format!("{}user", neighbour.text())),
        )
        .unwrap();
    let orders = acme.ready(&New::pg("orders")).await;
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    // A user beside ours, in our own cluster, that somebody else made.
    world
        .double
        .plant_user(
            orders.provider_id(),
            "beside",
            Some(&format!("{}beside", neighbour.text())),
        )
        .unwrap();
    acme.update(
        reports.id(),
        json!({"settings": {"pg_allow_replication": true}}),
    )
    .await;
    acme.wait(reports.id(), "ready").await;
    world.wait_looks().await;
    let handed_out = world.double.log().iter().any(|entry| {
        entry
            .answer
            .as_ref()
            .is_some_and(|answer| neighbour.is_in(answer.as_bytes()))
    });
    assert!(
        handed_out,
        "the provider never showed it: this proves nothing"
    );
    is_nowhere(&world, &neighbour).await;
}

/// rule: CR-021
#[tokio::test]
async fn secrets_that_errors_of_the_provider_repeat_are_kept_out() {
    let error = Canary::new("errorcanary88b1f00d4a6e");
    let input = Canary::new("inputcanary2b7c9d11e05f");
    let mut world = World::with(|settings| {
        settings.set("log.filter", TRACE);
        settings.double.secrets.error_canary = error.text().to_owned();
        settings.double.secrets.echo_request = true;
        settings.double.secrets.echo_authorization = true;
    })
    .await;
    world.must_be_nowhere(input.clone());
    let acme = world.tenant("acme").await;
    let reference = acme.secret("key", input.text()).await;
    // The provider refuses with a body that repeats everything that it was sent.
    let echo = format!(
        "can't take {{\"value\": \"{}\"}} from Bearer {}",
        input.text(),
        world.double.token()
    );
    let refuse = Fault::on("POST", "/v2/apps").always();
    let refuse = world
        .double
        .fault(refuse.answer(422, FaultBody::Message { text: echo }));
    let shop = acme.create(&app_with("API_KEY", &reference)).await;
    let failed = acme.wait(shop.id(), "error").await;
    assert!(!failed.message().is_empty());
    is_nowhere(&world, &input).await;
    // Its own errors repeat the request, and carry a canary that could be anybody's secret.
    world.double.release(refuse);
    acme.wait_through(shop.id(), "ready").await;
    acme.update(shop.id(), json!({"region": "nyc"})).await;
    let orders = acme.ready(&New::pg("orders")).await;
    acme.update(orders.id(), json!({"storage_size_mib": 1}))
        .await;
    acme.wait(orders.id(), "error").await;
    is_nowhere(&world, &input).await;
    is_nowhere(&world, &error).await;
    let said = world.double.log().iter().any(|entry| {
        entry
            .answer
            .as_ref()
            .is_some_and(|answer| error.is_in(answer.as_bytes()))
    });
    assert!(said, "the provider never said it: this proves nothing");
}

/// rule: CR-109
#[tokio::test]
async fn a_secret_input_reaches_the_provider_and_nobody_else() {
    let input = Canary::new("inputcanary2b7c9d11e05f");
    let mut world = World::with(|settings| {
        settings.set("log.filter", TRACE);
    })
    .await;
    world.must_be_nowhere(input.clone());
    let acme = world.tenant("acme").await;
    let reference = acme.secret("shop/api-key", input.text()).await;
    let shop = acme.ready(&app_with("API_KEY", &reference)).await;
    assert_eq!(
        shop["spec"]["services"][0]["envs"][0]["value"],
        json!(reference)
    );
    let app = world.double.objects().apps[0].id.clone();
    assert_eq!(
        world.double.app_secret(&app, "API_KEY").as_deref(),
        Some(input.text())
    );
    is_nowhere(&world, &input).await;
    // It goes out with every write that holds it, and comes back from none.
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let env = json!({"key": "OTHER_KEY", "type": "SECRET", "value": reference});
    acme.update(
        shop.id(),
        json!({"services": [{"name": "web", "image": image, "envs": [env]}]}),
    )
    .await;
    acme.wait(shop.id(), "ready").await;
    assert_eq!(
        world.double.app_secret(&app, "OTHER_KEY").as_deref(),
        Some(input.text())
    );
    acme.deleted(shop.id()).await;
    is_nowhere(&world, &input).await;
}

/// A secret that is gone when the provider is to be asked is an error that names it.
///
/// rule: CR-008, CR-109
#[tokio::test]
async fn a_secret_that_was_deleted_since_is_told() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let reference = acme.secret("key", "hunter2hunter2hunter2").await;
    let hold = world
        .double
        .fault(Fault::on("GET", "/v2/apps").hold_before());
    let shop = acme.create(&app_with("API_KEY", &reference)).await;
    world.double.wait_held(hold).await;
    acme.api
        .ok("secrets/delete", &acme.secret_named(&reference))
        .await;
    world.double.release(hold);
    let failed = acme.wait(shop.id(), "error").await;
    assert_eq!(failed.reason(), "secret", "{failed:#?}");
    assert!(
        failed.message().contains(&reference),
        "{}",
        failed.message()
    );
    assert_eq!(world.double.count("POST", "/v2/apps"), 0);
    acme.secret("key", "hunter3hunter3hunter3").await;
    acme.wait_through(shop.id(), "ready").await;
}

/// rule: CR-020
#[tokio::test]
async fn a_reveal_is_decided_and_audited() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let reference = orders.secret("password").to_owned();
    let body = acme.secret_named(&reference);
    let reader = acme
        .someone(&[json!({
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Action": "compute:cloud-resources:*", "Resource": "*"},
                {"Effect": "Allow", "Action": "compute:secrets:read", "Resource": "*"},
            ],
        })])
        .await;
    assert_eq!(reader.get(orders.id()).await.secret("password"), reference);
    reader
        .api
        .refused("secrets/reveal", &body)
        .await
        .is("ACCESS_DENIED", "");
    acme.reveal(&reference).await;
    let audit = world
        .root
        .ok("audit/list", &json!({"tenantId": "acme"}))
        .await;
    let reveals: Vec<&Value> = audit["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["action"] == "compute:secrets:reveal")
        .collect();
    assert_eq!(reveals.len(), 2, "{audit:#}");
    let outcomes: Vec<&Value> = reveals.iter().map(|row| &row["outcome"]).collect();
    assert!(
        outcomes.contains(&&json!("done")) && outcomes.contains(&&json!("refused")),
        "{outcomes:?}"
    );
}

/// The credential of an account is shown to nobody, not even to who registered it.
///
/// rule: CR-021
#[tokio::test]
async fn the_credential_of_an_account_is_shown_to_nobody() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let account = world.account_of("acme").await;
    let named = acme.input(json!({"name": format!("provider-accounts/{account}")}));
    for api in [&world.root, &acme.api] {
        let refusal = api.refused("secrets/reveal", &named).await;
        assert!(
            ["INVALID_INPUT", "ACCESS_DENIED", "NOT_FOUND"].contains(&refusal.code.as_str()),
            "{refusal:#?}"
        );
    }
    let seen = world
        .root
        .ok(
            "accounts/get",
            &json!({"tenantId": "acme", "accountId": account}),
        )
        .await;
    assert_eq!(seen.get("credential"), None);
    // Nor does a spec get it out.
    let refusal = acme
        .refused(&app_with(
            "API_KEY",
            &format!("secret://acme/provider-accounts/{account}"),
        ))
        .await;
    refusal.is_invalid_at("spec.services.0.envs.0.value");
}

/// rule: CR-019, CR-201
#[tokio::test]
async fn no_earlier_password_is_left_when_a_new_one_is_sealed() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let first = acme.reveal(orders.secret("password")).await;
    let second = format!("{}second", world.password_canary().text());
    let drift = ClusterDrift {
        password: Some(second.clone()),
        ..ClusterDrift::default()
    };
    world
        .double
        .drift_cluster(orders.provider_id(), drift)
        .unwrap();
    eventually("the second password is sealed", || async {
        (acme.reveal(orders.secret("password")).await == second).then_some(())
    })
    .await;
    assert_ne!(first, second);
    acme.deleted(orders.id()).await;
    is_nowhere(&world, &world.password_canary()).await;
    let secrets = acme.api.ok("secrets/list", &acme.input(json!({}))).await;
    assert_eq!(secrets["items"], json!([]));
}
