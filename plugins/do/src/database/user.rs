//! `do.database.user`: a user of a cluster, named by its spec, owned through the cluster.

use berth_sdk::answers::invalid;
use berth_sdk::manifest::{Secrets as _, get, kind, names, outputs, write};
use berth_sdk::types::{Checked, Error, Family, Kind as KindEntry, Operation, Ownership, Phase};
use berth_sdk::{Call, Check, Kind, Listed, Listing, Observed, digest, manifest, schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::child::{self, Child};
use super::pg::Pg;
use crate::spec::user::{Settings, Spec};

/// The kind.
pub(crate) struct User;

/// Where the API shows secrets of a user.
const SECRETS: [&str; 3] = ["/user/password", "/user/access_cert", "/user/access_key"];

#[derive(Debug, Deserialize)]
struct UserAnswer {
    user: Found,
}

#[derive(Debug, Deserialize)]
struct Users {
    users: Option<Vec<Found>>,
}

#[derive(Debug, Deserialize)]
struct Found {
    name: String,
    role: Option<String>,
    password: Option<String>,
    settings: Option<ShownSettings>,
}

impl Child for Found {
    const COLLECTION: &'static str = "users";
    const WORD: &'static str = "user";
    type One = UserAnswer;
    type All = Users;

    fn name(&self) -> &str {
        &self.name
    }
}

impl From<UserAnswer> for Found {
    fn from(answer: UserAnswer) -> Self {
        answer.user
    }
}

impl From<Users> for Vec<Found> {
    fn from(users: Users) -> Self {
        users.users.unwrap_or_default()
    }
}

/// Settings as shown: what other engines have beside ours is passed over.
#[derive(Debug, Deserialize)]
struct ShownSettings {
    pg_allow_replication: Option<bool>,
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
}

/// The API does not show a user's settings reliably, so what was applied is remembered.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Memo {
    settings: Option<String>,
}

impl Kind for User {
    const ID: &'static str = "do.database.user";
    type Spec = Spec;
    type Outputs = Outputs;

    fn describe(&self) -> KindEntry {
        let of_all = [
            "/users/*/password",
            "/users/*/access_cert",
            "/users/*/access_key",
        ];
        let users = "/v2/databases/{parent}/users";
        let user = "/v2/databases/{parent}/users/{name}";
        KindEntry {
            outputs: outputs(&[
                ("name", "Name of the user"),
                ("role", "Role in the cluster"),
            ]),
            secret_outputs: outputs(&[("password", "Password of the user")]),
            updatable: names(&["settings"]),
            parents: names(&[Pg::ID]),
            identity: names(&["name"]),
            ownership: Ownership::Parent,
            lists_whole: true,
            id_pattern: "[A-Za-z0-9_][A-Za-z0-9_.@-]{0,62}".to_owned(),
            reads: vec![get(user).own(&SECRETS), get(users).foreign(&of_all)],
            writes: vec![
                write(Operation::Create, "POST", users).own(&SECRETS),
                write(Operation::Update, "PUT", user).own(&SECRETS),
                write(Operation::Delete, "DELETE", user),
            ],
            ..kind(
                Self::ID,
                "Database user",
                Family::Data,
                schema!("do.database.user"),
            )
        }
    }

    fn check(&self, check: &Check<'_, Spec>) -> Result<Checked, Error> {
        let name = &check.spec.name;
        if name == "doadmin" {
            return Err(invalid(
                "/name",
                "doadmin is the cluster's own administrator: choose another name",
            ));
        }
        if name.starts_with("pg_") || name == "postgres" {
            return Err(invalid(
                "/name",
                "PostgreSQL keeps postgres and names that start with pg_: choose another",
            ));
        }
        Ok(manifest::checked())
    }

    fn find(&self, call: &Call<'_, Spec>) -> Result<Option<Observed<Outputs>>, Error> {
        let found = child::find(call)?;
        Ok(found.map(|user| observed(user, call, memo(call)).without_secrets()))
    }

    fn observe(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        Ok(observed(child::read(call)?, call, memo(call)))
    }

    fn create(&self, call: &Call<'_, Spec>) -> Result<Observed<Outputs>, Error> {
        let mut body = json!({"name": call.name()});
        if let Some(settings) = &call.spec().settings {
            body["settings"] = json!(settings);
        }
        let user = child::create(call, &body)?;
        Ok(observed(user, call, applied(call)))
    }

    fn update(&self, call: &Call<'_, Spec>, fields: &[String]) -> Result<Observed<Outputs>, Error> {
        let asked = fields.iter().any(|field| field == "settings");
        let Some(settings) = call.spec().settings.as_ref().filter(|_| asked) else {
            return self.observe(call);
        };
        let answer: UserAnswer =
            child::put::<Found, _>(call, &json!({"settings": settings}))?.json()?;
        let user = child::written(answer.user, call)?;
        Ok(observed(user, call, applied(call)))
    }

    fn delete(&self, call: &Call<'_, Spec>) -> Result<(), Error> {
        child::delete::<Found, _>(call)
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Listed<Outputs>, Error> {
        let items = child::all(listing)?.into_iter().map(bare).collect();
        Ok(Listed { items, next: None })
    }
}

fn memo(call: &Call<'_, Spec>) -> Memo {
    call.memo().unwrap_or_default()
}

fn applied(call: &Call<'_, Spec>) -> Memo {
    Memo {
        settings: wanted(call),
    }
}

fn wanted(call: &Call<'_, Spec>) -> Option<String> {
    call.spec().settings.as_ref().map(digest::of)
}

fn shown(user: &Found) -> Option<Settings> {
    let pg_allow_replication = user.settings.as_ref()?.pg_allow_replication;
    pg_allow_replication.is_some().then_some(Settings {
        pg_allow_replication,
    })
}

fn bare(user: Found) -> Observed<Outputs> {
    let mut spec = json!({"name": user.name});
    if let Some(settings) = shown(&user) {
        spec["settings"] = json!(settings);
    }
    // A user has no states: it is there or not.
    let mut observed = Observed::new(
        &user.name,
        Phase::Ready,
        Outputs {
            name: user.name.clone(),
            role: user.role,
        },
    );
    observed.name = Some(user.name);
    observed.spec = Some(spec);
    observed.secret("password", user.password.as_deref());
    observed
}

fn observed(user: Found, call: &Call<'_, Spec>, memo: Memo) -> Observed<Outputs> {
    let shown = shown(&user);
    let mut observed = bare(user);
    let wanted_settings = &call.spec().settings;
    let is_applied =
        wanted_settings.is_none() || memo.settings == wanted(call) || shown == *wanted_settings;
    if !is_applied {
        observed.pending = vec!["settings".to_owned()];
    }
    observed.memo = Some(json!(memo));
    observed
}
