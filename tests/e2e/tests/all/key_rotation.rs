//! Rotating the master key, beside hosts that run and after being killed anywhere.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use berth_e2e::{New, Tenant, World, eventually};
use serde_json::json;
use sqlx::{Connection as _, SqliteConnection};

fn key_file(world: &World) -> PathBuf {
    world.data().join("master.key")
}

fn key(world: &World) -> String {
    std::fs::read_to_string(key_file(world)).unwrap()
}

/// Puts another key into the file, for its owner alone as before.
fn put_key(world: &World, text: &str) {
    std::fs::write(key_file(world), text).unwrap();
}

fn rotate(world: &World) -> String {
    let (well, said) = world.berth(&["vault", "rotate"], &[]);
    assert!(well, "{said}");
    said
}

/// The file to which a rotation moved the old key.
fn laid_aside(world: &World) -> Vec<PathBuf> {
    let files = std::fs::read_dir(world.data()).unwrap();
    let mut keys: Vec<PathBuf> = files
        .map(|file| file.unwrap().path())
        .filter(|file| {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            name.strip_prefix("master.key.")
                .is_some_and(|id| id.len() == 16)
        })
        .collect();
    keys.sort();
    keys
}

/// Every secret is sealed with the key in force.
fn is_rotated(world: &World) {
    let (well, said) = world.berth(&["vault", "status"], &[]);
    assert!(well, "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(lines[0].contains("in force, seals "), "{said}");
}

const VALUE: &str = "hunter2hunter2hunter2";

/// Writes and reads secrets, and has a provider's sealed, as long as it lasts.
async fn load(of: &Tenant, tag: &str, over: &AtomicBool) -> usize {
    let mut rounds = 0;
    while !over.load(Ordering::Relaxed) {
        let name = format!("{tag}-{rounds}");
        let reference = of.secret(&name, VALUE).await;
        assert_eq!(of.reveal(&reference).await, VALUE);
        of.secret("shared", VALUE).await;
        let user = format!("{tag}{rounds}");
        let orders = of.list_by(json!({"kind": "do.database.pg"})).await;
        let orders = orders["items"][0]["id"].as_str().unwrap().to_owned();
        of.create(&New::user(&orders, &user)).await;
        rounds += 1;
    }
    rounds
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_that_run_neither_fail_to_open_nor_to_seal_while_the_key_is_rotated() {
    let mut world = World::with(|settings| {
        settings.set("service.maxPerKind", "1000");
    })
    .await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let password = acme.reveal(orders.secret("password")).await;
    world.start_second_host().await;
    let before = key(&world);
    let over = AtomicBool::new(false);
    let rotations = async {
        // Twice, so that both hosts go through one that they have gone through before.
        for _ in 0..2 {
            tokio::task::block_in_place(|| rotate(&world));
            berth_e2e::pause().await;
        }
        over.store(true, Ordering::Relaxed);
    };
    let ((), one, two) = tokio::join!(
        rotations,
        load(&acme, "one", &over),
        load(&acme, "two", &over)
    );
    assert!(one > 0 && two > 0);
    assert_ne!(key(&world), before);
    assert_eq!(key(&world).lines().count(), 1);
    // The other host took part in the work, and serves as well.
    world.use_second_host();
    eventually("every user has its password", || async {
        let users = acme.list_by(json!({"kind": "do.database.user"})).await;
        let users = users["items"].as_array().unwrap();
        users
            .iter()
            .all(|user| user["state"] == "ready")
            .then_some(())
    })
    .await;
    let users = acme.list_by(json!({"kind": "do.database.user"})).await;
    for user in users["items"].as_array().unwrap() {
        let reference = user["secretOutputs"]["password"].as_str().unwrap();
        assert!(!acme.reveal(reference).await.is_empty());
    }
    assert_eq!(acme.reveal(orders.secret("password")).await, password);
    acme.secret("shared", VALUE).await;
    is_rotated(&world);
    // Accounts' credentials were sealed again too, and a host that starts has only the new key.
    world.kill_host();
    world.start_host().await;
    assert_eq!(acme.reveal(orders.secret("password")).await, password);
    acme.ready(&New::user(orders.id(), "last")).await;
    assert_eq!(laid_aside(&world).len(), 2);
    for file in laid_aside(&world).iter().chain([&key_file(&world)]) {
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}

#[tokio::test]
async fn a_rotation_that_was_killed_anywhere_goes_on_where_it_was() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let reference = acme.secret("key", VALUE).await;
    for point in [
        "before-key",
        "after-key",
        "after-retire",
        "before-reseal",
        "after-reseal",
        "before-drop",
    ] {
        let before = key(&world);
        let points = format!("vault::{point}=panic");
        let (well, said) = world.berth(&["vault", "rotate"], &[("FAILPOINTS", points.as_str())]);
        assert!(!well && said.contains("panicked"), "{point}: {said}");
        // Between the two runs everything works, also for a host that starts now.
        assert_eq!(acme.reveal(&reference).await, VALUE, "{point}");
        acme.secret("other", VALUE).await;
        world.kill_host();
        world.start_host().await;
        assert_eq!(acme.reveal(&reference).await, VALUE, "{point}");
        acme.secret("other", VALUE).await;
        let said = rotate(&world);
        let goes_on = said.contains("going on with the rotation");
        assert_eq!(goes_on, point != "before-key", "{point}: {said}");
        assert_ne!(key(&world), before, "{point}");
        is_rotated(&world);
        assert_eq!(acme.reveal(&reference).await, VALUE, "{point}");
        acme.secret("other", VALUE).await;
    }
}

#[tokio::test]
async fn a_wrong_key_rotates_nothing_and_the_old_key_is_of_no_use_afterwards() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let reference = acme.secret("key", VALUE).await;
    let right = key(&world);
    let wrong = format!("{}\n", "ab".repeat(32));
    put_key(&world, &wrong);
    let (well, said) = world.berth(&["vault", "rotate"], &[]);
    assert!(
        !well && said.contains("does not open the secrets"),
        "{said}"
    );
    assert_eq!(key(&world), wrong, "the file was changed");
    put_key(&world, &right);
    rotate(&world);
    assert!(world.stop_host().await);

    let new = key(&world);
    put_key(&world, &right);
    let (well, said) = world.berth(&["serve"], &[]);
    assert!(
        !well && said.contains("does not open the secrets"),
        "{said}"
    );
    // Nor may it seal where it still opens: what it sealed would be the old key's for good.
    let new_file = world.data().join("new.key");
    std::fs::copy(key_file(&world), &new_file).unwrap();
    std::fs::write(&new_file, &new).unwrap();
    let both = format!("[{:?}]", new_file.display().to_string());
    let (well, said) = world.berth(
        &["serve"],
        &[("BERTH_VAULT__PREVIOUS_KEY_FILES", both.as_str())],
    );
    assert!(
        !well && said.contains("was retired by a rotation"),
        "{said}"
    );
    put_key(&world, &new);
    world.start_host().await;
    assert_eq!(acme.reveal(&reference).await, VALUE);
}

#[tokio::test]
async fn a_secret_that_does_not_open_is_named_and_keeps_the_old_key() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    acme.secret("key", VALUE).await;
    acme.secret("broken", VALUE).await;
    world.kill_host();
    let file = world.data().join("berth.db");
    let mut raw = SqliteConnection::connect(&format!("sqlite:{}", file.display()))
        .await
        .unwrap();
    sqlx::raw_sql(
        "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'key') WHERE name = 'broken'",
    )
    .execute(&mut raw)
    .await
    .unwrap();
    drop(raw);
    let (well, said) = world.berth(&["vault", "rotate"], &[]);
    assert!(!well && said.contains("secret://acme/broken"), "{said}");
    assert_eq!(key(&world).lines().count(), 2, "the old key stays");
    world.start_host().await;
    acme.secret("broken", VALUE).await;
    rotate(&world);
    is_rotated(&world);
}

#[tokio::test]
async fn a_host_that_is_hung_up_on_reads_its_keys_again_and_runs_on() {
    let world = World::start().await;
    world.hang_up();
    eventually("the host says so", || async {
        world
            .host_log()
            .contains("read the master keys again")
            .then_some(())
    })
    .await;
    world.root.ok("tenants/list", &json!({})).await;
}

/// Where the key is no file the operator changes it, in steps in which every host knows what others seal with.
#[tokio::test]
async fn a_key_of_the_configuration_is_changed_in_steps() {
    let (old, new) = ("aa".repeat(32), "bb".repeat(32));
    let first = old.clone();
    let mut world = World::with(|settings| {
        settings.set("vault.masterKey", &first);
    })
    .await;
    let acme = world.tenant("acme").await;
    let reference = acme.secret("key", VALUE).await;
    let (well, said) = world.berth(&["vault", "rotate"], &[]);
    assert!(!well && said.contains("`vault.masterKey`"), "{said}");
    let old_file = world.data().join("old.key");
    std::fs::write(&old_file, &old).unwrap();
    std::fs::set_permissions(&old_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    world.set_env("BERTH_VAULT__MASTER_KEY", &new);
    let files = format!("[{:?}]", old_file.display().to_string());
    world.set_env("BERTH_VAULT__PREVIOUS_KEY_FILES", &files);
    world.kill_host();
    world.start_host().await;
    assert_eq!(acme.reveal(&reference).await, VALUE);
    let (well, said) = world.berth(&["vault", "reseal"], &[]);
    assert!(well, "{said}");
    world.set_env("BERTH_VAULT__PREVIOUS_KEY_FILES", "[]");
    world.kill_host();
    world.start_host().await;
    assert_eq!(acme.reveal(&reference).await, VALUE);
    is_rotated(&world);
}
