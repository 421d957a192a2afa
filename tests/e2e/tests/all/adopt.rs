//! `cloudResources/adopt`: the takeover of what existed before.

use berth_e2e::{Resource, Tenant, World};
use double_digitalocean::{ClusterDrift, ClusterInfo, Fault, PlantedCluster};
use serde_json::{Value, json};

fn plant(world: &World, name: &str, tags: &[&str]) -> String {
    let planted = tags
        .iter()
        .fold(PlantedCluster::named(name), |planted, tag| planted.tag(tag));
    world.double.plant_cluster(planted).unwrap()
}

fn cluster(world: &World, id: &str) -> ClusterInfo {
    let clusters = world.double.objects().clusters;
    clusters.into_iter().find(|one| one.id == id).unwrap()
}

/// Tags of the object that are labels, without their common beginning.
fn marks(world: &World, id: &str) -> Vec<String> {
    let mut marks: Vec<String> = cluster(world, id)
        .tags
        .iter()
        .filter_map(|tag| tag.strip_prefix("better-compute-").map(str::to_owned))
        .collect();
    marks.sort();
    marks
}

fn retag(world: &World, id: &str, tags: &[&str]) {
    let drift = ClusterDrift {
        tags: Some(tags.iter().map(|tag| (*tag).to_owned()).collect()),
        ..ClusterDrift::default()
    };
    world.double.drift_cluster(id, drift).unwrap();
}

fn resize(world: &World, id: &str, num_nodes: u64) {
    let drift = ClusterDrift {
        num_nodes: Some(num_nodes),
        ..ClusterDrift::default()
    };
    world.double.drift_cluster(id, drift).unwrap();
}

fn is_ours(marks: &[String], resource: &Resource, tenant: &Tenant) -> bool {
    marks.len() == 3
        && marks[0].starts_with("managed:dep_")
        && marks[1] == format!("resource:{}", resource.id())
        && marks[2] == format!("tenant:{}", tenant.id)
}

/// rule: CR-226, CR-238, CR-239, CR-241
#[tokio::test]
async fn a_cluster_is_taken_over_as_it_is() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found", &["team:blue"]);
    let recorded = acme.adopt("orders", &found).await;
    assert_eq!(
        (recorded.state(), &recorded["adopted"], &recorded["spec"]),
        ("pending", &json!(true), &json!({}))
    );
    assert_eq!(recorded["providerId"], json!(found));
    assert_eq!(recorded["name"], "orders");

    let ready = acme.wait(recorded.id(), "ready").await;
    assert_eq!((ready.provider_id(), ready.version()), (found.as_str(), 1));
    assert_eq!(ready["region"], "nyc3");
    let spec = &ready["spec"];
    assert_eq!(
        (&spec["size"], &spec["num_nodes"], &spec["tags"]),
        (&json!("db-s-1vcpu-1gb"), &json!(1), &json!(["team:blue"]))
    );
    let marks = marks(&world, &found);
    assert!(is_ours(&marks, &ready, &acme), "{marks:?}");
    assert!(
        cluster(&world, &found)
            .tags
            .contains(&"team:blue".to_owned())
    );
    let password = acme.reveal(ready.secret("password")).await;
    assert!(world.password_canary().is_in(password.as_bytes()));
    assert_eq!(acme.happened(ready.id()).await, ["adopted", "ready"]);
    let writes: Vec<String> = world.writes();
    assert!(
        writes.iter().all(|write| write.contains("/v2/tags")),
        "nothing but labels was written: {writes:?}"
    );
    let canary = world.password_canary();
    assert_eq!(world.places_of(&canary).await, []);
}

/// rule: CR-239
#[tokio::test]
async fn its_spec_follows_the_provider_until_the_tenant_changes_it() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found", &[]);
    let ready = acme.adopted("orders", &found).await;

    resize(&world, &found, 2);
    let followed = acme
        .wait_for(ready.id(), "to follow", |seen| {
            seen["spec"]["num_nodes"] == 2
        })
        .await;
    assert_eq!((followed.version(), &followed["drift"]), (1, &Value::Null));
    let described = acme.input(json!({"resourceId": ready.id(), "description": "found it"}));
    acme.api.ok("cloudResources/update", &described).await;
    resize(&world, &found, 3);
    acme.wait_for(ready.id(), "to follow", |seen| {
        seen["spec"]["num_nodes"] == 3
    })
    .await;

    acme.update(ready.id(), json!({"num_nodes": 2})).await;
    acme.wait_happened(ready.id(), "updated", 1).await;
    assert_eq!(cluster(&world, &found).num_nodes, 2);
    resize(&world, &found, 1);
    let drifted = acme
        .wait_for(ready.id(), "to show drift", |seen| {
            seen["drift"]["num_nodes"] == 1
        })
        .await;
    assert_eq!(drifted["spec"]["num_nodes"], 2, "managed like any other");
    assert_eq!(
        acme.happened(ready.id()).await,
        ["adopted", "ready", "updating", "updated"]
    );

    acme.deleted(ready.id()).await;
    assert!(world.double.objects().clusters.is_empty());
}

/// rule: CR-193
#[tokio::test]
async fn before_the_takeover_is_complete_only_the_description_changes() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found", &[]);
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/tags/*/resources").hold_before());
    let recorded = acme.adopt("orders", &found).await;
    world.double.wait_held(hold).await;
    acme.api
        .refused(
            "cloudResources/update",
            &acme.change(recorded.id(), json!({"num_nodes": 2})),
        )
        .await
        .is("INVALID_STATE", "adopting");
    let described = acme.input(json!({"resourceId": recorded.id(), "description": "found it"}));
    let described = acme.api.ok("cloudResources/update", &described).await;
    assert_eq!(
        (&described["description"], &described["version"]),
        (&json!("found it"), &json!(2))
    );
    world.double.release(hold);
    let ready = acme.wait(recorded.id(), "ready").await;
    assert_eq!(ready["description"], "found it");
}

/// rule: CR-227
#[tokio::test]
async fn the_provider_is_asked_for_that_one_object_before_anything_is_recorded() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found", &[]);
    let hold = world
        .double
        .fault(Fault::on("GET", "/v2/databases/*").hold_before());
    let asking = (acme.clone(), found.clone());
    let asking = tokio::spawn(async move { asking.0.adopt("orders", &asking.1).await });
    world.double.wait_held(hold).await;
    assert_eq!(acme.list().await["items"], json!([]));
    let asked: Vec<String> = world
        .double
        .log()
        .iter()
        .map(|entry| entry.path.clone())
        .collect();
    assert_eq!(asked, [format!("/v2/databases/{found}")]);
    world.double.release(hold);
    let recorded = asking.await.unwrap();
    acme.wait(recorded.id(), "ready").await;
}

/// rule: CR-230
#[tokio::test]
async fn an_object_of_this_deployment_without_a_live_resource_can_be_adopted() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found", &[]);
    let first = acme.adopted("first", &found).await;
    let left = cluster(&world, &found).tags;
    acme.release(first.id()).await;
    acme.wait(first.id(), "released").await;
    // As if its labels could not be taken off.
    let left: Vec<&str> = left.iter().map(String::as_str).collect();
    retag(&world, &found, &left);

    let second = acme.adopted("second", &found).await;
    assert_ne!(second.id(), first.id());
    let marks = marks(&world, &found);
    assert!(is_ours(&marks, &second, &acme), "{marks:?}");
    acme.deleted(second.id()).await;
    assert!(world.double.objects().clusters.is_empty());
}

/// rule: CR-238
#[tokio::test]
async fn an_object_that_another_deployment_took_meanwhile_is_left_to_it() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found", &[]);
    let hold = world
        .double
        .fault(Fault::on("GET", "/v2/databases/*").skip(1).hold_before());
    let recorded = acme.adopt("orders", &found).await;
    world.double.wait_held(hold).await;
    retag(&world, &found, &["better-compute-managed:dep_other"]);
    world.double.release(hold);
    let failed = acme.wait(recorded.id(), "error").await;
    assert_eq!(failed.reason(), "managedByAnother", "{failed:#?}");
    assert_eq!(failed["spec"], json!({}));
    world.wait_looks().await;
    assert_eq!(world.writes(), [""; 0]);
    // Let go there, it is taken over here after all.
    retag(&world, &found, &[]);
    acme.wait_through(recorded.id(), "ready").await;
    assert_eq!(
        acme.happened(recorded.id()).await,
        ["adopted", "failed", "ready"]
    );
}

/// Both saw that nobody has it.
///
/// rule: CR-238
#[tokio::test]
async fn of_two_deployments_that_adopt_the_same_object_one_wins() {
    let one = World::start().await;
    let other = World::start().await;
    let acme = one.owner("acme").await;
    let beta = other.bare_tenant("beta").await;
    let egress = json!({
        "baseUrls": {"https://api.digitalocean.com": one.double.base_url()},
        "plainHttp": true, "privateNetworks": true,
    });
    let account = other.account_with("beta", json!({"egress": egress})).await;
    let beta = beta.on(&other.pool_on("beta", &account).await);
    let found = plant(&one, "found", &[]);

    let hold = one
        .double
        .fault(Fault::on("POST", "/v2/tags/*/resources").hold_before());
    let late = acme.adopt("orders", &found).await;
    one.double.wait_held(hold).await;
    let first = beta.adopted("orders", &found).await;
    one.double.release(hold);
    let failed = acme.wait(late.id(), "error").await;
    assert_eq!(failed.reason(), "managedByAnother", "{failed:#?}");
    let marks = marks(&one, &found);
    assert!(is_ours(&marks, &first, &beta), "{marks:?}");

    // Deleting what was never taken over leaves it to whoever has it.
    acme.delete(late.id()).await;
    acme.wait(late.id(), "released").await;
    assert_eq!(one.double.objects().clusters.len(), 1);
    beta.deleted(first.id()).await;
    assert!(one.double.objects().clusters.is_empty());
}

/// rule: CR-212
#[tokio::test]
async fn deleting_an_unfinished_takeover_lets_go_without_a_word_to_the_provider() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found", &[]);
    let hold = world
        .double
        .fault(Fault::on("GET", "/v2/databases/*").skip(1).hold_before());
    let recorded = acme.adopt("orders", &found).await;
    world.double.wait_held(hold).await;
    assert_eq!(acme.delete(recorded.id()).await.state(), "deleting");
    world.double.release(hold);
    let let_go = acme.wait(recorded.id(), "released").await;
    assert!(let_go["releasedAt"].is_number() && let_go["deletedAt"].is_null());
    assert_eq!(world.writes(), [""; 0]);
    assert_eq!(world.double.objects().clusters.len(), 1);
    assert_eq!(
        acme.happened(recorded.id()).await,
        ["adopted", "deleting", "released"]
    );
}

/// What lives in an adopted cluster is created like in any other.
#[tokio::test]
async fn an_adopted_cluster_takes_children() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found", &[]);
    let ready = acme.adopted("orders", &found).await;
    let user = acme
        .ready(&berth_e2e::New::user(ready.id(), "reports"))
        .await;
    assert_eq!(
        acme.api
            .refused("cloudResources/release", &acme.about(ready.id()))
            .await
            .reason(),
        "children"
    );
    acme.deleted(ready.id()).await;
    assert_eq!(acme.get(user.id()).await.state(), "deleted");
}

/// A lost answer to a label tells nothing: it is looked before it is written again.
///
/// rule: CR-238
#[tokio::test]
async fn lost_answers_to_labels_are_found_out() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let tag = || Fault::on("POST", "/v2/tags/*/resources");
    for (index, fault) in [
        tag().drop_before(),
        tag().drop_after(),
        tag().skip(1).drop_after(),
        tag().act_and_answer(502, double_digitalocean::FaultBody::Empty),
        tag().answer(429, double_digitalocean::FaultBody::Error),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("found-{index}");
        let found = plant(&world, &name, &[]);
        world.double.fault(fault);
        let recorded = acme.adopt(&name, &found).await;
        let ready = acme.wait_through(recorded.id(), "ready").await;
        let marks = marks(&world, &found);
        assert!(is_ours(&marks, &ready, &acme), "{index}: {marks:?}");
        assert_eq!(
            acme.happened(ready.id()).await,
            ["adopted", "ready"],
            "{index}"
        );
    }
}
