//! Installing, activating and refusing generations of plugins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use berth_e2e::{Component, New, World, names};
use double_digitalocean::Fault;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;

async fn refused(world: &World, component: &[u8]) -> berth_e2e::Refusal {
    let body = json!({"component": base64(component)});
    world.root.refused("plugins/install", &body).await
}

fn base64(bytes: &[u8]) -> String {
    berth_e2e::base64(bytes)
}

fn outputs(answer: &Value, kind: &str) -> Vec<String> {
    let kinds = answer["items"].as_array().unwrap();
    let kind = kinds.iter().find(|item| item["kind"] == kind).unwrap();
    kind["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|output| output["name"].as_str().unwrap().to_owned())
        .collect()
}

/// rule: CR-053
#[tokio::test]
async fn a_new_version_takes_over_under_load_and_no_call_fails() {
    let world = World::with(|settings| {
        settings.set("service.maxPerKind", "1000");
    })
    .await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let next = world.install_only(&Component::DoNext.bytes()).await;
    let done = AtomicBool::new(false);
    let (calls, made) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // Fifty calls a second, reads and writes, while the next version is activated in the middle.
    let load = async {
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Callers wait for their answers: on a slow machine there are fewer calls, not more at once.
        let callers = Arc::new(Semaphore::new(12));
        let mut running = Vec::new();
        while !done.load(Ordering::Relaxed) {
            tick.tick().await;
            let caller = Arc::clone(&callers).acquire_owned().await.unwrap();
            let number = calls.fetch_add(1, Ordering::Relaxed);
            let acme = acme.clone();
            let id = orders.id().to_owned();
            running.push(tokio::spawn(async move {
                let _caller = caller;
                match number % 5 {
                    0 => drop(acme.get(&id).await),
                    1 => drop(acme.list().await),
                    2 => {
                        let kinds = acme.input(json!({"poolId": acme.pool}));
                        drop(acme.api.ok("cloudResources/kinds", &kinds).await);
                    }
                    3 => drop(
                        acme.create(&New::user(&id, &format!("user-{number}")))
                            .await,
                    ),
                    // The check of a spec runs in the plugin.
                    _ => {
                        let wrong = New::user(&id, "x").spec("name", "doadmin");
                        acme.refused(&wrong).await.is_invalid_at("spec.name");
                    }
                }
            }));
        }
        for call in running {
            call.await.expect("no call fails");
            made.fetch_add(1, Ordering::Relaxed);
        }
    };
    let swap = async {
        tokio::time::sleep(Duration::from_millis(600)).await;
        world.activate(&next).await;
        let kinds = acme
            .api
            .ok(
                "cloudResources/kinds",
                &acme.input(json!({"poolId": acme.pool})),
            )
            .await;
        let seen = outputs(&kinds, "do.database.pg");
        assert!(
            seen.contains(&"version_end_of_life".to_owned()),
            "the new call sees the old version: {seen:?}"
        );
        tokio::time::sleep(Duration::from_millis(600)).await;
        done.store(true, Ordering::Relaxed);
    };
    tokio::join!(load, swap);
    assert!(made.load(Ordering::Relaxed) >= 20, "there was no load");
    let seen = acme
        .wait_for(orders.id(), "to show the new output", |seen| {
            seen["outputs"]["version_end_of_life"] != Value::Null
        })
        .await;
    assert!(["ready", "updating"].contains(&seen.state()));
    acme.wait(orders.id(), "ready").await;
}

/// A run that is under way ends on the version that it began on; the next look is the new one's.
///
/// rule: CR-053
#[tokio::test]
async fn a_run_that_is_under_way_finishes_on_its_version() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/databases").hold_after());
    let orders = acme.create(&New::pg("orders")).await;
    world.double.wait_held(hold).await;
    let next = world.install_only(&Component::DoNext.bytes()).await;
    world.activate(&next).await;
    assert_eq!(
        acme.get(orders.id()).await.state(),
        "pending",
        "the activation waited for the run"
    );
    world.double.release(hold);
    let seen = acme
        .wait_for(orders.id(), "to show the new output", |seen| {
            seen["outputs"]["version_end_of_life"] != Value::Null
        })
        .await;
    assert_ne!(seen.state(), "error");
    assert_eq!(world.double.objects().totals.clusters_made, 1);
    acme.deleted(orders.id()).await;
}

/// Going back is activating the earlier version.
///
/// rule: CR-053
#[tokio::test]
async fn the_earlier_version_can_be_activated_again() {
    let world = World::with(|settings| settings.plugin = false).await;
    let first = world.install_only(&Component::Do.bytes()).await;
    let second = world.install_only(&Component::DoNext.bytes()).await;
    assert_ne!(first, second);
    let active = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().unwrap().iter();
        items
            .filter(|item| item["active"] == true)
            .map(|item| item["digest"].as_str().unwrap().to_owned())
            .collect()
    };
    let listed = world
        .root
        .ok("plugins/list", &json!({"plugin": "do"}))
        .await;
    assert_eq!(
        active(&listed),
        std::slice::from_ref(&first),
        "the first of its plugin is active at once, the second is not"
    );
    for digest in [&second, &first] {
        // Going back to a version that reports less is for an operator to accept.
        let body = json!({"digest": digest, "override": ["do", "do.database.pg"]});
        world.root.ok("plugins/activate", &body).await;
        let listed = world.root.ok("plugins/list", &json!({})).await;
        assert_eq!(active(&listed), std::slice::from_ref(digest));
    }
    // Installing it once more changes nothing.
    assert_eq!(world.install_only(&Component::Do.bytes()).await, first);
    assert_eq!(
        world.root.ok("plugins/list", &json!({})).await["items"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let shown = world
        .root
        .ok("plugins/show", &json!({"digest": second}))
        .await;
    assert_eq!(shown["manifest"]["provider"], "do");
    world
        .root
        .refused("plugins/activate", &json!({"digest": "0".repeat(64)}))
        .await
        .is("NOT_FOUND", "");
}

/// rule: CR-164
#[tokio::test]
async fn a_version_that_drops_a_kind_with_live_resources_is_refused() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let without = world
        .install_only(&Component::Do.with("do.app", "do.apq"))
        .await;
    let shop = acme.ready(&New::app("shop")).await;
    let refusal = world
        .root
        .refused("plugins/activate", &json!({"digest": without}))
        .await;
    refusal.is("INVALID_STATE", "");
    assert!(
        refusal.message.contains("do.app"),
        "it names the kind: {}",
        refusal.message
    );
    assert!(
        refusal.message.contains("1 live"),
        "and how many live: {}",
        refusal.message
    );
    // Nothing changed.
    assert_eq!(acme.get(shop.id()).await.state(), "ready");
    acme.update(shop.id(), json!({"disable_edge_cache": true}))
        .await;
    acme.wait(shop.id(), "ready").await;
    // Without one that lives it may go.
    acme.deleted(shop.id()).await;
    let body = json!({"digest": without, "override": ["do", "do.app", "do.apq"]});
    world.root.ok("plugins/activate", &body).await;
    acme.refused(&New::app("other")).await.is("UNSUPPORTED", "");
    acme.create(&New::pg("orders")).await;
    assert_eq!(names(&acme.list().await), ["orders"]);
}

/// rule: CR-062
#[tokio::test]
async fn what_is_no_component_of_the_world_is_refused_with_what_is_missing() {
    let world = World::start().await;
    let good = Component::Do.bytes();
    let core_module = b"\0asm\x01\0\0\0".to_vec();
    let empty_component = b"\0asm\x0d\0\x01\0".to_vec();
    let mut corrupt = good.clone();
    let middle = corrupt.len() / 2;
    for byte in &mut corrupt[middle..middle + 64] {
        *byte ^= 0xff;
    }
    let mut told = Vec::new();
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("a text", b"(component)".to_vec()),
        ("garbage", vec![7; 1000]),
        ("a core module", core_module),
        ("a component of another world", empty_component),
        ("half a component", good[..good.len() / 2].to_vec()),
        ("a corrupt component", corrupt),
    ] {
        let refusal = refused(&world, &bytes).await;
        refusal.is_invalid_at("component");
        assert!(refusal.message.len() > 30, "{what}: {}", refusal.message);
        told.push((what, refusal.message));
    }
    let message = |wanted: &str| &told.iter().find(|(what, _)| *what == wanted).unwrap().1;
    assert!(
        message("a core module").contains("module"),
        "{}",
        message("a core module")
    );
    assert!(
        message("a component of another world").contains("berth:provider"),
        "{}",
        message("a component of another world")
    );
    world
        .root
        .refused("plugins/install", &json!({"component": "?"}))
        .await
        .is_invalid_at("component");
    // Nothing of it is kept, and the plugin serves as before.
    assert_eq!(
        world.root.ok("plugins/list", &json!({})).await["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    world.tenant("acme").await.ready(&New::pg("orders")).await;
}

/// A manifest that breaks a rule is refused with the rule.
///
/// rule: CR-062
#[tokio::test]
async fn a_manifest_that_breaks_a_rule_is_refused() {
    let world = World::start().await;
    // A kind of another provider's prefix.
    let refusal = refused(&world, &Component::Do.with("do.app", "da.app")).await;
    refusal.is("INVALID_INPUT", "manifest");
    assert!(refusal.message.contains("da.app"), "{}", refusal.message);
    // An origin that is none.
    let refusal = refused(
        &world,
        &Component::Do.with(
            "https://api.digitalocean.com",
            "httpx://api.digitalocean.com",
        ),
    )
    .await;
    refusal.is("INVALID_INPUT", "manifest");
}

/// The command line does the same to a running host.
///
/// rule: CR-051
#[tokio::test]
async fn the_command_line_installs_and_activates() {
    let world = World::with(|settings| settings.plugin = false).await;
    let origin = world.root.origin();
    let env = [
        ("BERTH_URL", origin.as_str()),
        ("BERTH_TOKEN", berth_e2e::ROOT_TOKEN),
    ];
    let path = Component::Do.path();
    let (well, said) = world.berth(&["plugin", "install", &path.display().to_string()], &env);
    assert!(well, "{said}");
    let (well, said) = world.berth(&["plugin", "list"], &env);
    assert!(well && said.contains("do"), "{said}");
    let next = Component::DoNext.path();
    let (well, said) = world.berth(&["plugin", "install", &next.display().to_string()], &env);
    assert!(well, "{said}");
    let listed = world.root.ok("plugins/list", &json!({})).await;
    let digest = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["active"] == false)
        .unwrap()["digest"]
        .clone();
    let digest = digest.as_str().unwrap();
    let (well, said) = world.berth(&["plugin", "activate", digest], &env);
    assert!(well, "{said}");
    let shown = world
        .root
        .ok("plugins/show", &json!({"digest": digest}))
        .await;
    assert_eq!(shown["active"], true);
    // What is wrong is said, and the command fails.
    let (well, said) = world.berth(&["plugin", "install", "/nowhere.wasm"], &env);
    assert!(!well && said.contains("/nowhere.wasm"), "{said}");
    let (well, said) = world.berth(
        &["plugin", "list"],
        &[("BERTH_URL", origin.as_str()), ("BERTH_TOKEN", "nonsense")],
    );
    assert!(!well && said.to_lowercase().contains("token"), "{said}");
}

/// After a restart the active version is the one that serves.
///
/// rule: CR-051
#[tokio::test]
async fn a_restart_serves_the_active_version() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let next = world.install_only(&Component::DoNext.bytes()).await;
    world.activate(&next).await;
    world.kill_host();
    world.start_host().await;
    let kinds = acme
        .api
        .ok(
            "cloudResources/kinds",
            &acme.input(json!({"poolId": acme.pool})),
        )
        .await;
    assert!(outputs(&kinds, "do.database.pg").contains(&"version_end_of_life".to_owned()));
    acme.deleted(orders.id()).await;
}
