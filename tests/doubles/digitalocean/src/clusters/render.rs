//! A cluster as JSON.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::catalog;
use super::record::{Cluster, Status};
use crate::config::Config;
use crate::tags::Tags;
use crate::times::rfc3339;

impl Cluster {
    /// The cluster as the provider shows it, from its cache where nothing changed.
    pub(crate) fn json(&mut self, now: u64, config: &Config, tags: &Tags) -> Arc<str> {
        let status = self.status(now);
        if let Some((shown, text)) = &self.rendered
            && *shown == status
        {
            return Arc::clone(text);
        }
        let text: Arc<str> = Value::Object(self.render(status, config, tags))
            .to_string()
            .into();
        self.rendered = Some((status, Arc::clone(&text)));
        text
    }

    fn render(&self, status: Status, config: &Config, tags: &Tags) -> Map<String, Value> {
        let engine = catalog::engine(&self.engine);
        let users: Vec<Value> = self
            .users
            .values()
            .map(|user| user.json(config, config.visibility.user_settings_in_reads, false))
            .collect();
        let databases = match engine.default_database {
            "" => Value::Null,
            _ => json!(self.dbs),
        };
        let login = Login {
            database: engine.default_database,
            port: PORT,
            user: crate::users::PRIMARY,
            password: self.password(),
        };
        let mut object = members(json!({
            "id": self.id,
            "name": self.name,
            "engine": self.engine,
            "version": self.version,
            "semantic_version": format!("{}.4", self.version),
            "num_nodes": self.num_nodes,
            "size": self.size,
            "region": self.region,
            "status": status.word(),
            "created_at": rfc3339(self.created_at),
            "private_network_uuid": self.private_network_uuid,
            "tags": tags.names(&self.tags),
            "db_names": databases,
            "users": users,
            "maintenance_window": {
                "day": self.maintenance.day,
                "hour": self.maintenance.hour,
                "pending": self.maintenance.pending,
                "description": [],
            },
            "project_id": self.project_id,
            "rules": self.rules,
            "version_end_of_life": "2030-11-08T00:00:00Z",
            "version_end_of_availability": "2030-05-08T00:00:00Z",
            "storage_size_mib": self.storage_size_mib,
            "metrics_endpoints": (1..=self.num_nodes).map(|node| json!({
                "host": format!("{}-{node}.{}", self.name, HOSTS),
                "port": 9273,
            })).collect::<Vec<_>>(),
            "do_settings": self.do_settings,
        }));
        if status != Status::Creating || config.visibility.connection_while_creating {
            object.insert("connection".into(), self.connection("", &login, config));
            object.insert(
                "private_connection".into(),
                self.connection("private-", &login, config),
            );
            if self.num_nodes > 1 {
                object.insert(
                    "standby_connection".into(),
                    self.connection("replica-", &login, config),
                );
                object.insert(
                    "standby_private_connection".into(),
                    self.connection("private-replica-", &login, config),
                );
            }
        }
        object
    }

    /// A connection to one of the cluster's hosts.
    pub(super) fn connection(&self, prefix: &str, login: &Login<'_>, config: &Config) -> Value {
        login.json(
            catalog::engine(&self.engine).scheme,
            prefix,
            &self.name,
            config,
        )
    }
}

/// Who connects, and to what.
pub(super) struct Login<'a> {
    pub(super) database: &'a str,
    pub(super) port: u16,
    pub(super) user: &'a str,
    pub(super) password: &'a str,
}

impl Login<'_> {
    /// The connection as the provider shows it. `name` is that of the cluster or the replica.
    pub(super) fn json(&self, scheme: &str, prefix: &str, name: &str, config: &Config) -> Value {
        let Self {
            database,
            port,
            user,
            password,
        } = self;
        let host = format!("{prefix}{name}-do-user-1908192-0.{HOSTS}");
        let mut object = members(json!({
            "database": database,
            "host": host,
            "port": port,
            "user": user,
            "ssl": true,
        }));
        if !config.secrets.hide_credentials {
            object.insert("password".into(), (*password).into());
            let login = if user.is_empty() {
                String::new()
            } else {
                format!("{user}:{password}@")
            };
            object.insert(
                "uri".into(),
                format!("{scheme}://{login}{host}:{port}/{database}?sslmode=require").into(),
            );
        }
        Value::Object(object)
    }
}

const HOSTS: &str = "d.db.ondigitalocean.com";
pub(super) const PORT: u16 = 25060;

/// The members of a literal object.
pub(crate) fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
