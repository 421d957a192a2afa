//! What a sealed secret withstands.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on stops, and says where"
)]

use std::sync::{Arc, Mutex};

use berth_vault::{
    Context, DEFAULT_MAX_SECRET_BYTES, MasterKey, MasterKeyError, MasterKeys, Sealed, SealedError,
    SecretBytes, Vault, VaultError,
};
use proptest::prelude::*;

const PLACE: Context<'static> = Context {
    tenant: "acme",
    name: "db/password",
    version: 3,
};

/// Counts upwards, so that no two draws are the same and every run is.
fn counting() -> impl FnMut(&mut [u8]) {
    let mut next = 0_u64;
    move |slice| {
        for byte in slice {
            next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = next.to_be_bytes()[0];
        }
    }
}

fn key(fill: u8) -> MasterKey {
    MasterKey::from_bytes([fill; 32])
}

fn vault() -> Vault {
    Vault::new(key(1), vec![])
}

fn secret(text: &str) -> SecretBytes {
    SecretBytes::from(text.to_owned())
}

fn sealed() -> Sealed {
    vault()
        .seal(&PLACE, &secret("hunter22"), &mut counting())
        .unwrap()
}

#[test]
fn a_sealed_secret_opens_in_its_place() {
    assert_eq!(vault().open(&PLACE, &sealed()), Ok(secret("hunter22")));
}

#[test]
fn a_row_moved_to_another_tenant_name_or_version_does_not_open() {
    let moved = [
        Context {
            tenant: "acme2",
            ..PLACE
        },
        Context {
            name: "db/password2",
            ..PLACE
        },
        Context {
            version: 4,
            ..PLACE
        },
        // The same letters, cut elsewhere.
        Context {
            tenant: "acmed",
            name: "b/password",
            ..PLACE
        },
        Context {
            tenant: "",
            name: "acmedb/password",
            ..PLACE
        },
    ];
    for place in moved {
        assert_eq!(
            vault().open(&place, &sealed()),
            Err(VaultError::DoesNotOpen)
        );
        assert_eq!(
            vault().rewrap(&place, &sealed(), &mut counting()),
            Err(VaultError::DoesNotOpen)
        );
    }
}

#[test]
fn a_value_under_another_secrets_data_key_does_not_open() {
    let mut entropy = counting();
    let one = vault().seal(&PLACE, &secret("one"), &mut entropy).unwrap();
    let two = vault().seal(&PLACE, &secret("two"), &mut entropy).unwrap();
    let mut grafted = one.to_bytes();
    let value_at = grafted.len() - (12 + 3 + 16);
    grafted.truncate(value_at);
    grafted.extend_from_slice(&two.to_bytes()[value_at..]);
    let grafted = Sealed::from_bytes(&grafted).unwrap();
    assert_eq!(vault().open(&PLACE, &grafted), Err(VaultError::DoesNotOpen));
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = sealed().to_bytes();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let opened = Sealed::from_bytes(&flipped)
            .map_err(VaultError::from)
            .and_then(|sealed| vault().open(&PLACE, &sealed));
        assert!(opened.is_err(), "bit {bit}");
    }
}

#[test]
fn stored_bytes_that_are_cut_or_of_another_layout_say_so() {
    let bytes = sealed().to_bytes();
    for length in 0..Sealed::OVERHEAD_BYTES {
        assert_eq!(
            Sealed::from_bytes(&bytes[..length]),
            Err(SealedError::Truncated(length))
        );
    }
    let mut newer = bytes;
    newer[0] = 2;
    assert_eq!(Sealed::from_bytes(&newer), Err(SealedError::Layout(2)));
}

#[test]
fn the_stored_form_is_compact_and_holds_nothing_readable() {
    let bytes = sealed().to_bytes();
    assert_eq!(bytes.len(), "hunter22".len() + Sealed::OVERHEAD_BYTES);
    assert!(!bytes.windows(4).any(|window| window == b"hunt"));
    assert!(!format!("{:?}", sealed()).contains("hunt"));
}

#[test]
fn sealing_twice_gives_different_bytes() {
    let mut entropy = counting();
    let one = vault().seal(&PLACE, &secret("x"), &mut entropy).unwrap();
    let two = vault().seal(&PLACE, &secret("x"), &mut entropy).unwrap();
    assert_ne!(one, two);
}

#[test]
fn a_previous_master_key_still_opens_and_rewrapping_moves_to_the_current_one() {
    let old = sealed();
    let rotated = Vault::new(key(2), vec![key(1)]);
    assert_eq!(rotated.open(&PLACE, &old), Ok(secret("hunter22")));
    let new = rotated.rewrap(&PLACE, &old, &mut counting()).unwrap();
    assert_eq!(new.key_id(), rotated.key_id());
    assert_ne!(new.key_id(), old.key_id());
    let retired = Vault::new(key(2), vec![]);
    assert_eq!(retired.open(&PLACE, &new), Ok(secret("hunter22")));
    assert_eq!(
        retired.open(&PLACE, &old),
        Err(VaultError::UnknownKey {
            key_id: old.key_id()
        })
    );
    let (old, new) = (old.to_bytes(), new.to_bytes());
    let value = 8 + 16 + 12;
    assert_eq!(
        old[old.len() - value..],
        new[new.len() - value..],
        "rewrapping leaves the encrypted value alone"
    );
}

#[test]
fn a_secret_over_the_limit_is_refused_with_the_limits_name() {
    let fits = SecretBytes::new(vec![7; DEFAULT_MAX_SECRET_BYTES]);
    assert!(vault().seal(&PLACE, &fits, &mut counting()).is_ok());
    let over = SecretBytes::new(vec![7; DEFAULT_MAX_SECRET_BYTES + 1]);
    let error = vault().seal(&PLACE, &over, &mut counting()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the secret has 65537 bytes, and `vault.max_secret_bytes` allows 65536"
    );
    let tight = vault().with_max_secret_bytes(4);
    assert!(
        tight
            .seal(&PLACE, &secret("12345"), &mut counting())
            .is_err()
    );
    assert_eq!(tight.open(&PLACE, &sealed()), Ok(secret("hunter22")));
}

#[test]
fn an_empty_secret_is_sealed_like_any_other() {
    let empty = vault().seal(&PLACE, &secret(""), &mut counting()).unwrap();
    assert_eq!(vault().open(&PLACE, &empty), Ok(secret("")));
}

proptest! {
    #[test]
    fn what_goes_in_comes_out(
        value in proptest::collection::vec(any::<u8>(), 0..300),
        tenant in "\\PC{0,12}",
        name in "\\PC{0,12}",
        version in any::<u64>(),
    ) {
        let place = Context { tenant: &tenant, name: &name, version };
        let secret = SecretBytes::new(value);
        let sealed = vault().seal(&place, &secret, &mut counting()).unwrap();
        let stored = Sealed::from_bytes(&sealed.to_bytes()).unwrap();
        prop_assert_eq!(&stored, &sealed);
        prop_assert_eq!(vault().open(&place, &stored), Ok(secret));
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(sealed) = Sealed::from_bytes(&bytes) {
            prop_assert!(vault().open(&PLACE, &sealed).is_err());
        }
    }
}

/// A host that runs while keys are rotated.
#[test]
fn keys_are_read_again_when_a_secret_needs_one_and_none_is_forgotten() {
    let keys = Arc::new(Mutex::new(MasterKeys::new(key(1), vec![])));
    let source = Arc::clone(&keys);
    let host = Vault::new(key(1), vec![])
        .with_source(Box::new(move || Ok(source.lock().unwrap().clone())));
    let old = host.seal(&PLACE, &secret("old"), &mut counting()).unwrap();
    // Another process rotates and seals.
    *keys.lock().unwrap() = MasterKeys::new(key(2), vec![key(1)]);
    let new = Vault::new(key(2), vec![])
        .seal(&PLACE, &secret("new"), &mut counting())
        .unwrap();
    assert_eq!(host.key_id(), key(1).key_id());
    assert_eq!(host.open(&PLACE, &new), Ok(secret("new")));
    assert_eq!(host.key_id(), key(2).key_id());
    // The old key is dropped, and the host still has bytes that it read before.
    *keys.lock().unwrap() = MasterKeys::new(key(2), vec![]);
    host.reload().unwrap();
    assert_eq!(host.open(&PLACE, &old), Ok(secret("old")));
    let unknown = Vault::new(key(3), vec![])
        .seal(&PLACE, &secret("x"), &mut counting())
        .unwrap();
    let refused = host.open(&PLACE, &unknown).unwrap_err();
    assert!(matches!(refused, VaultError::UnknownKey { .. }));
}

#[test]
fn a_source_that_fails_leaves_the_keys_as_they_are() {
    let missing = || MasterKeyError::Missing {
        path: "gone".into(),
    };
    let host = vault().with_source(Box::new(move || Err(missing())));
    host.reload().unwrap_err();
    assert_eq!(host.open(&PLACE, &sealed()), Ok(secret("hunter22")));
}
