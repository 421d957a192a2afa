use crate::cloud::Cloud;
use crate::harness::World;
use crate::host::{Host, until_cloud, until_state};

#[tokio::test(flavor = "multi_thread")]
async fn many_that_rest_share_lists_and_the_absent_one_is_looked_at_by_itself() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let host = Host::start(&world, &cloud);
    let mut ids = Vec::new();
    for number in 0..9 {
        ids.push(
            world
                .create(&acme.admin, &world.pg(&acme.id, &format!("pg-{number}")))
                .await
                .unwrap()
                .id,
        );
    }
    for id in &ids {
        until_state(&world, id, "ready").await;
    }
    // Three pages of four.
    until_cloud(&cloud, |cloud| cloud.count("list do.database.pg") >= 3).await;
    let listed = world.row(&ids[0]).await.provider_id.unwrap();
    cloud.with(|state| state.unlisted = Some(listed.clone()));
    let looked = cloud.count(&format!("observe do.database.pg {listed}"));
    // Lists are shared for a while, so it takes a new one to miss it; whichever way, it stays ready.
    let moved_on =
        |cloud: &Cloud| cloud.count(&format!("observe do.database.pg {listed}")) > looked;
    until_cloud(&cloud, moved_on).await;
    assert_eq!(world.row(&ids[0]).await.state.as_str(), "ready");
    let row = world.row(&ids[0]).await;
    assert!(
        !row.secret_outputs.is_empty(),
        "a list shows no secrets, and takes none away"
    );
    host.stop().await;
}
