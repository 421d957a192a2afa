//! Which package may depend on which: `berth -> api -> service -> {store, runtime, vault, policy}
//! -> domain`, plugins on the sdk alone, and a pure core.

use std::fmt;
use std::fs;
use std::path::Path;

use cargo_metadata::{Dependency, DependencyKind, Metadata, Package};

/// What each package of the host may use of ours. A package that is not here may use nothing of ours.
const HOST: [(&str, &[&str]); 9] = [
    (
        "berth",
        &[
            "berth-api",
            "berth-service",
            "berth-store",
            "berth-runtime",
            "berth-vault",
            "berth-policy",
            "berth-domain",
        ],
    ),
    ("berth-api", &["berth-service", "berth-domain"]),
    (
        "berth-service",
        &[
            "berth-store",
            "berth-runtime",
            "berth-vault",
            "berth-policy",
            "berth-domain",
        ],
    ),
    ("berth-store", &["berth-domain"]),
    ("berth-runtime", &["berth-domain"]),
    ("berth-vault", &["berth-domain"]),
    ("berth-policy", &["berth-domain"]),
    ("berth-domain", &[]),
    ("xtask", &[]),
];

/// Packages that can't do anything but compute.
const PURE: [&str; 2] = ["berth-domain", "berth-policy"];
/// What would let them.
const IMPURE: [&str; 8] = [
    "tokio",
    "sqlx",
    "axum",
    "wasmtime",
    "reqwest",
    "hyper",
    "getrandom",
    "ureq",
];

/// The part of the house that a package stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Host,
    Sdk,
    Plugins,
    Tests,
}

impl Place {
    fn of(folder: &str) -> Option<Self> {
        match folder.split('/').next()? {
            "host" => Some(Self::Host),
            "sdk" => Some(Self::Sdk),
            "plugins" => Some(Self::Plugins),
            "tests" => Some(Self::Tests),
            _ => None,
        }
    }
}

/// Something of a package's manifest that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    package: String,
    what: String,
    rule: &'static str,
    mend: &'static str,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            package,
            what,
            rule,
            mend,
        } = self;
        write!(f, "error: {package} {what}\n  rule: {rule}\n  mend: {mend}")
    }
}

/// Checks every package of the workspace.
pub fn check(metadata: &Metadata) -> Vec<Wrong> {
    let root = metadata.workspace_root.as_std_path();
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let folder = folder(package, root);
        for dependency in &package.dependencies {
            let target = dependency
                .path
                .as_ref()
                .map(|path| relative(path.as_std_path(), root));
            let edge = Edge {
                name: &package.name,
                place: Place::of(&folder),
                dependency,
                target: target.as_deref().and_then(Place::of),
                is_ours: target.is_some(),
            };
            wrong.extend(edge.wrong());
        }
        wrong.extend(not_inherited(package));
    }
    wrong
}

fn folder(package: &Package, root: &Path) -> String {
    let manifest = package.manifest_path.as_std_path();
    relative(manifest.parent().unwrap_or(manifest), root)
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// One line of a manifest's dependencies.
struct Edge<'a> {
    name: &'a str,
    place: Option<Place>,
    dependency: &'a Dependency,
    /// Where the package stands that it depends on, if it is ours.
    target: Option<Place>,
    is_ours: bool,
}

impl Edge<'_> {
    fn wrong(&self) -> Option<Wrong> {
        if self.is_ours {
            self.wrong_of_ours()
        } else {
            self.impure()
        }
    }

    fn wrong_of_ours(&self) -> Option<Wrong> {
        let for_tests_only = self.dependency.kind == DependencyKind::Development;
        let to = self.dependency.name.as_str();
        match (self.place, self.target) {
            (None, _) | (_, None) => self.says(
                "packages stand under host/, sdk/, plugins/ or tests/",
                "move the package there, or teach host/xtask/src/arrows.rs the new place",
            ),
            (Some(Place::Host), Some(Place::Plugins))
            | (Some(Place::Plugins), Some(Place::Host)) => self.says(
                "host and plugins know nothing of each other, not even in tests",
                "let both use wit/, or move the test to tests/",
            ),
            (Some(Place::Tests), _) => None,
            (Some(_), Some(Place::Tests)) if !for_tests_only => self.says(
                "nothing but tests depends on tests/",
                "make it a dev-dependency, or move the code out of tests/",
            ),
            (Some(_), _) if for_tests_only => None,
            (Some(Place::Host), Some(_)) => {
                let allowed = HOST.iter().find(|(name, _)| *name == self.name);
                let allowed = allowed.map_or(&[][..], |(_, allowed)| *allowed);
                if allowed.contains(&to) {
                    return None;
                }
                self.says(
                    "berth -> api -> service -> {store, runtime, vault, policy} -> domain; xtask uses none of them",
                    "move the code to the layer that may use it, or define a port below and implement it above",
                )
            }
            (Some(Place::Sdk), Some(Place::Sdk)) => None,
            (Some(Place::Sdk), Some(_)) => self.says(
                "the sdk uses nothing of ours: authors take it alone",
                "move what both need into sdk/",
            ),
            (Some(Place::Plugins), Some(Place::Sdk)) => None,
            (Some(Place::Plugins), Some(_)) => self.says(
                "a plugin uses the sdk and nothing else of ours",
                "move what plugins share into sdk/",
            ),
        }
    }

    fn impure(&self) -> Option<Wrong> {
        let harmless = self.dependency.kind == DependencyKind::Development
            || !PURE.contains(&self.name)
            || !IMPURE.contains(&self.dependency.name.as_str());
        if harmless {
            return None;
        }
        self.says(
            "domain and policy are pure: no I/O, no clock, no randomness",
            "take what it gives as an argument, and call it in service or runtime",
        )
    }

    fn says(&self, rule: &'static str, mend: &'static str) -> Option<Wrong> {
        Some(Wrong {
            package: self.name.to_owned(),
            what: format!("must not depend on {}", self.dependency.name),
            rule,
            mend,
        })
    }
}

/// Licence and lints come from the workspace, so that no package drifts away.
fn not_inherited(package: &Package) -> Vec<Wrong> {
    let manifest = fs::read_to_string(&package.manifest_path).unwrap_or_default();
    let lines: Vec<&str> = manifest.lines().map(str::trim).collect();
    let lints = lines
        .windows(2)
        .any(|pair| pair == ["[lints]", "workspace = true"]);
    let license = lines.contains(&"license.workspace = true");
    let lacks = |what: &str, mend: &'static str| Wrong {
        package: package.name.to_string(),
        what: format!("does not inherit the workspace's {what}"),
        rule: "one licence and one set of lints hold for every package",
        mend,
    };
    let mut wrong = Vec::new();
    if !lints {
        wrong.push(lacks("lints", "add `[lints]` with `workspace = true`"));
    }
    if !license {
        wrong.push(lacks("licence", "write `license.workspace = true`"));
    }
    wrong
}
