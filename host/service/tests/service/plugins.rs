//! Plugins: installed, compared, swapped.

use berth_service::plugins::{activate, install, list, show};
use berth_service::{Code, ServiceError, plugins};
use serde_json::{Value, json};

use crate::harness::{Choices, World, component, input, told};

async fn activate_digest(
    world: &World,
    digest: &str,
    overrides: &[&str],
) -> Result<plugins::GenerationView, ServiceError> {
    let body = json!({"digest": digest, "override": overrides});
    activate::handle(&world.service, &world.root, input(body)).await
}

/// Activates a generation with every change that its installation told of.
async fn activate_accepted(world: &World, installed: &install::Installed) {
    let abouts: Vec<&str> = installed
        .changes
        .iter()
        .map(|change| change.about.as_str())
        .collect();
    activate_digest(world, &installed.generation.digest, &abouts)
        .await
        .expect("activated");
}

#[tokio::test]
async fn the_first_generation_is_active_and_installing_again_answers_the_same() {
    let world = World::bare(Choices::default()).await;
    let first = world.install("do.wasm").await;
    assert!(first.generation.active && first.generation.loaded);
    assert_eq!(world.install("do.wasm").await, first);
    let all = list::handle(&world.service, &world.root, input(json!({})))
        .await
        .unwrap();
    assert_eq!(all.items.len(), 1);
    let shown = show::handle(
        &world.service,
        &world.root,
        input(json!({"digest": first.generation.digest})),
    )
    .await
    .unwrap();
    assert_eq!(shown.manifest.provider, "do");
}

#[tokio::test]
async fn a_second_generation_waits_until_it_is_activated_and_back_is_the_same_way() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let first = world.service.registry().active("do").unwrap();
    let next = world.install("do-next.wasm").await;
    assert!(!next.generation.active, "the active one stays");
    assert_eq!(
        world.service.registry().active("do").unwrap().digest(),
        first.digest()
    );
    activate_accepted(&world, &next).await;
    assert_eq!(
        world
            .service
            .registry()
            .active("do")
            .unwrap()
            .digest()
            .as_str(),
        next.generation.digest
    );
    let made = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    assert_eq!(
        world.row(&made.id).await.spec_generation,
        next.generation.digest
    );
    // The way back loses an output while a cluster lives, which an operator must accept.
    let refused = activate_digest(&world, first.digest().as_str(), &[]).await;
    let (code, reason, _) = told(refused);
    assert_eq!((code, reason.as_str()), (Code::InvalidState, "changes"));
    let back = activate_digest(
        &world,
        first.digest().as_str(),
        &["do.database.pg", "do.app", "do.database.user"],
    )
    .await;
    assert!(back.unwrap().active);
}

#[tokio::test]
async fn what_is_no_component_is_refused_with_what_would_be_one() {
    let world = World::bare(Choices::default()).await;
    let core_module = b"\0asm\x01\0\0\0".to_vec();
    let mut corrupt = component("do.wasm");
    corrupt.truncate(corrupt.len() / 2);
    for (name, bytes) in [
        ("empty", Vec::new()),
        ("text", b"hello".to_vec()),
        ("module", core_module),
        ("half", corrupt),
    ] {
        let input = install::Input {
            component: install::Component(bytes),
        };
        let refusal = install::handle(&world.service, &world.root, input)
            .await
            .unwrap_err();
        assert_eq!(refusal.code, Code::InvalidInput, "{name}");
        assert_eq!(
            refusal.details.get("field"),
            Some(&json!("component")),
            "{name}"
        );
    }
    let all = list::handle(&world.service, &world.root, input(json!({})))
        .await
        .unwrap();
    assert!(all.items.is_empty());
    assert!(serde_json::from_value::<install::Input>(json!({"component": "not base64!"})).is_err());
}

#[tokio::test]
async fn an_unknown_digest_is_not_found_and_a_wrong_one_no_digest() {
    let world = World::bare(Choices::default()).await;
    let unknown = "0".repeat(64);
    assert_eq!(
        told(activate_digest(&world, &unknown, &[]).await).0,
        Code::NotFound
    );
    let shown = show::handle(
        &world.service,
        &world.root,
        input(json!({"digest": unknown})),
    )
    .await;
    assert_eq!(told(shown).0, Code::NotFound);
    assert!(serde_json::from_value::<activate::Input>(json!({"digest": "abc"})).is_err());
}

/// What the configuration names is installed once; what operators did since is left alone.
#[tokio::test]
async fn a_configured_plugin_never_undoes_what_operators_activated() {
    let world = World::bare(Choices::default()).await;
    world
        .service
        .install_at_start(component("do.wasm"))
        .await
        .unwrap();
    let first = world.service.registry().active("do").unwrap();
    let next = world.install("do-next.wasm").await;
    activate_accepted(&world, &next).await;
    world
        .service
        .install_at_start(component("do.wasm"))
        .await
        .unwrap();
    let now = world.service.registry().active("do").unwrap();
    assert!(now.digest() != first.digest());
}

/// A restart loads what is active; a generation whose component is broken makes its kinds
/// unavailable and no others.
#[tokio::test]
async fn a_start_loads_what_is_active() {
    let world = World::new().await;
    world.install("guest-hostile.wasm").await;
    let digest: Value = json!(world.service.registry().active("do").unwrap().digest());
    world.service.registry().deactivate("do");
    world.service.registry().deactivate("hostile");
    world.service.load_plugins().await.unwrap();
    assert_eq!(
        json!(world.service.registry().active("do").unwrap().digest()),
        digest
    );
    assert!(world.service.registry().active("hostile").is_some());
}

/// rule: CR-164, CR-187
#[tokio::test]
async fn a_kind_that_no_active_plugin_knows_is_read_and_not_changed() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    let made = world
        .record_again(&made.id, |row| row.kind = "do.gone".parse().unwrap())
        .await;
    let kind: String = world
        .get(&tenant.admin, &tenant.id, &made.id)
        .await
        .unwrap()
        .kind
        .to_string();
    assert_eq!(kind, "do.gone");
    let gone = json!({"kind": "do.gone"});
    assert_eq!(
        world.names(&tenant.admin, &tenant.id, gone).await.unwrap(),
        ["main"]
    );
    for change in [
        json!({"description": "x"}),
        json!({"spec": {"disable_edge_cache": true}}),
    ] {
        assert_eq!(
            told(
                world
                    .update(&tenant.admin, &tenant.id, &made.id, change)
                    .await
            )
            .0,
            Code::Unsupported
        );
    }
    assert!(
        world
            .delete(&tenant.admin, &tenant.id, &made.id)
            .await
            .is_ok()
    );
}

/// While the plugin can't be loaded on this host it is the host that is not available.
#[tokio::test]
async fn a_plugin_that_is_not_loaded_makes_the_change_unavailable() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    world.service.registry().deactivate("do");
    let change = json!({"description": "x"});
    assert_eq!(
        told(
            world
                .update(&tenant.admin, &tenant.id, &made.id, change)
                .await
        )
        .0,
        Code::Unavailable
    );
    let create = world
        .create(&tenant.admin, &world.app(&tenant.id, "other"))
        .await;
    assert_eq!(told(create).0, Code::Unavailable);
    world.service.load_plugins().await.unwrap();
    assert!(
        world
            .update(
                &tenant.admin,
                &tenant.id,
                &made.id,
                json!({"description": "x"})
            )
            .await
            .is_ok()
    );
}
