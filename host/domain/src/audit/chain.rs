//! The audit's hash chain: how a row is written out as bytes, and how a seal binds rows to all before them.
//!
//! A seal covers the rows that were committed since the seal before it. Its hash is over that seal's hash and
//! over every field of every row, each written so that no two rows, and no two lists of rows, give the same
//! bytes: numbers have a fixed width, texts are preceded by their length, what may be absent by a byte that
//! says whether it is. Whoever changes, removes, adds or moves anything that was sealed must therefore change
//! every later hash as well, and whoever kept one of those finds out.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::id::DeploymentId;
use crate::time::Millis;

/// How rows and seals are written out. It stands with each seal, so that a later way can follow this one.
pub const FORMAT: u32 = 1;

/// Each is of a length of its own use; together with [`FORMAT`] they keep hashes of other things apart.
const GENESIS: &[u8] = b"berth audit genesis v1\0";
const SEAL: &[u8] = b"berth audit seal v1\0";
const ROW: u8 = 1;
const END: u8 = 0;

/// A row of the audit as it stands in its table, letter by letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRow {
    /// Its place; rises.
    pub sequence: u64,
    /// When.
    pub at: Millis,
    /// In which request.
    pub request_id: Option<String>,
    /// By whom.
    pub principal: Option<String>,
    /// In which tenant.
    pub tenant: String,
    /// What was asked.
    pub action: String,
    /// On what.
    pub resource: String,
    /// How it ended.
    pub outcome: String,
    /// JSON.
    pub detail: String,
}

/// A seal's hash: SHA-256, written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SealHash([u8; 32]);

/// Why a text is no seal's hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "not the hash of a seal: expected the 64 hexadecimal digits that `berth audit verify` prints"
)]
pub struct SealHashError;

impl SealHash {
    /// What the first seal of a deployment follows: a chain of another deployment does not fit in.
    #[must_use]
    pub fn genesis(deployment: &DeploymentId) -> Self {
        let mut hash = Sha256::new_with_prefix(GENESIS);
        text(&mut hash, deployment.as_str());
        Self(hash.finalize().into())
    }
}

impl fmt::Display for SealHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for SealHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealHash({self})")
    }
}

impl FromStr for SealHash {
    type Err = SealHashError;
    fn from_str(written: &str) -> Result<Self, SealHashError> {
        let bytes = HEXLOWER
            .decode(written.as_bytes())
            .map_err(|_| SealHashError)?;
        bytes.try_into().map(Self).map_err(|_| SealHashError)
    }
}

/// A link of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// Its place: 1, 2, 3, … without gaps.
    pub sequence: u64,
    /// How rows were written out; see [`FORMAT`].
    pub format: u32,
    /// The sequence of the first row that it covers.
    pub first: u64,
    /// The sequence of the last.
    pub last: u64,
    /// How many it covers.
    pub rows: u64,
    /// The hash of the seal before it, or the deployment's genesis.
    pub previous: SealHash,
    /// Over all of the above, `sealed_at`, and every field of every row.
    pub hash: SealHash,
    /// When.
    pub sealed_at: Millis,
}

/// A seal in the making: give it the rows in order.
#[derive(Debug, Clone)]
pub struct Sealing {
    hash: Sha256,
    sequence: u64,
    previous: SealHash,
    sealed_at: Millis,
    covered: Option<Covered>,
}

#[derive(Debug, Clone, Copy)]
struct Covered {
    first: u64,
    last: u64,
    rows: u64,
}

impl Sealing {
    /// Begins the seal that follows another.
    #[must_use]
    pub fn new(sequence: u64, previous: SealHash, sealed_at: Millis) -> Self {
        let mut hash = Sha256::new_with_prefix(SEAL);
        number(&mut hash, sequence);
        hash.update(previous.0);
        hash.update(sealed_at.0.to_be_bytes());
        Self {
            hash,
            sequence,
            previous,
            sealed_at,
            covered: None,
        }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &RawRow) {
        let hash = &mut self.hash;
        hash.update([ROW]);
        number(hash, row.sequence);
        hash.update(row.at.0.to_be_bytes());
        optional(hash, row.request_id.as_deref());
        optional(hash, row.principal.as_deref());
        for field in [
            &row.tenant,
            &row.action,
            &row.resource,
            &row.outcome,
            &row.detail,
        ] {
            text(hash, field);
        }
        let covered = self.covered.get_or_insert(Covered {
            first: row.sequence,
            last: row.sequence,
            rows: 0,
        });
        covered.last = row.sequence;
        covered.rows += 1;
    }

    /// The seal; `None` if it would cover nothing.
    #[must_use]
    pub fn finish(mut self) -> Option<Seal> {
        let Covered { first, last, rows } = self.covered?;
        self.hash.update([END]);
        for end in [first, last, rows] {
            number(&mut self.hash, end);
        }
        Some(Seal {
            sequence: self.sequence,
            format: FORMAT,
            first,
            last,
            rows,
            previous: self.previous,
            hash: SealHash(self.hash.finalize().into()),
            sealed_at: self.sealed_at,
        })
    }
}

fn number(hash: &mut Sha256, number: u64) {
    hash.update(number.to_be_bytes());
}

fn text(hash: &mut Sha256, text: &str) {
    number(hash, text.len() as u64);
    hash.update(text);
}

fn optional(hash: &mut Sha256, field: Option<&str>) {
    match field {
        None => hash.update([0]),
        Some(field) => {
            hash.update([1]);
            text(hash, field);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(fields: [&str; 4]) -> RawRow {
        let [tenant, action, resource, detail] = fields.map(str::to_owned);
        RawRow {
            sequence: 7,
            at: Millis(1),
            request_id: Some(String::new()),
            principal: None,
            tenant,
            action,
            resource,
            outcome: "done".to_owned(),
            detail,
        }
    }

    fn sealed(rows: &[RawRow]) -> Option<SealHash> {
        let mut sealing = Sealing::new(1, SealHash([0; 32]), Millis(5));
        for row in rows {
            sealing.add(row);
        }
        sealing.finish().map(|seal| seal.hash)
    }

    /// The encoding is for good: a change of it would break every chain there is.
    #[test]
    fn a_known_chain_has_known_hashes() {
        let deployment = "dep_00000000000000000000000000".parse().unwrap();
        let genesis = SealHash::genesis(&deployment);
        let mut sealing = Sealing::new(1, genesis, Millis(1_800_000_000_000));
        sealing.add(&row([
            "acme",
            "compute:secrets:write",
            "compute-secret/key",
            "{}",
        ]));
        let seal = sealing.finish().unwrap();
        // Computed apart from this code.
        assert_eq!(
            genesis.to_string(),
            "eeacb80e3150c03bec6495975cb147c9af122e52e6034d19f2a42e2387a44239"
        );
        assert_eq!(
            seal.hash.to_string(),
            "19ba9cd0dce8673c36ee0328e110373340feea984de933127b7466bd5be9af0c"
        );
    }

    #[test]
    fn text_that_moves_over_a_border_is_another_row() {
        let whole = sealed(&[row(["ab", "c", "d", "{}"])]);
        assert_ne!(whole, sealed(&[row(["a", "bc", "d", "{}"])]));
        assert_ne!(whole, sealed(&[row(["ab", "", "cd", "{}"])]));
        let mut absent = row(["ab", "c", "d", "{}"]);
        absent.request_id = None;
        assert_ne!(whole, sealed(&[absent]));
        assert_eq!(sealed(&[]), None);
    }

    #[test]
    fn a_hash_reads_back_and_nothing_else_does() {
        let hash = sealed(&[row(["a", "b", "c", "{}"])]).unwrap();
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for wrong in [
            "",
            "00",
            &hash.to_string().to_uppercase(),
            &format!("{hash}0"),
        ] {
            assert_eq!(wrong.parse::<SealHash>(), Err(SealHashError));
        }
    }

    fn any_row() -> impl Strategy<Value = RawRow> {
        let short = || "[ab]{0,3}";
        let absent = || proptest::option::of("[ab]{0,3}");
        (
            (0..4_u64, 0..3_i64, absent(), absent()),
            (short(), short(), short(), short(), short()),
        )
            .prop_map(|((sequence, at, request_id, principal), texts)| RawRow {
                sequence,
                at: Millis(at),
                request_id,
                principal,
                tenant: texts.0,
                action: texts.1,
                resource: texts.2,
                outcome: texts.3,
                detail: texts.4,
            })
    }

    proptest! {
        #[test]
        fn lists_of_rows_hash_alike_only_if_they_are_alike(
            one in proptest::collection::vec(any_row(), 0..4),
            other in proptest::collection::vec(any_row(), 0..4),
        ) {
            prop_assert_eq!(sealed(&one) == sealed(&other), one == other);
        }

        #[test]
        fn a_seal_depends_on_its_place_and_on_the_seal_before(
            rows in proptest::collection::vec(any_row(), 1..4),
            sequence in 1..9_u64,
            before: [u8; 32],
            at in 0..9_i64,
        ) {
            let seal = |sequence, before, at| {
                let mut sealing = Sealing::new(sequence, SealHash(before), Millis(at));
                rows.iter().for_each(|row| sealing.add(row));
                sealing.finish().unwrap().hash
            };
            let hash = seal(sequence, before, at);
            prop_assert_ne!(hash, seal(sequence + 1, before, at));
            prop_assert_ne!(hash, seal(sequence, before, at + 1));
            let mut another = before;
            another[31] ^= 1;
            prop_assert_ne!(hash, seal(sequence, another, at));
        }
    }
}
