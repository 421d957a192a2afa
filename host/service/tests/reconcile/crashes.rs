use crate::cloud::{Cloud, Fate};
use crate::harness::World;
use crate::host::{Host, until, until_cloud, until_state};

#[tokio::test(flavor = "multi_thread")]
async fn a_create_whose_answer_was_lost_is_found_not_repeated() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    cloud.fate(Fate::AnswerLost);
    let host = Host::start(&world, &cloud);
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    let row = until_state(&world, &id, "ready").await;
    assert_eq!(row.provider_id.as_deref(), Some("object-1"));
    assert_eq!((cloud.count("create"), cloud.objects()), (1, 1));
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_dies_after_the_create_leaves_one_object_to_the_next() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    cloud.hold_creates();
    let host = Host::start(&world, &cloud);
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    cloud.made.acquire().await.unwrap().forget();
    host.kill().await;
    let row = world.row(&id).await;
    assert!(row.provider_id.is_none() && row.intent.is_some());

    cloud.creates.add_permits(100);
    let next = Host::start(&world, &cloud);
    let row = until_state(&world, &id, "ready").await;
    assert_eq!(row.provider_id.as_deref(), Some("object-1"));
    assert_eq!(row.secret_outputs.len(), 1);
    assert_eq!((cloud.count("create"), cloud.objects()), (1, 1));
    next.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_panics_harms_neither_the_host_nor_its_row() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    cloud.fate(Fate::Panic);
    let host = Host::start(&world, &cloud);
    let broken = world
        .create(&acme.admin, &world.pg(&acme.id, "broken"))
        .await
        .unwrap()
        .id;
    until_cloud(&cloud, |cloud| cloud.count("create") == 1).await;
    let other = world
        .create(&acme.admin, &world.app(&acme.id, "other"))
        .await
        .unwrap()
        .id;
    until_state(&world, &other, "ready").await;
    until_state(&world, &broken, "ready").await;
    assert_eq!(cloud.count("create do.database.pg"), 1);
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hosts_never_run_over_the_same_row() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    cloud.hold_creates();
    let hosts = [Host::start(&world, &cloud), Host::start(&world, &cloud)];
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    cloud.made.acquire().await.unwrap().forget();
    // Several leases long: the holder renews, so that the other host has nothing to claim.
    tokio::time::sleep(std::time::Duration::from_millis(1_800)).await;
    assert_eq!((cloud.count("find"), cloud.count("create")), (1, 1));
    cloud.creates.add_permits(100);
    until_state(&world, &id, "ready").await;
    assert_eq!(cloud.count("create"), 1);
    for host in hosts {
        host.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_stops_stores_what_its_calls_answer() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    cloud.hold_creates();
    let host = Host::start(&world, &cloud);
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    cloud.made.acquire().await.unwrap().forget();
    let stopping = tokio::spawn(host.stop());
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert!(!stopping.is_finished(), "the call is under way");
    cloud.creates.add_permits(100);
    stopping.await.unwrap();
    let row = world.row(&id).await;
    assert_eq!(row.provider_id.as_deref(), Some("object-1"));
    // The lease was given up with the row, so the next host goes on at its time.
    let next = Host::start(&world, &cloud);
    until_state(&world, &id, "ready").await;
    next.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_create_that_the_journal_shows_refused_is_no_open_question() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    cloud.fate(Fate::Refused(422));
    let host = Host::start(&world, &cloud);
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    let row = until(&world, &id, |row| {
        row.message.is_some() || row.state.as_str() == "error"
    })
    .await;
    assert_eq!((row.state.as_str(), row.intent), ("error", None));
    // The refresh tries again.
    until_state(&world, &id, "ready").await;

    cloud.fate(Fate::Refused(503));
    let unclear = world
        .create(&acme.admin, &world.pg(&acme.id, "unclear"))
        .await
        .unwrap()
        .id;
    let row = until(&world, &unclear, |row| row.message.is_some()).await;
    assert_eq!(row.state.as_str(), "pending");
    assert!(
        row.intent.is_some(),
        "a gateway's 503 says nothing about what is behind it"
    );
    until_state(&world, &unclear, "ready").await;
    host.stop().await;
}
