//! What the tasks build, and where it then is.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cargo::{cargo, metadata, say, succeed, workspace_root};
use crate::components::{self, Component};

/// The component that `dev` and `bench` load.
pub const FIRST_PARTY: [Component; 1] = [components::DO];

/// Every component that a test loads: the plugin, its next version, and the guests.
pub const FOR_TESTS: [Component; 5] = [
    components::DO,
    components::DO_NEXT,
    Component {
        package: "guest-hostile",
        features: &[],
        out: "guest-hostile",
    },
    Component {
        package: "guest-hostile",
        features: &["held"],
        out: "guest-held",
    },
    Component {
        package: "guest-yard",
        features: &[],
        out: "guest-yard",
    },
];

/// Features that only tests build the host with, where its package has them: crash points.
const TEST_FEATURES: [(&str, &str); 1] = [("berth", "failpoints")];

/// What is built into the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// What a person runs: the host and the double alone.
    Run {
        /// Optimised.
        release: bool,
    },
    /// Every binary and every test, with the test features, in one go, so that the tests' runner
    /// and clippy find the same crates with the same features and build none a second time.
    Test,
}

/// Programs and components that are ready to run.
#[derive(Debug, Clone)]
pub struct Built {
    programs: PathBuf,
    components: PathBuf,
}

impl Built {
    /// Builds components and programs.
    pub fn make(purpose: Purpose, components: &[Component]) -> anyhow::Result<Self> {
        let root = workspace_root();
        crate::components::build(&root, components)?;
        let target = PathBuf::from(metadata()?.target_directory);
        let profile = match purpose {
            Purpose::Run { release: true } => "release",
            Purpose::Run { release: false } | Purpose::Test => "debug",
        };
        let mut build = cargo();
        build.arg("build");
        match purpose {
            Purpose::Run { release } => {
                say("building the host and the DigitalOcean double");
                build.args([
                    "--package",
                    "berth",
                    "--package",
                    "double-digitalocean",
                    "--bins",
                ]);
                if release {
                    build.arg("--release");
                }
            }
            Purpose::Test => {
                say("building every program and test");
                build.args(["--workspace", "--bins", "--tests"]);
                build.args(test_features()?);
            }
        }
        succeed(&mut build)?;
        let built = target.join(profile);
        let programs = match purpose {
            Purpose::Run { .. } => built,
            Purpose::Test => set_aside(&built, &target.join("for-tests"))?,
        };
        Ok(Self {
            programs,
            components: root.join("target/components"),
        })
    }

    /// A program of the workspace.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs
            .join(name)
            .with_extension(std::env::consts::EXE_EXTENSION)
    }

    /// The folder of the `.wasm` files.
    pub fn components(&self) -> &Path {
        &self.components
    }

    /// Where tests and benches find what was built: `BERTH_COMPONENTS` (a folder), `BERTH_BIN` and
    /// `DOUBLE_BIN` (files), all absolute.
    pub fn environment(&self) -> [(&'static str, PathBuf); 3] {
        [
            ("BERTH_COMPONENTS", self.components.clone()),
            ("BERTH_BIN", self.program("berth")),
            ("DOUBLE_BIN", self.program("double-digitalocean")),
        ]
    }
}

/// Programs that tests run.
const TEST_PROGRAMS: [&str; 3] = ["berth", "double-digitalocean", "contract"];

/// Keeps the programs of a test run where no other build replaces them: `dev`, beside it, builds a host
/// without the test features into the same place.
fn set_aside(built: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
    for name in TEST_PROGRAMS {
        let name = Path::new(name).with_extension(std::env::consts::EXE_EXTENSION);
        let (from, to) = (built.join(&name), folder.join(&name));
        let unfinished = folder.join(format!("{}.{}", name.display(), std::process::id()));
        fs::copy(&from, &unfinished)
            .and_then(|_| fs::rename(&unfinished, &to))
            .with_context(|| format!("can't copy {} to {}", from.display(), to.display()))?;
    }
    Ok(folder.to_path_buf())
}

/// `--features …` for those test features that the packages have, else nothing.
pub fn test_features() -> anyhow::Result<Vec<String>> {
    let metadata = metadata()?;
    let known: Vec<String> = TEST_FEATURES
        .iter()
        .filter(|(package, feature)| {
            metadata
                .packages
                .iter()
                .any(|p| p.name.as_str() == *package && p.features.contains_key(*feature))
        })
        .map(|(package, feature)| format!("{package}/{feature}"))
        .collect();
    Ok(if known.is_empty() {
        Vec::new()
    } else {
        vec!["--features".to_owned(), known.join(",")]
    })
}
