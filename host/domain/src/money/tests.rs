use proptest::prelude::*;

use super::*;
use crate::id::IdSeed;
use crate::metering::HOURS;

fn pool(n: u8) -> PoolId {
    PoolId::generate(Millis(1), IdSeed([n; 10]))
}

fn price(n: u8, kind: Option<&str>, of_pool: Option<u8>, micros: u64, from: i64) -> Price {
    Price {
        id: PriceId::generate(Millis(i64::from(n)), IdSeed([n; 10])),
        meter: HOURS.parse().unwrap(),
        kind: kind.map(|kind| kind.parse().unwrap()),
        pool_id: of_pool.map(pool),
        currency: "EUR".parse().unwrap(),
        micros,
        valid_from: Millis(from),
        created_at: Millis(i64::from(n)),
    }
}

fn at(prices: &[Price], of_pool: u8, kind: &str, when: i64) -> Option<u64> {
    let kind = kind.parse().unwrap();
    price_of(prices, &pool(of_pool), &kind, HOURS, Millis(when)).map(|price| price.micros)
}

fn ran(millis: u64, rate: u64) -> Ran {
    Ran {
        pool: pool(1),
        kind: "x.disk".parse().unwrap(),
        meter: HOURS.to_owned(),
        rate,
        millis,
    }
}

#[test]
fn the_price_that_says_most_holds() {
    let prices = [
        price(1, None, None, 1, 0),
        price(2, Some("x.disk"), None, 2, 0),
        price(3, None, Some(1), 3, 0),
        price(4, Some("x.disk"), Some(1), 4, 0),
    ];
    assert_eq!(at(&prices, 1, "x.disk", 5), Some(4));
    assert_eq!(at(&prices, 1, "x.app", 5), Some(3));
    assert_eq!(at(&prices, 2, "x.disk", 5), Some(2));
    assert_eq!(at(&prices, 2, "x.app", 5), Some(1));
    assert_eq!(at(&prices, 2, "x.app", -1), None);
}

#[test]
fn a_new_price_takes_the_place_of_the_old_from_its_time_on() {
    let prices = [
        price(1, None, None, 1, 0),
        price(2, None, None, 2, 100),
        price(3, None, None, 3, 100),
    ];
    assert_eq!(at(&prices, 1, "x.disk", 99), Some(1));
    assert_eq!(at(&prices, 1, "x.disk", 100), Some(3));
    let window = |from, to| Window {
        from: Millis(from),
        to: Millis(to),
    };
    assert_eq!(
        parts(&prices, window(50, 200)),
        [window(50, 100), window(100, 200)]
    );
    assert_eq!(parts(&prices, window(100, 200)), [window(100, 200)]);
    assert!(parts(&prices, window(200, 200)).is_empty());
}

#[test]
fn a_cost_is_rounded_once_and_half_up() {
    let prices = [price(1, None, None, 1, 0)];
    let of = |millis: &[u64]| {
        let ran = millis.iter().map(|millis| ran(*millis, 1)).collect();
        cost(&prices, &BTreeMap::from([(Millis(0), ran)]))
    };
    assert_eq!(of(&[1_799_999]).micros(), 0);
    assert_eq!(of(&[1_800_000]).micros(), 1);
    // Three thirds are a whole, though each alone is rounded away.
    assert_eq!(of(&[1_200_000; 3]).micros(), 1);
    assert!(of(&[1_200_000; 3]).reaches(1));
    assert!(!of(&[3_599_999]).reaches(1));
    assert!(Cost::default().reaches(0));
}

#[test]
fn what_has_no_price_costs_nothing() {
    let ran = BTreeMap::from([(Millis(0), vec![ran(3_600_000, 1)])]);
    assert_eq!(cost(&[], &ran), Cost::default());
}

proptest! {
    #[test]
    fn parts_of_a_window_are_the_window(
        cuts in prop::collection::vec(0_i64..100, 0..8), from in 0_i64..100, length in 0_i64..100,
    ) {
        let prices: Vec<Price> = cuts.iter().map(|cut| price(1, None, None, 1, *cut)).collect();
        let window = Window { from: Millis(from), to: Millis(from + length) };
        let parts = parts(&prices, window);
        let sum: u64 = parts.iter().map(|part| (part.to - part.from).0).sum();
        prop_assert_eq!(sum, length.unsigned_abs());
        for pair in parts.windows(2) {
            prop_assert_eq!(pair[0].to, pair[1].from);
        }
        for part in &parts {
            for cut in &cuts {
                prop_assert!(Millis(*cut) <= part.from || Millis(*cut) >= part.to);
            }
        }
    }
}
