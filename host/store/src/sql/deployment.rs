//! The deployment itself, and the store as a whole.

use async_trait::async_trait;
use berth_domain::time::Millis;

use super::row::read;
use super::{Engine, Row, SqlStore, Statement, Verdict};
use crate::{DeploymentInfo, Store, StoreError};

fn deployment(row: &Row) -> Result<DeploymentInfo, StoreError> {
    Ok(DeploymentInfo {
        id: row.parsed("id")?,
        created_at: row.millis("created_at")?,
    })
}

#[async_trait]
impl<E: Engine> Store for SqlStore<E> {
    async fn deployment(&self, fresh: DeploymentInfo) -> Result<DeploymentInfo, StoreError> {
        self.write(move |session| {
            Box::pin(async move {
                let sets = session
                    .run(vec![
                        Statement::new(
                            "INSERT INTO deployment (one, id, created_at) VALUES (1, $1, $2) \
                             ON CONFLICT DO NOTHING",
                        )
                        .bind(fresh.id.as_str())
                        .bind(fresh.created_at),
                        Statement::new("SELECT id, created_at FROM deployment WHERE one = 1"),
                    ])
                    .await?;
                match sets.last().and_then(|rows| rows.first()) {
                    Some(row) => Ok(Verdict::Keep(read("deployment", row, deployment)?)),
                    None => Err(StoreError::Failed(
                        "the deployment was not recorded".to_owned(),
                    )),
                }
            })
        })
        .await
    }

    async fn known_deployment(&self) -> Result<Option<DeploymentInfo>, StoreError> {
        self.read_one(Statement::new(
            "SELECT id, created_at FROM deployment WHERE one = 1",
        ))
        .await?
        .map(|row| read("deployment", &row, deployment))
        .transpose()
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.read(Statement::new("SELECT 1 AS one"))
            .await
            .map(|_| ())
    }

    async fn prove_writable(&self, at: Millis) -> Result<u64, StoreError> {
        let prove = Statement::new(E::PROVE).bind(at);
        self.write(move |session| {
            Box::pin(async move {
                match session.one(prove).await? {
                    Some(row) => Ok(Verdict::Keep(row.count("proofs")?)),
                    None => Err(StoreError::Unavailable(
                        "the database is as large as it may get: drop what is old, or raise `maxPages` of the store"
                            .to_owned(),
                    )),
                }
            })
        })
        .await
    }

    async fn close(&self) {
        self.engine.close().await;
    }
}
