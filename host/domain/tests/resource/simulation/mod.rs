//! A provider that misbehaves, tenants that change their minds, hosts that die: thousands of lives,
//! each drawn from a seed.
//!
//! `BERTH_SIM_SEED=n` replays one life with its log, `BERTH_SIM_SEEDS=n` lives more of them.

mod happenings;
mod host;
mod labelling;
mod laws;
mod provider;
mod random;
mod strangers;
mod verdict;
mod world;

use world::World;

const SEEDS: u64 = 1_000;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Lives one life; the log tells it.
fn live(seed: u64) -> Result<Vec<String>, String> {
    let mut world = World::new(seed);
    let verdict = world.live();
    verdict.map(|()| world.log.clone()).map_err(|broken| {
        format!(
            "{}\n\n{broken}\nreplay with BERTH_SIM_SEED={seed}",
            world.log.join("\n")
        )
    })
}

#[test]
fn no_life_breaks_a_law() {
    let (from, to) = match setting("BERTH_SIM_SEED") {
        Some(seed) => (seed, seed + 1),
        None => (0, setting("BERTH_SIM_SEEDS").unwrap_or(SEEDS)),
    };
    for seed in from..to {
        if let Err(story) = live(seed) {
            panic!("{story}");
        }
    }
}

#[test]
fn a_life_is_told_the_same_way_twice() {
    for seed in 0..20 {
        assert_eq!(live(seed), live(seed), "seed {seed}");
    }
}

#[test]
fn lives_are_eventful() {
    let log: Vec<String> = (0..200).flat_map(|seed| live(seed).unwrap()).collect();
    for happening in [
        "created",
        "answer lost",
        "request lost",
        "refused",
        "host dies",
        "twin appears",
        "vanishes",
        "labels are stripped",
        "tenant amends",
        "tenant renews",
        "tenant deletes",
        "autoscaler",
        "-> error",
        "-> updating",
        "-> deleted",
        "tenant adopts",
        "tenant releases",
        "another deployment takes",
        "Unlabel",
        "labels",
        "ManagedByAnother",
        "ReleaseRefused",
        "ready -> released",
        "deleting -> released",
        "provisioning -> ready",
        "Conflict",
    ] {
        assert!(
            log.iter().any(|line| line.contains(happening)),
            "{happening}"
        );
    }
}
