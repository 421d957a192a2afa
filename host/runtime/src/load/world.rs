//! Compares a component's world with the one that this host offers, function by function, so that an
//! author reads which import isn't offered instead of a linker's internals.

use std::fmt;

use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

/// Interfaces that the host offers, and their functions.
const OFFERED: [(&str, &[&str]); 5] = [
    ("berth:provider/types@0.1.0", &[]),
    ("berth:provider/http@0.1.0", &["send"]),
    ("berth:provider/log@0.1.0", &["write"]),
    ("berth:provider/clock@0.1.0", &["now"]),
    ("berth:provider/random@0.1.0", &["bytes"]),
];

/// Packages of WASI 0.2 that are linked, with nothing granted.
const WASI: [&str; 6] = [
    "wasi:cli/",
    "wasi:clocks/",
    "wasi:filesystem/",
    "wasi:io/",
    "wasi:random/",
    "wasi:sockets/",
];

/// The interface that a plugin exports.
const ADAPTER: &str = "berth:provider/adapter@0.1.0";
const FUNCTIONS: [&str; 13] = [
    "describe",
    "check",
    "find",
    "observe",
    "create",
    "update",
    "delete",
    "list",
    "label",
    "unlabel",
    "catalog",
    "signals",
    "upgrade-spec",
];

/// A part of a component's world that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldFault(String);

impl fmt::Display for WorldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl WorldFault {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Whether a component imports anything of WASI.
pub(crate) fn wants_wasi(component: &Component, engine: &Engine) -> bool {
    component
        .component_type()
        .imports(engine)
        .any(|(name, _)| name.starts_with("wasi:"))
}

/// Every import that is not offered and every export that is missing.
pub(crate) fn check(component: &Component, engine: &Engine) -> Vec<WorldFault> {
    let world = component.component_type();
    let mut faults = Vec::new();
    for (name, item) in world.imports(engine) {
        import(name, &item.ty, engine, &mut faults);
    }
    match world.get_export(engine, ADAPTER).map(|item| item.ty) {
        Some(ComponentItem::ComponentInstance(instance)) => {
            let missing: Vec<String> = FUNCTIONS
                .iter()
                .filter(|function| {
                    !matches!(
                        instance.get_export(engine, function).map(|item| item.ty),
                        Some(ComponentItem::ComponentFunc(_))
                    )
                })
                .map(|function| format!("`{function}`"))
                .collect();
            if !missing.is_empty() {
                faults.push(WorldFault(format!(
                    "exports `{ADAPTER}` without {}",
                    missing.join(", ")
                )));
            }
        }
        _ => {
            let exports: Vec<String> = world
                .exports(engine)
                .map(|(name, _)| format!("`{name}`"))
                .take(10)
                .collect();
            let exports = if exports.is_empty() {
                "nothing".to_owned()
            } else {
                exports.join(", ")
            };
            faults.push(WorldFault(format!("does not export `{ADAPTER}`, but {exports}; build it for the world `provider` of `wit/provider-0.1.0`")));
        }
    }
    faults
}

fn import(name: &str, item: &ComponentItem, engine: &Engine, faults: &mut Vec<WorldFault>) {
    if WASI.iter().any(|package| name.starts_with(package)) {
        if !name.contains("@0.2.") {
            faults.push(WorldFault(format!(
                "imports `{name}`; this host offers WASI 0.2"
            )));
        }
        return;
    }
    let Some((_, functions)) = OFFERED.iter().find(|(offered, _)| *offered == name) else {
        faults.push(WorldFault(not_offered(name)));
        return;
    };
    let ComponentItem::ComponentInstance(instance) = item else {
        faults.push(WorldFault(format!(
            "imports `{name}`, but not as an interface"
        )));
        return;
    };
    for (function, item) in instance.exports(engine) {
        if matches!(item.ty, ComponentItem::ComponentFunc(_)) && !functions.contains(&function) {
            faults.push(WorldFault(format!(
                "imports `{name}` with `{function}`, which that interface does not have; it has {}",
                list(functions)
            )));
        }
    }
}

fn not_offered(name: &str) -> String {
    if name.starts_with("wasi:http/") {
        return format!(
            "imports `{name}`, which is not offered: requests go out through `berth:provider/http@0.1.0` alone"
        );
    }
    if name.starts_with("wasi:") {
        return format!(
            "imports `{name}`, which is not offered; of WASI 0.2 there are cli, clocks, filesystem, io, random and sockets, with nothing granted"
        );
    }
    let offered: Vec<&str> = OFFERED.iter().map(|(name, _)| *name).collect();
    if name.starts_with("berth:provider/") {
        return format!(
            "imports `{name}`, which is of another version; this host offers {}",
            list(&offered)
        );
    }
    format!(
        "imports `{name}`, which is not offered; this host offers {}, and WASI 0.2 with nothing granted",
        list(&offered)
    )
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    }
}
