//! Networks, function namespaces and inference endpoints.

use berth_e2e::{New, Tenant, World};
use serde_json::{Value, json};

use crate::kinds_life::live;

fn vpc() -> New {
    New::of(
        "do.vpc",
        "backend",
        json!({"region": "nyc3", "ip_range": "10.77.0.0/24", "description": "of the shop"}),
    )
}

fn endpoint(vpc: &str) -> New {
    New::of(
        "do.inference.dedicated",
        "chat",
        json!({
            "region": "atl1", "vpc_uuid": vpc, "model_slug": "mistral/mistral-7b-instruct-v3",
            "accelerator_slug": "gpu-mi300x1-192gb", "maxReplicas": 2
        }),
    )
}

/// rule: CR-001, CR-006, CR-007, CR-015, CR-173, CR-204
#[tokio::test]
async fn a_network_lives_and_its_description_is_the_tenants() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let backend = acme.ready(&vpc()).await;
    let shown = |id: &str| {
        let vpcs = world.double.objects().vpcs;
        vpcs.into_iter().find(|vpc| vpc.id == id)
    };
    let made = shown(backend.provider_id()).unwrap();
    assert_eq!(made.name, backend.provider_name());
    assert_eq!(made.description, "of the shop");
    acme.deleted(backend.id()).await;
    assert!(shown(backend.provider_id()).is_none());

    let again = live(&acme, &vpc(), Some(json!({"description": "of both shops"}))).await;
    let id = again.provider_id();
    assert!(world.writes().contains(&format!("PATCH /v2/vpcs/{id}")));
}

/// rule: CR-001, CR-006, CR-007, CR-015, CR-204
#[tokio::test]
async fn a_namespace_lives_and_its_key_is_sealed() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::of("do.functions.namespace", "jobs", json!({"region": "nyc3"}));
    let jobs = acme.ready(&new).await;
    let made = world.double.objects().namespaces;
    assert_eq!(made[0].label, jobs.provider_name());
    assert_eq!(acme.reveal(jobs.secret("key")).await, made[0].key);
    assert!(!jobs.0.to_string().contains(&made[0].key));
    acme.deleted(jobs.id()).await;
    assert!(world.double.objects().namespaces.is_empty());
    live(
        &acme,
        &new.with("name", "more").with("idempotencyKey", "more"),
        None,
    )
    .await;
}

async fn quick_inference() -> World {
    World::with(|settings| {
        let times = &mut settings.double.times;
        times.inference_new = 20;
        times.inference = 100;
        times.inference_update = 100;
        times.inference_delete = 100;
    })
    .await
}

/// A tenant on an account of its own that may book so many GPUs, and the VPC for them.
async fn with_gpus(world: &World, most: u64) -> (Tenant, String) {
    let acme = world.bare_tenant("acme").await;
    let account = world
        .account_with("acme", json!({"regions": ["atl1"]}))
        .await;
    let own = acme.on(&world.pool_on("acme", &account).await);
    let quota = own.input(json!({"poolId": own.pool, "capacity": "gpus", "amount": most}));
    world.root.ok("quotas/put", &quota).await;
    let network = own
        .ready(&New::of("do.vpc", "gpus", json!({"region": "atl1"})))
        .await;
    let id = network.provider_id().to_owned();
    (own, id)
}

/// rule: CR-001, CR-006, CR-007, CR-015, CR-173, CR-204
#[tokio::test]
async fn an_inference_endpoint_lives_and_keeps_the_token_that_is_handed_out_once() {
    let world = quick_inference().await;
    let (own, network) = with_gpus(&world, 2).await;
    let chat = own.ready(&endpoint(&network)).await;
    let token = own.reveal(chat.secret("token")).await;
    assert!(!token.is_empty());
    assert_eq!(world.double.objects().inferences[0].gpus, 1);
    own.update(chat.id(), json!({"replicas": 2})).await;
    let larger = own.wait(chat.id(), "ready").await;
    assert_eq!(world.double.objects().inferences[0].gpus, 2);
    assert_eq!(own.reveal(larger.secret("token")).await, token);
    assert_eq!(larger["message"], Value::Null);
    own.deleted(chat.id()).await;

    let id = chat.provider_id();
    assert_eq!(
        world.writes()[1..],
        [
            "POST /v2/dedicated-inferences".to_owned(),
            format!("PATCH /v2/dedicated-inferences/{id}"),
            format!("DELETE /v2/dedicated-inferences/{id}"),
        ]
    );
    assert!(world.double.objects().inferences.is_empty());
}

/// rule: CR-134, CR-135, CR-136, CR-190, CR-191, CR-202
#[tokio::test]
async fn an_endpoint_books_the_gpus_of_all_replicas_that_it_may_have() {
    let world = quick_inference().await;
    let (own, network) = with_gpus(&world, 4).await;
    let booked = || async {
        let about = own.input(json!({"poolId": own.pool, "capacity": "gpus"}));
        let quota = own.api.ok("quotas/get", &about).await;
        quota["booked"].as_u64().unwrap()
    };
    let chat = own.create(&endpoint(&network)).await;
    assert_eq!(booked().await, 2);
    let more = endpoint(&network)
        .with("name", "more")
        .with("idempotencyKey", "more")
        .spec("replicas", 3);
    let refusal = own.refused(&more).await;
    assert_eq!(
        (refusal.code.as_str(), refusal.reason()),
        ("QUOTA_EXCEEDED", "capacity")
    );
    assert_eq!(own.list().await["items"].as_array().unwrap().len(), 2);

    let ready = own.wait(chat.id(), "ready").await;
    let change = own.change(chat.id(), json!({"maxReplicas": 5}));
    let refusal = own.api.refused("cloudResources/update", &change).await;
    assert_eq!(refusal.code, "QUOTA_EXCEEDED", "{refusal:#?}");
    assert_eq!(own.get(chat.id()).await.version(), ready.version());
    own.update(chat.id(), json!({"replicas": 4})).await;
    assert_eq!(booked().await, 4);
    own.wait(chat.id(), "ready").await;

    own.update(chat.id(), json!({"replicas": 1, "maxReplicas": null}))
        .await;
    assert_eq!(booked().await, 4, "four may still run");
    own.wait(chat.id(), "ready").await;
    assert_eq!(booked().await, 1);
    own.deleted(chat.id()).await;
    assert_eq!(booked().await, 0);
}
