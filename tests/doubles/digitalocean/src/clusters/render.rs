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
            name => json!([name]),
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
            object.insert("connection".into(), self.connection("", config));
            object.insert(
                "private_connection".into(),
                self.connection("private-", config),
            );
            if self.num_nodes > 1 {
                object.insert(
                    "standby_connection".into(),
                    self.connection("replica-", config),
                );
                object.insert(
                    "standby_private_connection".into(),
                    self.connection("private-replica-", config),
                );
            }
        }
        object
    }

    fn connection(&self, prefix: &str, config: &Config) -> Value {
        let engine = catalog::engine(&self.engine);
        let host = format!("{prefix}{}-do-user-1908192-0.{HOSTS}", self.name);
        let database = engine.default_database;
        let user = crate::users::PRIMARY;
        let mut object = members(json!({
            "database": database,
            "host": host,
            "port": PORT,
            "user": user,
            "ssl": true,
        }));
        if !config.secrets.hide_credentials {
            let password = self.password();
            let scheme = engine.scheme;
            object.insert("password".into(), password.into());
            object.insert(
                "uri".into(),
                format!("{scheme}://{user}:{password}@{host}:{PORT}/{database}?sslmode=require")
                    .into(),
            );
        }
        Value::Object(object)
    }
}

const HOSTS: &str = "d.db.ondigitalocean.com";
const PORT: u16 = 25060;

/// The members of a literal object.
pub(crate) fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
