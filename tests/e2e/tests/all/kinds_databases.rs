//! What lives in a cluster: pools, replicas and the firewall.

use berth_e2e::{New, Tenant, World};
use serde_json::{Value, json};

use crate::kinds_life::live;

fn child(kind: &str, parent: &str, name: &str, spec: Value) -> New {
    New::of(kind, name, spec).with("parentId", parent)
}

fn pool(parent: &str) -> New {
    child(
        "do.database.pool",
        parent,
        "web",
        json!({"name": "web", "mode": "transaction", "size": 5, "db": "defaultdb", "user": "doadmin"}),
    )
}

fn replica(parent: &str) -> New {
    child(
        "do.database.replica",
        parent,
        "read-1",
        json!({"name": "read-1", "region": "ams3", "size": "db-s-1vcpu-1gb"}),
    )
}

fn firewall(parent: &str) -> New {
    child(
        "do.database.firewall",
        parent,
        "sources",
        json!({"addresses": ["192.0.2.0/24"]}),
    )
}

/// Its trusted sources, as the provider has them.
fn sources(world: &World) -> Vec<String> {
    world.double.objects().clusters[0].rules.clone()
}

async fn cluster(tenant: &Tenant) -> (String, String) {
    let orders = tenant.ready(&New::pg("orders")).await;
    (orders.id().to_owned(), orders.provider_id().to_owned())
}

/// rule: CR-001, CR-006, CR-007, CR-173, CR-204
#[tokio::test]
async fn a_connection_pool_lives() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let (orders, provider_id) = cluster(&acme).await;
    let web = live(
        &acme,
        &pool(&orders),
        Some(json!({"size": 6, "mode": "session"})),
    )
    .await;
    assert_eq!(web["outputs"]["db"], "defaultdb");
    assert!(web.secrets().contains(&"uri".to_owned()), "{web:#?}");
    let at = format!("/v2/databases/{provider_id}/pools");
    assert_eq!(
        world.writes()[1..],
        [
            format!("POST {at}"),
            format!("PUT {at}/web"),
            format!("DELETE {at}/web")
        ]
    );
    assert_eq!(world.double.objects().clusters[0].pools, [""; 0]);
}

/// rule: CR-001, CR-006, CR-007, CR-009, CR-173, CR-204
#[tokio::test]
async fn a_replica_waits_for_its_primarys_first_backup_and_lives() {
    let world = World::with(|settings| {
        settings.double.times.first_backup = 700;
        settings.double.times.replica = 100;
    })
    .await;
    let acme = world.tenant("acme").await;
    let (orders, provider_id) = cluster(&acme).await;
    let read = live(
        &acme,
        &replica(&orders),
        Some(json!({"size": "db-s-2vcpu-4gb"})),
    )
    .await;
    assert!(read.secrets().contains(&"private_uri".to_owned()));
    let at = format!("/v2/databases/{provider_id}/replicas");
    let answers: Vec<Option<u16>> = world
        .writes_since(0)
        .iter()
        .filter(|entry| entry.method == "POST" && entry.path == at)
        .map(|entry| entry.status)
        .collect();
    let (made, refused) = answers.split_last().unwrap();
    assert_eq!(*made, Some(201));
    assert!(!refused.is_empty(), "the primary had its backup at once");
    assert!(refused.iter().all(|status| *status == Some(412)));
    assert!(
        world
            .writes()
            .contains(&format!("PUT /v2/databases/{}/resize", read.provider_id()))
    );
    assert!(world.double.objects().clusters[0].replicas.is_empty());
}

/// rule: CR-001, CR-006, CR-007, CR-173, CR-204, CR-215
#[tokio::test]
async fn a_firewall_lives_and_deleting_it_opens_the_cluster() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let (orders, _) = cluster(&acme).await;
    let wall = acme.ready(&firewall(&orders)).await;
    assert_eq!(sources(&world), ["ip_addr:192.0.2.0/24"]);
    acme.update(wall.id(), json!({"addresses": ["192.0.2.7"]}))
        .await;
    acme.wait(wall.id(), "ready").await;
    assert_eq!(sources(&world), ["ip_addr:192.0.2.7"]);
    acme.deleted(wall.id()).await;
    assert!(world.double.objects().clusters[0].is_open());
    assert_eq!(acme.get(&orders).await.state(), "ready");
    let kinds = acme
        .api
        .ok(
            "cloudResources/kinds",
            &acme.input(json!({"poolId": acme.pool})),
        )
        .await;
    let kind = kinds["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|kind| kind["kind"] == "do.database.firewall")
        .unwrap();
    let schema = kind["spec"]["description"].as_str().unwrap();
    assert!(schema.contains("open to everyone"), "{schema}");
}

/// rule: CR-215
#[tokio::test]
async fn a_firewall_stays_closed_until_its_cluster_is_gone() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let (orders, provider_id) = cluster(&acme).await;
    let wall = acme.ready(&firewall(&orders)).await;
    let before = world.next_request();
    acme.deleted(&orders).await;
    assert_eq!(acme.get(wall.id()).await.state(), "deleted");
    let writes: Vec<String> = world
        .writes_since(before)
        .iter()
        .map(|entry| format!("{} {}", entry.method, entry.path))
        .collect();
    assert_eq!(writes, [format!("DELETE /v2/databases/{provider_id}")]);
}

/// rule: CR-124
#[tokio::test]
async fn a_cluster_has_one_firewall() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let (orders, _) = cluster(&acme).await;
    let first = acme.ready(&firewall(&orders)).await;
    let refusal = acme
        .refused(&firewall(&orders).with("name", "others"))
        .await;
    assert_eq!(refusal.code, "CONFLICT", "{refusal:#?}");
    assert_eq!(refusal.details["reason"], "identity");
    assert_eq!(refusal.details["resourceId"], first.id());
}

/// What a create may not say, a change may not bring in.
async fn narrow_walls_do_not_grow_wide(acme: &Tenant, orders: &str) {
    let wall = acme.ready(&firewall(orders).with("name", "narrow")).await;
    let change = acme.change(wall.id(), json!({"tags": ["web"]}));
    let refusal = acme.api.refused("cloudResources/update", &change).await;
    assert_eq!(refusal.code, "INVALID_INPUT", "{refusal:#?}");
    refusal.is("INVALID_INPUT", "accountWide");
    let after = acme.get(wall.id()).await;
    assert_eq!(
        (&after["version"], &after["spec"]),
        (&wall["version"], &wall["spec"])
    );
}

/// rule: CR-111, CR-112, CR-188
#[tokio::test]
async fn tags_and_ids_of_machines_are_sources_on_an_account_of_ones_own_only() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let (orders, _) = cluster(&acme).await;
    let wide = |orders: &str| {
        child(
            "do.database.firewall",
            orders,
            "sources",
            json!({"addresses": ["192.0.2.7"], "tags": ["web"]}),
        )
    };
    let refusal = acme.refused(&wide(&orders)).await;
    assert_eq!(refusal.code, "INVALID_INPUT", "{refusal:#?}");
    assert_eq!(refusal.details["reason"], "accountWide");
    assert_eq!(refusal.details["fields"], json!(["spec.tags.0"]));
    narrow_walls_do_not_grow_wide(&acme, &orders).await;

    let account = world.account_of("acme").await;
    let own = acme.on(&world.pool_on("acme", &account).await);
    let mine = own.ready(&New::pg("mine")).await;
    let wall = own.ready(&wide(mine.id())).await;
    assert_eq!(wall["spec"]["tags"], json!(["web"]));
    let clusters = world.double.objects().clusters;
    let cluster = clusters
        .iter()
        .find(|cluster| cluster.id == mine.provider_id())
        .unwrap();
    assert_eq!(cluster.rules, ["ip_addr:192.0.2.7", "tag:web"]);
}
