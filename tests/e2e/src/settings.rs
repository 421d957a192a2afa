//! What a test changes about its world before it starts.

use std::collections::BTreeMap;

use double_digitalocean::Config;

/// Settings of a world: of its host and of its double. The defaults are quick ones.
pub struct Settings {
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) left_out: Vec<String>,
    /// The double's.
    pub double: Config,
    /// Whether `do` is installed and active from the start.
    pub plugin: bool,
}

impl Settings {
    /// Everything quick: the double finishes in a tenth of a second what takes DigitalOcean minutes,
    /// and the host looks ten times a second at what converges.
    pub(crate) fn quick(canary: &str, token: &str) -> Self {
        let mut double = Config {
            token: token.to_owned(),
            ..Config::default()
        };
        canary.clone_into(&mut double.secrets.password_prefix);
        let times = &mut double.times;
        times.create = 100;
        times.resize = 100;
        times.migrate = 100;
        times.upgrade = 100;
        times.status_lag = 20;
        times.user = 0;
        times.pending = 20;
        times.build = 40;
        times.deploy = 40;
        let mut settings = Self {
            env: BTreeMap::new(),
            left_out: Vec::new(),
            double,
            plugin: true,
        };
        for (name, value) in [
            ("converging", "100"),
            ("steady", "400"),
            ("firstRetry", "25"),
            ("absenceGrace", "200"),
            ("absenceLooks", "2"),
            ("missingGrace", "3000"),
        ] {
            settings.set(&format!("service.reconcile.timing.{name}"), value);
        }
        settings.set("service.reconcile.poll", "50");
        // A killed host leaves leases behind, and nobody waits a minute for them here.
        settings.set("service.reconcile.lease", "1000");
        settings
    }

    /// Sets a setting of the host by its path in `berth.toml`, such as `service.maxPerKind`.
    pub fn set(&mut self, path: &str, value: &str) -> &mut Self {
        self.env.insert(variable(path), value.to_owned());
        self
    }

    /// Leaves a variable out that the host's environment would have.
    pub fn without(&mut self, name: &str) -> &mut Self {
        self.left_out.push(name.to_owned());
        self
    }

    /// Sets a variable of the host's environment.
    pub fn env(&mut self, name: &str, value: &str) -> &mut Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }
}

/// `service.maxPerKind` is `BERTH_SERVICE__MAX_PER_KIND`.
fn variable(path: &str) -> String {
    let mut name = String::from("BERTH_");
    for character in path.chars() {
        match character {
            '.' => name.push_str("__"),
            upper if upper.is_ascii_uppercase() => {
                name.push('_');
                name.push(upper);
            }
            other => name.push(other.to_ascii_uppercase()),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_path_has_its_variable() {
        assert_eq!(
            super::variable("service.maxPerKind"),
            "BERTH_SERVICE__MAX_PER_KIND"
        );
    }
}
