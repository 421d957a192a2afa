//! Builds provider plugins: a Rust package in, a WebAssembly component out.
//!
//! A package is compiled for `wasm32-unknown-unknown`, so its core module knows nothing of WASI, and
//! is then wrapped into a component of the world that `wit-bindgen` wrote into it. What is missing on
//! the machine to compile for that target is looked for, fetched, or asked for, in that order.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "component";
/// Where Debian's packages put a compiler that comes with the source of its standard library.
const SYSTEM_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
/// How long rustup may take to fetch a standard library before the next way is tried.
const RUSTUP_PATIENCE: Duration = Duration::from_secs(180);

/// A component to build.
#[derive(Debug, Clone, Copy)]
pub struct Component {
    /// Cargo package, a `cdylib`.
    pub package: &'static str,
    /// Cargo features of it to turn on.
    pub features: &'static [&'static str],
    /// Name of the file under `target/components`, without `.wasm`.
    pub out: &'static str,
}

/// The DigitalOcean plugin.
pub const DO: Component = Component {
    package: "plugin-do",
    features: &[],
    out: "do",
};

/// The same plugin as its own next version: a higher version number and one more output. What hot
/// loading is tested with.
pub const DO_NEXT: Component = Component {
    package: "plugin-do",
    features: &["next"],
    out: "do-next",
};

/// Builds the components and returns their files, in order: `target/components/<out>.wasm`.
///
/// A file is replaced by rename and only when its content changed, so a watching host sees whole
/// files, and a second call with nothing to do leaves them alone.
pub fn build(workspace_root: &Path, packages: &[Component]) -> anyhow::Result<Vec<PathBuf>> {
    let wasm_target_dir = workspace_root.join("target/wasm");
    fs::create_dir_all(&wasm_target_dir)
        .with_context(|| format!("can't create {}", wasm_target_dir.display()))?;
    let compiler = Compiler::find(&wasm_target_dir)?;
    packages
        .iter()
        .map(|component| {
            let module = compile(workspace_root, &wasm_target_dir, &compiler, component)?;
            wrap(workspace_root, component, &module)
        })
        .collect()
}

// ------------------------------------------------------------------ compiling

/// A way to compile for the target.
#[derive(Debug)]
enum Compiler {
    /// The active toolchain has the target's standard library.
    Active,
    /// A compiler of the system that has its own standard library's source, which cargo builds along.
    System { rustc: PathBuf, linker: PathBuf },
}

impl Compiler {
    /// The first way that works on this machine. Says on stderr what it does to get there.
    fn find(wasm_target_dir: &Path) -> anyhow::Result<Self> {
        if active_toolchain_has_target() {
            return Ok(Self::Active);
        }
        // Set once the system's compiler was needed, so that a machine without a way to
        // rustup's server does not wait for it before every build.
        let settled_on_system = wasm_target_dir.join(".system-rustc");
        if settled_on_system.exists()
            && let Some(system) = Self::system()
        {
            return Ok(system);
        }
        say(&format!(
            "the active Rust toolchain can't compile for {TARGET}: trying `rustup target add {TARGET}`"
        ));
        if rustup_adds_target() && active_toolchain_has_target() {
            return Ok(Self::Active);
        }
        let system = match Self::system() {
            Some(system) => system,
            None if debian_installs_compiler() => {
                Self::system().context(format!("installed {DEBIAN_PACKAGES:?}, but {SYSTEM_RUSTC} is not there or comes without source"))?
            }
            None => bail!(
                "nothing here can compile for {TARGET}. Do one of these and run the command again:\n  \
                 rustup target add {TARGET}\n  \
                 sudo apt-get install --no-install-recommends {}   # Debian: a compiler with the source of its standard library",
                DEBIAN_PACKAGES.join(" ")
            ),
        };
        fs::write(&settled_on_system, "")
            .with_context(|| format!("can't write {}", settled_on_system.display()))?;
        Ok(system)
    }

    fn system() -> Option<Self> {
        let rustc = PathBuf::from(SYSTEM_RUSTC);
        let sysroot = output(Command::new(&rustc).args(["--print", "sysroot"]))?;
        Path::new(&sysroot)
            .join("lib/rustlib/src/rust/library/std/Cargo.toml")
            .is_file()
            .then_some(())?;
        let linker = rust_lld().unwrap_or_else(|| PathBuf::from("wasm-ld"));
        say(&format!(
            "compiling for {TARGET} with {SYSTEM_RUSTC} and its own standard library, linking with {}",
            linker.display()
        ));
        Some(Self::System { rustc, linker })
    }

    fn apply(&self, cargo: &mut Command) {
        // Flags and wrappers meant for the host (coverage, `-C target-cpu`) would break the guest.
        for inherited in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
            cargo.env_remove(inherited);
        }
        if let Self::System { rustc, linker } = self {
            cargo
                .env("RUSTC", rustc)
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
                .arg("-Zbuild-std=std,panic_abort");
        }
    }
}

fn active_toolchain_has_target() -> bool {
    let libraries =
        output(Command::new(rustc()).args(["--print", "target-libdir", "--target", TARGET]));
    let Some(entries) = libraries.and_then(|directory| fs::read_dir(directory).ok()) else {
        return false;
    };
    entries
        .filter_map(Result::ok)
        .any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
}

/// Whether `rustup target add` went through. Bounded, as a network that swallows packets is no error to it.
fn rustup_adds_target() -> bool {
    let Ok(mut rustup) = Command::new("rustup")
        .args(["target", "add", TARGET])
        .stdin(Stdio::null())
        .spawn()
    else {
        say("there is no rustup");
        return false;
    };
    let step = Duration::from_millis(200);
    let mut waited = Duration::ZERO;
    while waited < RUSTUP_PATIENCE {
        match rustup.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(step),
            Err(_) => return false,
        }
        waited += step;
    }
    say(&format!(
        "rustup is still not done after {RUSTUP_PATIENCE:?}: stopping it"
    ));
    // Whether it can still be stopped changes nothing for us.
    let _ = rustup.kill();
    let _ = rustup.wait();
    false
}

fn debian_installs_compiler() -> bool {
    let is_root = output(Command::new("id").arg("-u")).is_some_and(|uid| uid == "0");
    if !is_root || !Path::new("/etc/debian_version").exists() {
        return false;
    }
    say(&format!(
        "installing {} with apt-get",
        DEBIAN_PACKAGES.join(" and ")
    ));
    let apt = |arguments: &[&str]| {
        Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            // stdout is for what the caller prints.
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(DEBIAN_PACKAGES);
    // Old package lists are no reason to give up before the install itself fails.
    apt(&["update"]);
    apt(&install)
}

/// The linker that rustup ships inside its toolchains.
fn rust_lld() -> Option<PathBuf> {
    let sysroot = PathBuf::from(output(Command::new(rustc()).args(["--print", "sysroot"]))?);
    let host = output(Command::new(rustc()).args(["--print", "host-tuple"]))?;
    let linker = sysroot.join("lib/rustlib").join(host).join("bin/rust-lld");
    linker.is_file().then_some(linker)
}

/// Compiles the package and returns the core module that cargo reports for it.
fn compile(
    workspace_root: &Path,
    wasm_target_dir: &Path,
    compiler: &Compiler,
    component: &Component,
) -> anyhow::Result<Vec<u8>> {
    // A cdylib's file has the same name whatever its features are, so each set has its own place.
    let target_dir = if component.features.is_empty() {
        wasm_target_dir.to_owned()
    } else {
        wasm_target_dir
            .join("with")
            .join(component.features.join("+"))
    };
    say(&format!(
        "compiling {} to {}.wasm",
        component.package, component.out
    ));
    let mut cargo =
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo
        .current_dir(workspace_root)
        .args(["build", "--quiet", "--profile", PROFILE, "--target", TARGET])
        .args(["--package", component.package, "--lib"])
        .args(["--message-format", "json-render-diagnostics"])
        .arg("--target-dir")
        .arg(&target_dir)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    if !component.features.is_empty() {
        cargo.args(["--features", &component.features.join(",")]);
    }
    compiler.apply(&mut cargo);
    let built = cargo.output().context("can't run cargo")?;
    ensure!(
        built.status.success(),
        "{} does not compile for {TARGET}: see the errors above",
        component.package
    );
    let path = module_path(&built.stdout, component.package).with_context(|| {
        format!(
            "{} made no .wasm file: its library needs `crate-type = [\"cdylib\", \"rlib\"]`",
            component.package
        )
    })?;
    fs::read(&path).with_context(|| format!("can't read {}", path.display()))
}

/// The `.wasm` among the artifacts that cargo reports for the package.
fn module_path(cargo_messages: &[u8], package: &str) -> Option<PathBuf> {
    let library = package.replace('-', "_");
    cargo_metadata::Message::parse_stream(cargo_messages)
        .filter_map(Result::ok)
        .filter_map(|message| match message {
            cargo_metadata::Message::CompilerArtifact(artifact) => Some(artifact),
            _ => None,
        })
        .filter(|artifact| artifact.target.name == library || artifact.target.name == package)
        .flat_map(|artifact| artifact.filenames)
        .map(PathBuf::from)
        .find(|file| file.extension() == Some(OsStr::new("wasm")))
}

// ------------------------------------------------------------------- wrapping

/// Turns the core module into a component and writes it if it differs from what is there.
fn wrap(workspace_root: &Path, component: &Component, module: &[u8]) -> anyhow::Result<PathBuf> {
    let bytes = wit_component::ComponentEncoder::default()
        .module(module)
        .and_then(|encoder| encoder.validate(true).encode())
        .with_context(|| {
            format!(
                "{} is no component: does it call berth_sdk::export!?",
                component.package
            )
        })?;
    refuse_wasi(&bytes, component)?;
    let directory = workspace_root.join("target/components");
    fs::create_dir_all(&directory)
        .with_context(|| format!("can't create {}", directory.display()))?;
    let file = directory.join(component.out).with_extension("wasm");
    if fs::read(&file).is_ok_and(|present| present == bytes) {
        return Ok(file);
    }
    replace(&file, &bytes).with_context(|| format!("can't write {}", file.display()))?;
    say(&format!(
        "wrote {} ({} KiB)",
        file.display(),
        bytes.len() / 1024
    ));
    Ok(file)
}

/// First-party plugins import what the host grants and nothing else: a WASI import means that a
/// dependency reached for files, clocks or randomness of its own.
fn refuse_wasi(bytes: &[u8], component: &Component) -> anyhow::Result<()> {
    let decoded =
        wit_component::decode(bytes).context("the component just made can't be read back")?;
    let resolve = decoded.resolve();
    let foreign: Vec<String> = resolve
        .packages
        .iter()
        .map(|(_, package)| package.name.to_string())
        .filter(|name| name.starts_with("wasi:"))
        .collect();
    ensure!(
        foreign.is_empty(),
        "{} imports {}: a dependency uses the system, build it without",
        component.package,
        foreign.join(", ")
    );
    Ok(())
}

fn replace(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let unfinished = file.with_extension(format!("wasm.{}", std::process::id()));
    let mut writer = fs::File::create(&unfinished)?;
    writer.write_all(bytes)?;
    writer.sync_all()?;
    fs::rename(&unfinished, file)?;
    Ok(())
}

// --------------------------------------------------------------------- asking

fn rustc() -> OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"))
}

/// What a command prints, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let done = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    done.status.success().then_some(())?;
    Some(String::from_utf8(done.stdout).ok()?.trim().to_owned())
}

#[expect(
    clippy::print_stderr,
    reason = "a build tool tells the person at the terminal what it does"
)]
fn say(line: &str) {
    eprintln!("components: {line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_the_packages_own_and_no_dependencys() {
        let artifact = |name: &str, file: &str| {
            serde_json::json!({
                "reason": "compiler-artifact", "package_id": name, "manifest_path": "/w/Cargo.toml",
                "target": {"kind": ["cdylib"], "crate_types": ["cdylib"], "name": name, "src_path": "/w/lib.rs"},
                "profile": {"opt_level": "s", "debug_assertions": false, "overflow_checks": false, "test": false},
                "features": [], "filenames": [format!("{file}.rlib"), format!("{file}.wasm")], "executable": null, "fresh": true
            })
        };
        let messages = format!(
            "{}\nnot json\n{}\n",
            artifact("dependency", "/t/a"),
            artifact("plugin_do", "/t/b")
        );
        assert_eq!(
            module_path(messages.as_bytes(), "plugin-do"),
            Some(PathBuf::from("/t/b.wasm"))
        );
        assert_eq!(module_path(messages.as_bytes(), "absent"), None);
    }

    #[test]
    fn a_text_is_no_component_and_leaves_no_file() {
        let root = std::env::temp_dir().join(format!("berth-no-component-{}", std::process::id()));
        let component = Component {
            package: "p",
            features: &[],
            out: "p",
        };
        let refused = wrap(&root, &component, b"<html>").unwrap_err();
        assert!(refused.to_string().contains("berth_sdk::export!"));
        assert!(!root.exists());
    }
}
