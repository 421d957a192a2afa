//! How the API shows where a database is reached, and with which secrets.

use berth_sdk::Observed;
use berth_sdk::manifest::outputs;
use berth_sdk::types::Output;
use serde::Deserialize;

/// Where an object shows secrets of its connections, below the object.
pub(crate) const SECRETS: [&str; 8] = [
    "connection/password",
    "connection/uri",
    "private_connection/password",
    "private_connection/uri",
    "standby_connection/password",
    "standby_connection/uri",
    "standby_private_connection/password",
    "standby_private_connection/uri",
];

/// One way to reach a database.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Connection {
    pub(crate) uri: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u64>,
    pub(crate) database: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) ssl: Option<bool>,
}

impl Connection {
    /// The URI, if it holds the password: without the scope to see it the API shows one without.
    pub(crate) fn uri_with_password(&self) -> Option<&str> {
        self.password
            .as_deref()
            .filter(|password| !password.is_empty())?;
        self.uri.as_deref()
    }
}

/// The ways to reach a database. Those that it does not have are absent or empty.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Connections {
    pub(crate) connection: Option<Connection>,
    pub(crate) private_connection: Option<Connection>,
    pub(crate) standby_connection: Option<Connection>,
    pub(crate) standby_private_connection: Option<Connection>,
}

impl Connections {
    /// The secret outputs that [`Connections::reveal`] gives, for whoever may connect.
    pub(crate) fn secret_outputs() -> Vec<Output> {
        outputs(&[
            ("password", "Password of the user"),
            ("uri", "Connection URI with the password"),
            ("private_uri", "Connection URI inside the VPC"),
            ("standby_uri", "Connection URI of the standby nodes"),
            (
                "standby_private_uri",
                "Connection URI of the standby nodes inside the VPC",
            ),
        ])
    }

    /// Gives the observation the secrets that the API showed.
    pub(crate) fn reveal<O>(&self, observed: &mut Observed<O>) {
        let password = self
            .connection
            .as_ref()
            .and_then(|connection| connection.password.as_deref());
        observed.secret("password", password);
        for (name, connection) in [
            ("uri", &self.connection),
            ("private_uri", &self.private_connection),
            ("standby_uri", &self.standby_connection),
            ("standby_private_uri", &self.standby_private_connection),
        ] {
            observed.secret(
                name,
                connection.as_ref().and_then(Connection::uri_with_password),
            );
        }
    }

    /// A text of the main connection, `None` if it is absent or empty.
    pub(crate) fn of_main(&self, text: fn(&Connection) -> &Option<String>) -> Option<String> {
        present(text(self.connection.as_ref()?).clone())
    }
}

/// Host and port of a connection, as far as it shows them.
pub(crate) fn endpoint(connection: Option<&Connection>) -> (Option<String>, Option<u64>) {
    connection.map_or((None, None), |connection| {
        (present(connection.host.clone()), connection.port)
    })
}

/// The API leaves out what is not there yet, or sends it empty.
pub(crate) fn present(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// The pointers below one place of an answer.
pub(crate) fn below(place: &str, pointers: &[&str]) -> Vec<String> {
    pointers
        .iter()
        .map(|pointer| format!("{place}/{pointer}"))
        .collect()
}

/// Texts as the manifest's builders take them.
pub(crate) fn slices(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
