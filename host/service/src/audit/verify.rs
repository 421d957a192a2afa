//! Walks the audit's chain from its beginning and finds the first place at which it is broken.

use berth_domain::audit::chain::{FORMAT, Seal, SealHash, Sealing};
use berth_domain::time::Millis;
use berth_store::{Store, StoreError};

/// Rows and seals that are read at once.
const PAGE: u32 = 500;

/// A chain that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// Seals that were walked.
    pub seals: u64,
    /// Rows that they cover.
    pub rows: u64,
    /// The newest seal.
    pub head: Option<Seal>,
    /// Rows that no seal covers yet.
    pub unsealed: u64,
    /// When the first of them was written.
    pub unsealed_since: Option<Millis>,
    /// The seal whose hash was expected.
    pub expected: Option<u64>,
}

/// The first place at which the chain is broken, or why it can't be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A seal is missing in between.
    #[error("seal {missing} is missing: seal {found} is there, so it was removed")]
    SealMissing {
        /// The first that is missing.
        missing: u64,
        /// The next one that is there.
        found: u64,
    },
    /// A seal was written in another way.
    #[error(
        "seal {seal} has format {format}, and this build knows {FORMAT}: verify with the version of Berth that wrote it, or a newer one"
    )]
    Format {
        /// Which.
        seal: u64,
        /// Its format.
        format: u32,
    },
    /// A seal names another predecessor.
    #[error("seal {seal} does not follow {}: one of the two was changed or exchanged", predecessor(*.seal))]
    Unlinked {
        /// The later of the two.
        seal: u64,
    },
    /// A sealed row is gone.
    #[error("row {row} is missing: seal {seal} covers it, so it was removed")]
    RowMissing {
        /// Which row.
        row: u64,
        /// Its seal.
        seal: u64,
    },
    /// A row more than was sealed.
    #[error(
        "seal {seal} covers {sealed} rows, from {first} to {last}, and {found} are there: rows were put in"
    )]
    RowsAdded {
        /// The seal.
        seal: u64,
        /// Rows that it covers.
        sealed: u64,
        /// Rows that are there.
        found: u64,
        /// Its first row.
        first: u64,
        /// Its last row.
        last: u64,
    },
    /// The hash does not fit.
    #[error(
        "a row from {first} to {last}, or seal {seal} which covers them, was changed after it was sealed"
    )]
    Changed {
        /// The seal.
        seal: u64,
        /// Its first row.
        first: u64,
        /// Its last row.
        last: u64,
    },
    /// A row that no seal covers is gone.
    #[error("row {row} is missing: later ones are there, so it was removed before it was sealed")]
    UnsealedRowMissing {
        /// Which row.
        row: u64,
    },
    /// The last rows are gone.
    #[error("rows {} to {given} are missing: they were written once and removed", .there + 1)]
    RowsCutOff {
        /// The last row that is there.
        there: u64,
        /// The last that was written.
        given: u64,
    },
    /// The last seals are gone.
    #[error("seals {} to {given} are missing: they were written once and removed", .there + 1)]
    SealsCutOff {
        /// The last seal that is there.
        there: u64,
        /// The last that was written.
        given: u64,
    },
    /// The expected hash is not among the seals.
    #[error(
        "no seal has the expected hash: the chain was cut off before it and goes on otherwise, or it is of another deployment"
    )]
    Unexpected,
    /// A row or seal does not even read.
    #[error("damaged: {0}")]
    Damaged(String),
    /// The store does not answer, so nothing is known.
    #[error("can't tell whether the audit is whole: {0}")]
    Store(StoreError),
}

fn predecessor(seal: u64) -> String {
    match seal {
        1 => "the beginning of this deployment".to_owned(),
        later => format!("seal {}", later - 1),
    }
}

impl VerifyError {
    /// Whether the audit is broken; otherwise it could not be looked at.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        !matches!(self, Self::Store(_) | Self::Format { .. })
    }
}

impl From<StoreError> for VerifyError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unreadable(text) => Self::Damaged(text),
            other => Self::Store(other),
        }
    }
}

/// Walks the chain. Rows are read as they are needed and not kept. A host may go on writing meanwhile.
///
/// What was cut off at the end, rows and seals and the engine's own counters together, shows only to who
/// kept a hash of before: `expect`.
///
/// # Errors
/// The first place at which the chain is broken.
pub async fn verify(store: &dyn Store, expect: Option<SealHash>) -> Result<Whole, VerifyError> {
    let deployment = store.known_deployment().await?.ok_or_else(|| {
        VerifyError::Store(StoreError::Failed(
            "the database is no deployment's yet; start the host once".to_owned(),
        ))
    })?;
    let genesis = SealHash::genesis(&deployment.id);
    let mut whole = Whole {
        seals: 0,
        rows: 0,
        head: None,
        unsealed: 0,
        unsealed_since: None,
        expected: None,
    };
    loop {
        let seals = store.seals(whole.seals, PAGE).await?;
        let is_last = seals.len() < PAGE as usize;
        for seal in seals {
            link(store, genesis, &mut whole, seal, expect).await?;
        }
        if is_last {
            break;
        }
    }
    if expect.is_some() && whole.expected.is_none() {
        return Err(VerifyError::Unexpected);
    }
    end(store, &mut whole).await?;
    Ok(whole)
}

/// Checks that a seal follows the head and covers what it covers, and makes it the head.
async fn link(
    store: &dyn Store,
    genesis: SealHash,
    whole: &mut Whole,
    seal: Seal,
    expect: Option<SealHash>,
) -> Result<(), VerifyError> {
    let missing = whole.seals + 1;
    if seal.sequence != missing {
        return Err(VerifyError::SealMissing {
            missing,
            found: seal.sequence,
        });
    }
    if seal.format != FORMAT {
        return Err(VerifyError::Format {
            seal: seal.sequence,
            format: seal.format,
        });
    }
    let (previous, sealed) = whole
        .head
        .as_ref()
        .map_or((genesis, 0), |head| (head.hash, head.last));
    if seal.previous != previous {
        return Err(VerifyError::Unlinked {
            seal: seal.sequence,
        });
    }
    let mut sealing = Sealing::new(seal.sequence, previous, seal.sealed_at);
    let mut gap = None;
    let mut at = sealed;
    loop {
        let rows = store.raw_audit(at, seal.last, PAGE).await?;
        for row in &rows {
            if row.sequence != at + 1 && gap.is_none() {
                gap = Some(at + 1);
            }
            at = row.sequence;
            sealing.add(row);
        }
        if rows.len() < PAGE as usize {
            break;
        }
    }
    must_be_same(&seal, sealing.finish(), gap, at)?;
    whole.seals += 1;
    whole.rows += seal.rows;
    if expect == Some(seal.hash) {
        whole.expected = Some(seal.sequence);
    }
    whole.head = Some(seal);
    Ok(())
}

/// Compares a seal with one made of the rows as they are now. A gap in the sequences, at which the rows that
/// are there leave one out, says which row is missing where one is.
fn must_be_same(
    seal: &Seal,
    now: Option<Seal>,
    gap: Option<u64>,
    reached: u64,
) -> Result<(), VerifyError> {
    if now.as_ref() == Some(seal) {
        return Ok(());
    }
    let found = now.map_or(0, |now| now.rows);
    if found < seal.rows {
        return Err(VerifyError::RowMissing {
            row: gap.unwrap_or(reached + 1),
            seal: seal.sequence,
        });
    }
    let (first, last) = (seal.first, seal.last);
    if found > seal.rows {
        return Err(VerifyError::RowsAdded {
            seal: seal.sequence,
            sealed: seal.rows,
            found,
            first,
            last,
        });
    }
    Err(VerifyError::Changed {
        seal: seal.sequence,
        first,
        last,
    })
}

/// What no seal covers, and whether something is missing after it.
async fn end(store: &dyn Store, whole: &mut Whole) -> Result<(), VerifyError> {
    let marks = store.audit_marks().await?;
    if let Some(given) = marks.seal_given.filter(|given| *given > marks.seal) {
        return Err(VerifyError::SealsCutOff {
            there: marks.seal,
            given,
        });
    }
    if let Some(given) = marks.row_given.filter(|given| *given > marks.row) {
        return Err(VerifyError::RowsCutOff {
            there: marks.row,
            given,
        });
    }
    let mut at = whole.head.as_ref().map_or(0, |head| head.last);
    loop {
        let rows = store.raw_audit(at, marks.row, PAGE).await?;
        for row in &rows {
            // Where an engine can't say what it gave, it may leave sequences out.
            if row.sequence != at + 1 && marks.row_given.is_some() {
                return Err(VerifyError::UnsealedRowMissing { row: at + 1 });
            }
            at = row.sequence;
            whole.unsealed += 1;
            whole.unsealed_since.get_or_insert(row.at);
        }
        if rows.len() < PAGE as usize {
            return Ok(());
        }
    }
}
