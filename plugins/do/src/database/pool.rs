//! `do.database.pool`: a pool of connections, named by its spec, owned through the cluster.

use berth_sdk::manifest::{Secrets as _, get, kind, names, outputs, write};
use berth_sdk::types::{Error, Family, Kind as KindEntry, Operation, Ownership, Phase};
use berth_sdk::{Call, Kind, Listed, Listing, Observed, schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::child::{self, Child};
use super::connection::{self, Connections, below, endpoint, present, slices};
use super::pg::Pg;
use crate::spec::pool::Spec;

/// The kind.
pub(crate) struct Pool;

#[derive(Debug, Deserialize)]
struct PoolAnswer {
    pool: Found,
}

#[derive(Debug, Deserialize)]
struct Pools {
    pools: Option<Vec<Found>>,
}

#[derive(Debug, Deserialize)]
struct Found {
    name: String,
    mode: Option<String>,
    size: Option<u64>,
    db: Option<String>,
    user: Option<String>,
    #[serde(flatten)]
    connections: Connections,
}

impl Child for Found {
    const COLLECTION: &'static str = "pools";
    const WORD: &'static str = "pool";
    type One = PoolAnswer;
    type All = Pools;

    fn name(&self) -> &str {
        &self.name
    }
}

impl From<PoolAnswer> for Found {
    fn from(answer: PoolAnswer) -> Self {
        answer.pool
    }
}

impl From<Pools> for Vec<Found> {
    fn from(pools: Pools) -> Self {
        pools.pools.unwrap_or_default()
    }
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    db: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private_host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private_port: Option<u64>,
}

impl Kind for Pool {
    const ID: &'static str = "do.database.pool";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        let one = below("/pool", &connection::SECRETS);
        let all = below("/pools/*", &connection::SECRETS);
        let pools = "/v2/databases/{parent}/pools";
        let pool = "/v2/databases/{parent}/pools/{name}";
        KindEntry {
            outputs: outputs(&[
                ("name", "Name of the pool"),
                (
                    "mode",
                    "When a server connection is given to another client",
                ),
                ("size", "Server connections"),
                ("db", "Database that it connects to"),
                ("user", "User that it connects as"),
                ("host", "Host name"),
                ("port", "Port"),
                ("private_host", "Host name inside the VPC"),
                ("private_port", "Port inside the VPC"),
            ]),
            secret_outputs: Connections::secret_outputs(),
            updatable: names(&["mode", "size", "db", "user"]),
            parents: names(&[Pg::ID]),
            identity: names(&["name"]),
            ownership: Ownership::Parent,
            lists_whole: true,
            id_pattern: "[a-zA-Z0-9][a-zA-Z0-9_-]{2,59}".to_owned(),
            reads: vec![
                get(pool).own(&slices(&one)),
                get(pools).foreign(&slices(&all)),
            ],
            writes: vec![
                write(Operation::Create, "POST", pools).own(&slices(&one)),
                write(Operation::Update, "PUT", pool),
                write(Operation::Delete, "DELETE", pool),
            ],
            ..kind(
                Self::ID,
                "Database connection pool",
                Family::Data,
                schema!("do.database.pool"),
            )
        }
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        let found = child::find(call)?;
        Ok(found.map(|pool| observed(pool, call).without_secrets()))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        Ok(observed(child::read(call)?, call))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let mut body = settings(call.spec());
        body["name"] = json!(call.name());
        Ok(observed(child::create(call, &body)?, call))
    }

    fn update(&self, call: &Call<'_, Spec>, _: &[String]) -> Result<Observed<Outputs>, Error> {
        // The API takes all settings of a pool together, and answers with nothing.
        child::put::<Found, _>(call, &settings(call.spec()))?;
        self.observe(call)
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        child::delete::<Found, _>(call)
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let items = child::all(listing)?.into_iter().map(bare).collect();
        Ok(Listed { items, next: None })
    }
}

fn settings(spec: &Spec) -> Value {
    let mut body = json!({"mode": spec.mode, "size": spec.size, "db": spec.db});
    if let Some(user) = &spec.user {
        body["user"] = json!(user);
    }
    body
}

fn bare(pool: Found) -> Observed<Outputs> {
    let user = present(pool.user);
    let mut spec = json!({"name": pool.name, "mode": pool.mode, "size": pool.size, "db": pool.db});
    if let Some(user) = &user {
        spec["user"] = json!(user);
    }
    let (host, port) = endpoint(pool.connections.connection.as_ref());
    let (private_host, private_port) = endpoint(pool.connections.private_connection.as_ref());
    // A pool has no states: it is there or not.
    let mut observed = Observed::new(
        &pool.name,
        Phase::Ready,
        Outputs {
            name: pool.name.clone(),
            mode: pool.mode,
            size: pool.size,
            db: pool.db,
            user,
            host,
            port,
            private_host,
            private_port,
        },
    );
    observed.name = Some(pool.name);
    observed.spec = Some(spec);
    pool.connections.reveal(&mut observed);
    observed
}

fn observed(pool: Found, call: &Call<'_, Spec>) -> Observed<Outputs> {
    // Whoever comes in brings an own password, so the URI has none and is all that there is to hand out.
    let uri_of_anyone = call
        .spec()
        .user
        .is_none()
        .then(|| pool.connections.clone())
        .filter(|connections| {
            connections
                .connection
                .as_ref()
                .is_some_and(|connection| connection.uri_with_password().is_none())
        });
    let mut observed = bare(pool);
    if let Some(connections) = uri_of_anyone {
        let uri = connections.of_main(|connection| &connection.uri);
        observed.secret("uri", uri.as_deref());
    }
    let wanted = settings(call.spec());
    observed.pending = wanted
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(field, wanted)| {
            let shown = observed.spec.as_ref().and_then(|spec| spec.get(*field));
            shown.is_some_and(|shown| !shown.is_null() && shown != *wanted)
        })
        .map(|(field, _)| field.clone())
        .collect();
    observed
}
