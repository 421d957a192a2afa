//! Objects made by someone else than the client.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::clusters::create::NewCluster;
use crate::clusters::record::Origin;
use crate::controls::{Controls, Refused};
use crate::error::ApiError;
use crate::hiding::Hiding;
use crate::users::User;

/// A cluster that someone else made. It is online at once.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedCluster {
    /// Its name.
    pub name: String,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Its engine.
    #[serde(default = "engine")]
    pub engine: String,
    /// Its size.
    #[serde(default = "size")]
    pub size: String,
    /// Its nodes.
    #[serde(default = "num_nodes")]
    pub num_nodes: u64,
    /// Its region.
    #[serde(default = "region")]
    pub region: String,
    /// Its version; none: the newest.
    #[serde(default)]
    pub version: Option<String>,
    /// The password of `doadmin`, a canary for instance; none: any.
    #[serde(default)]
    pub password: Option<String>,
    /// The VPC that it is in; none: the default one of its region.
    #[serde(default)]
    pub vpc: Option<String>,
}

fn engine() -> String {
    "pg".into()
}
fn size() -> String {
    "db-s-1vcpu-1gb".into()
}
fn num_nodes() -> u64 {
    1
}
fn region() -> String {
    "nyc3".into()
}

impl PlantedCluster {
    /// A small PostgreSQL cluster.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            tags: Vec::new(),
            engine: engine(),
            size: size(),
            num_nodes: num_nodes(),
            region: region(),
            version: None,
            password: None,
            vpc: None,
        }
    }

    /// Adds a tag.
    #[must_use]
    pub fn tag(mut self, tag: &str) -> Self {
        self.tags.push(tag.to_owned());
        self
    }

    /// Sets the password of `doadmin`.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self
    }
}

/// An app that someone else made. Its first deployment begins now.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedApp {
    /// Its name.
    pub name: String,
    /// Its spec, without the name; none: one small service.
    #[serde(default)]
    pub spec: Option<Value>,
}

impl PlantedApp {
    /// An app with one small service.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            spec: None,
        }
    }
}

impl Controls {
    /// Adds a cluster that someone else made and tells its id.
    ///
    /// # Errors
    /// When the provider would refuse it: its name is taken, its size unknown.
    pub fn plant_cluster(&self, planted: PlantedCluster) -> Result<String, Refused> {
        let wanted = NewCluster {
            name: planted.name,
            engine: planted.engine,
            version: planted.version,
            num_nodes: planted.num_nodes,
            size: planted.size,
            region: planted.region,
            storage_size_mib: None,
            private_network_uuid: planted.vpc,
            project_id: None,
            tags: Some(planted.tags),
            rules: Vec::new(),
            autoscale: None,
            do_settings: None,
            backup_restore: None,
        };
        let mut world = self.shared.world();
        let hiding = Hiding::default();
        Ok(world.add_cluster(wanted, None, hiding, Origin::Planted, planted.password)?)
    }

    /// Adds a user to a cluster; `password` may be a canary.
    ///
    /// # Errors
    /// When there is no such cluster, or such a user is there.
    pub fn plant_user(
        &self,
        cluster: &str,
        name: &str,
        password: Option<&str>,
    ) -> Result<(), Refused> {
        let now = self.shared.clock.now();
        let mut guard = self.shared.world();
        let world = &mut *guard;
        if world.clusters.get(cluster, now)?.users.contains_key(name) {
            return Err(ApiError::conflict(format!("there is a user `{name}`")).into());
        }
        let password = match password {
            Some(password) => password.to_owned(),
            None => world.random.password(&world.config.secrets.password_prefix),
        };
        world.add_user(cluster, User::normal(name.to_owned(), password), now)?;
        Ok(())
    }

    /// Adds an app that someone else made and tells its id.
    ///
    /// # Errors
    /// When the provider would refuse it: its name is taken, its spec wrong.
    pub fn plant_app(&self, planted: PlantedApp) -> Result<String, Refused> {
        let mut spec = planted.spec.unwrap_or_else(|| {
            json!({"services": [{
                "name": "web",
                "image": {"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"},
            }]})
        });
        spec["name"] = planted.name.into();
        crate::body::APP_CREATE.check(&json!({"spec": spec}))?;
        let now = self.shared.clock.now();
        let mut world = self.shared.world();
        Ok(world.add_app(spec, None, Hiding::default(), Origin::Planted, now)?)
    }
}
