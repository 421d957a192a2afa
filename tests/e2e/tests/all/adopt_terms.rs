//! What adopted resources bill, and on what terms they are adopted.

use std::collections::BTreeMap;

use berth_e2e::{Resource, Tenant, World, Yard};
use serde_json::{Value, json};

const HOURS: &str = "cloud.resource.hours";
const SPACE: &str = "yard.space";

/// A tenant with a yard of its own.
async fn an_owner(world: &World, yard: &Yard) -> Tenant {
    let tenant = world.bare_tenant("acme").await;
    let pool = world.yard_pool("acme", yard, "metered").await;
    tenant.on(&pool)
}

fn adoption(tenant: &Tenant, kind: &str, name: &str, provider_id: &str) -> Value {
    let mut body = tenant.adoption(name, provider_id);
    body["kind"] = kind.into();
    body
}

async fn adopted(tenant: &Tenant, name: &str, provider_id: &str) -> Resource {
    let body = adoption(tenant, "yard.shed", name, provider_id);
    let recorded = tenant.api.ok("cloudResources/adopt", &body).await;
    tenant.wait(recorded["id"].as_str().unwrap(), "ready").await
}

/// Unit-milliseconds by meter.
async fn billed(tenant: &Tenant, id: &str) -> BTreeMap<String, u64> {
    let body = tenant.input(json!({"resourceId": id}));
    let rows = tenant.api.ok("usage/list", &body).await;
    let mut sums = BTreeMap::new();
    for row in rows["items"].as_array().unwrap() {
        let meter = row["meter"].as_str().unwrap().to_owned();
        *sums.entry(meter).or_default() += row["unitMs"].as_u64().unwrap();
    }
    sums
}

/// rule: CR-025, CR-026
#[tokio::test]
async fn an_adopted_resource_bills_from_its_first_ready_until_it_is_released() {
    let world = World::with(|settings| {
        settings.set("service.kindMeters", "[\"yard.space\"]");
    })
    .await;
    let yard = Yard::start().await;
    let acme = an_owner(&world, &yard).await;
    let found = yard.plant("sheds", "old shed", 7);
    let shed = adopted(&acme, "shed", &found).await;
    assert_eq!(shed["spec"], json!({"size": 7}));
    acme.release(shed.id()).await;
    let released = acme.wait(shed.id(), "released").await;
    let at = |name: &str| released[name].as_u64().unwrap();
    let lived = at("releasedAt") - at("readyAt");
    assert_eq!(
        billed(&acme, shed.id()).await,
        BTreeMap::from([(HOURS.to_owned(), lived), (SPACE.to_owned(), 7 * lived)])
    );
    assert_eq!(yard.objects()[0]["labels"], json!({}));
}

/// rule: CR-233
#[tokio::test]
async fn a_kind_that_books_capacity_is_not_adopted() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = an_owner(&world, &yard).await;
    let found = yard.plant("cranes", "old crane", 2);
    let body = adoption(&acme, "yard.crane", "crane", &found);
    acme.api
        .refused("cloudResources/adopt", &body)
        .await
        .is("UNSUPPORTED", "quotaBooked");
    assert_eq!(acme.list().await["items"], json!([]));
    assert_eq!(yard.objects()[0]["labels"], json!({}));
}

/// rule: CR-242
#[tokio::test]
async fn a_spent_budget_stands_against_an_adoption_as_well() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = an_owner(&world, &yard).await;
    let found = yard.plant("sheds", "old shed", 7);
    let nothing = json!({"currency": "EUR", "micros": 0});
    let budget = acme.api.ok("budgets/put", &acme.input(nothing)).await;
    let body = adoption(&acme, "yard.shed", "shed", &found);
    acme.api
        .refused("cloudResources/adopt", &body)
        .await
        .is("QUOTA_EXCEEDED", "budget");
    assert_eq!(acme.list().await["items"], json!([]));
    let id = acme.input(json!({"budgetId": budget["id"]}));
    acme.api.ok("budgets/delete", &id).await;
    adopted(&acme, "shed", &found).await;
}
