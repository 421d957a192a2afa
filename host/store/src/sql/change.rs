//! Change sets of one statement that decides and others that follow only if it did something.

use berth_domain::audit::AuditRow;

use super::{Engine, SqlStore, Statement, Verdict, audit};
use crate::{Created, StoreError};

impl<E: Engine> SqlStore<E> {
    /// Runs `deciding`, which returns a row if it did something. Then `following` and the audit rows are
    /// kept with it; otherwise nothing is, and the answer is `false`.
    pub(super) async fn change(
        &self,
        deciding: Statement,
        following: Vec<Statement>,
        audit: &[AuditRow],
    ) -> Result<bool, StoreError> {
        let mut statements = vec![deciding];
        statements.extend(following);
        statements.extend(audit::append(audit)?);
        self.write(move |session| {
            Box::pin(async move {
                let sets = session.run(statements).await?;
                let changed = sets.first().is_some_and(|rows| !rows.is_empty());
                Ok(if changed {
                    Verdict::Keep(true)
                } else {
                    Verdict::Discard(false)
                })
            })
        })
        .await
    }

    /// The same for an insert that returns a row if nothing stood in its way.
    pub(super) async fn insert(
        &self,
        deciding: Statement,
        following: Vec<Statement>,
        audit: &[AuditRow],
    ) -> Result<Created, StoreError> {
        Ok(if self.change(deciding, following, audit).await? {
            Created::New
        } else {
            Created::Taken
        })
    }
}
