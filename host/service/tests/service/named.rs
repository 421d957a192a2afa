//! Instances and networks that a spec names.

use berth_service::{Code, instances, networks};
use serde_json::{Value, json};

use crate::harness::{Tenant, World, input, lay_over, told};
use crate::hostile::Hostile;

async fn instance(world: &World, tenant: &Tenant, more: Value) -> String {
    let mut body = json!({"tenantId": tenant.id, "accountId": world.account, "providerId": "42", "region": "nyc3"});
    lay_over(&mut body, more);
    instances::put::handle(&world.service, &world.root, input(body))
        .await
        .unwrap()
        .id
}

async fn network(world: &World, tenant: &Tenant, more: Value) -> String {
    let mut body =
        json!({"tenantId": tenant.id, "accountId": world.account, "vpcs": {"nyc3": "v-1"}});
    lay_over(&mut body, more);
    networks::put::handle(&world.service, &world.root, input(body))
        .await
        .unwrap()
        .id
}

async fn end_instance(world: &World, tenant: &Tenant, id: &str) {
    let body = json!({"tenantId": tenant.id, "instanceId": id});
    instances::delete::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
}

async fn end_network(world: &World, tenant: &Tenant, id: &str) {
    let body = json!({"tenantId": tenant.id, "networkId": id});
    networks::delete::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
}

fn pg(world: &World, tenant: &Tenant, name: &str, spec: Value) -> Value {
    let mut body = world.pg(&tenant.id, name);
    lay_over(&mut body["spec"], spec);
    body
}

/// rule: CR-113
#[tokio::test]
async fn an_instance_must_live_be_the_tenants_and_on_the_pools_account() {
    let world = World::new().await;
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let good = instance(&world, &acme, json!({})).await;
    let body = pg(&world, &acme, "main", json!({"instances": [good]}));
    let made = world.create(&acme.admin, &body).await.unwrap();
    assert_eq!(
        world.row(&made.id).await.named.instances,
        [good.clone()].into()
    );

    let gone = instance(&world, &acme, json!({"providerId": "43"})).await;
    end_instance(&world, &acme, &gone).await;
    let foreign = instance(&world, &other, json!({"providerId": "44"})).await;
    let account = world.account_of("acme", json!({})).await;
    let elsewhere = instance(&world, &acme, json!({"accountId": account})).await;
    let network = network(&world, &acme, json!({})).await;
    let never = "ins_00000000000000000000000000".to_owned();
    let mut messages = std::collections::BTreeSet::new();
    for bad in [gone, foreign, elsewhere, network, never, "i-1".to_owned()] {
        let body = pg(&world, &acme, "other", json!({"instances": [good, bad]}));
        let refusal = world.create(&acme.admin, &body).await.unwrap_err();
        assert_eq!(refusal.code, Code::InvalidInput, "{bad}");
        let detail = |name: &str| refusal.details[name].clone();
        assert_eq!(
            (detail("reason"), detail("field"), detail("instances")),
            (json!("instance"), json!("spec.instances.1"), json!([bad]))
        );
        messages.insert(refusal.message);
    }
    assert_eq!(
        messages.len(),
        1,
        "they tell apart what was and what never was: {messages:?}"
    );
}

/// rule: CR-114
#[tokio::test]
async fn a_network_must_live_be_the_tenants_and_reach_the_region() {
    let world = World::new().await;
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let good = network(&world, &acme, json!({})).await;
    let body = pg(&world, &acme, "main", json!({"network": good}));
    let made = world.create(&acme.admin, &body).await.unwrap();
    assert_eq!(
        world.row(&made.id).await.named.networks,
        [good.clone()].into()
    );

    let gone = network(&world, &acme, json!({"vpcs": {"nyc3": "v-2"}})).await;
    end_network(&world, &acme, &gone).await;
    let foreign = network(&world, &other, json!({"vpcs": {"nyc3": "v-3"}})).await;
    let account = world.account_of("acme", json!({})).await;
    let elsewhere = network(&world, &acme, json!({"accountId": account})).await;
    let far = network(&world, &acme, json!({"vpcs": {"ams3": "v-4"}})).await;
    let instance = instance(&world, &acme, json!({})).await;
    let never = "net_00000000000000000000000000".to_owned();
    let mut messages = std::collections::BTreeSet::new();
    for bad in [
        gone,
        foreign,
        elsewhere,
        far,
        instance,
        never,
        "n-1".to_owned(),
    ] {
        let body = pg(&world, &acme, "other", json!({"network": bad}));
        let refusal = world.create(&acme.admin, &body).await.unwrap_err();
        assert_eq!(refusal.code, Code::InvalidInput, "{bad}");
        let detail = |name: &str| refusal.details[name].clone();
        assert_eq!(
            (detail("reason"), detail("field"), detail("networks")),
            (json!("network"), json!("spec.network"), json!([bad]))
        );
        messages.insert(refusal.message);
    }
    assert_eq!(
        messages.len(),
        1,
        "they tell apart what was and what never was: {messages:?}"
    );
}

/// What a schema does not mark, the plugin's check may still name.
///
/// rule: CR-113, CR-114
#[tokio::test]
async fn what_the_plugins_check_names_counts_as_well() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let create = |name: &str, answer: Value| {
        let body = json!({
            "tenantId": "acme", "poolId": hostile.pool, "kind": "hostile.db", "name": name,
            "spec": {"script": {"answer": answer}}, "idempotencyKey": name,
        });
        let (world, caller) = (&hostile.world, &acme.admin);
        async move { world.create(caller, &body).await }
    };
    let never = "ins_00000000000000000000000000";
    let refused = told(create("one", json!({"instances": [never]})).await);
    assert_eq!(
        refused,
        (Code::InvalidInput, "instance".into(), "spec".into())
    );
    let refused = told(
        create(
            "two",
            json!({"networks": ["net_00000000000000000000000000"]}),
        )
        .await,
    );
    assert_eq!(
        refused,
        (Code::InvalidInput, "network".into(), "spec".into())
    );
    let on = json!({"accountId": hostile.account});
    let good = instance(&hostile.world, &acme, on).await;
    assert!(create("three", json!({"instances": [good]})).await.is_ok());
}

/// rule: CR-189
#[tokio::test]
async fn an_update_checks_the_instances_that_it_newly_names_and_no_others() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cluster = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    let old = instance(&world, &acme, json!({})).await;
    let body = json!({
        "tenantId": acme.id, "poolId": world.pool, "kind": "do.database.firewall", "name": "wall",
        "parentId": cluster, "spec": {"instances": [old]}, "idempotencyKey": "wall",
    });
    let id = world.create(&acme.admin, &body).await.unwrap().id;
    world.as_if_ready(&id).await;
    end_instance(&world, &acme, &old).await;
    let update = |spec: Value| {
        let (world, acme, id) = (&world, &acme, &id);
        async move {
            world
                .update(&acme.admin, &acme.id, id, json!({"spec": spec}))
                .await
        }
    };
    let fresh = instance(&world, &acme, json!({"providerId": "50"})).await;
    let never = "ins_00000000000000000000000000";
    let refused = told(update(json!({"instances": [old, never]})).await);
    assert_eq!(
        refused,
        (
            Code::InvalidInput,
            "instance".into(),
            "spec.instances.1".into()
        )
    );
    assert!(
        update(json!({"instances": [old, fresh]})).await.is_ok(),
        "what was named before may have died"
    );
    assert_eq!(
        world.row(&id).await.named.instances,
        [old.clone(), fresh.clone()].into()
    );
    assert!(update(json!({"instances": [fresh]})).await.is_ok());
    // What was let go of is new when it is named again.
    let refused = told(update(json!({"instances": [fresh, old]})).await);
    assert_eq!(refused.1, "instance");
}

/// rule: CR-189
#[tokio::test]
async fn a_network_that_was_named_before_is_checked_again_where_the_region_changes() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let net = network(&world, &acme, json!({})).await;
    let body = pg(&world, &acme, "main", json!({"network": net}));
    let id = world.create(&acme.admin, &body).await.unwrap().id;
    world.as_if_ready(&id).await;
    let update = |spec: Value| {
        let (world, acme, id) = (&world, &acme, &id);
        async move {
            world
                .update(&acme.admin, &acme.id, id, json!({"spec": spec}))
                .await
        }
    };
    let refused = told(update(json!({"region": "ams3"})).await);
    assert_eq!(
        refused,
        (Code::InvalidInput, "network".into(), "spec.network".into())
    );
    let wider = json!({"networkId": net, "vpcs": {"nyc3": "v-1", "ams3": "v-2"}});
    network(&world, &acme, wider).await;
    assert!(update(json!({"region": "ams3"})).await.is_ok());
    end_network(&world, &acme, &net).await;
    assert!(
        update(json!({"num_nodes": 2})).await.is_ok(),
        "what was named before may have died"
    );
}
