//! What can't be loaded says what it is and what would be right.

use std::sync::Arc;

use berth_runtime::*;

use crate::harness::*;

fn runtime(cache: Option<std::path::PathBuf>) -> Runtime {
    let limits = Limits {
        concurrent_calls: 2,
        component_bytes: 8 << 20,
        ..Limits::default()
    };
    let config = RuntimeConfig {
        guest_threads: 1,
        cache_dir: cache,
        limits,
    };
    Runtime::start(config, ports(&Arc::default())).unwrap()
}

async fn refusal(runtime: &Runtime, bytes: &[u8]) -> String {
    runtime
        .load(bytes)
        .await
        .map(|generation| generation.digest().clone())
        .unwrap_err()
        .to_string()
}

#[tokio::test]
async fn what_is_no_component_is_told_apart() {
    let runtime = runtime(None);
    let hostile = component("guest-hostile");
    let texts = [
        ("nothing", Vec::new()),
        ("a web page", b"<!doctype html><html>".to_vec()),
        ("a gzip file", vec![0x1f, 0x8b, 8, 0, 0]),
        ("text", b"(component)".to_vec()),
        ("a core module", wat::parse_str("(module)").unwrap()),
        ("another layer", b"\0asm\x0e\0\x02\0".to_vec()),
        ("the start of one", hostile[..6].to_vec()),
        ("too much", vec![0; (8 << 20) + 1]),
    ];
    let mut refusals = Vec::new();
    for (what, bytes) in texts {
        refusals.push(format!("{what}: {}", refusal(&runtime, &bytes).await));
    }
    insta::assert_snapshot!(refusals.join("\n"), @r"
    nothing: the file is empty; give a WebAssembly component
    a web page: this is no WebAssembly: it starts with 3c 21 64 6f 63 74 79 70, a component with the bytes 00 61 73 6d
    a gzip file: this is no WebAssembly: it starts with 1f 8b 08 00 00, a component with the bytes 00 61 73 6d
    text: this is WebAssembly as text; give the binary form (`wasm-tools parse component.wat -o component.wasm`)
    a core module: this is a core module, not a component; make one of it (`cargo xtask` does for plugins here, elsewhere `wasm-tools component new module.wasm -o component.wasm`)
    another layer: this is WebAssembly of an unknown layer or version (0e 00 02 00); this host takes components (0d 00 01 00)
    the start of one: the component is corrupt or uses what this host does not support: it ends within its first eight bytes
    too much: the component has 8388609 bytes; at most 8388608 are taken (`runtime.limits.componentBytes`)
    ");
}

#[tokio::test]
async fn a_damaged_component_is_corrupt_not_a_crash() {
    let runtime = runtime(None);
    let hostile = component("guest-hostile");
    for length in [9, 100, hostile.len() / 2, hostile.len() - 1] {
        let text = refusal(&runtime, &hostile[..length]).await;
        assert!(
            text.starts_with("the component is corrupt") || text.contains("does not export"),
            "{length}: {text}"
        );
    }
    for at in (8..hostile.len()).step_by(hostile.len() / 7) {
        let mut damaged = hostile.clone();
        damaged[at] ^= 0x55;
        // Whatever it is called, it is an answer.
        let _ = runtime.load(&damaged).await;
    }
}

#[tokio::test]
async fn a_component_of_another_world_reads_what_does_not_fit() {
    let runtime = runtime(None);
    let components = [
        ("(component)"),
        (r#"(component (import "wasi:http/outgoing-handler@0.2.0" (instance)))"#),
        (r#"(component (import "wasi:keyvalue/store@0.2.0" (instance)) (import "wasi:cli/environment@0.3.0" (instance)) (import "wasi:cli/exit@0.2.6" (instance)))"#),
        (r#"(component (import "berth:provider/http@0.9.0" (instance)) (import "acme:tools/shell" (instance)))"#),
        (r#"(component (import "berth:provider/clock@0.1.0" (instance (export "now" (func (result u64))) (export "sleep" (func (param "ms" u64))))))"#),
        (r#"(component (instance $i) (export "berth:provider/adapter@0.1.0" (instance $i)))"#),
        (r#"(component (instance $i) (export "wasi:cli/run@0.2.0" (instance $i)))"#),
    ];
    let mut refusals = Vec::new();
    for text in components {
        refusals.push(refusal(&runtime, &wat::parse_str(text).unwrap()).await);
    }
    insta::assert_snapshot!(refusals.join("\n"));
}

#[tokio::test]
async fn a_kept_component_is_used_and_a_damaged_one_compiled_anew() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let bytes = component("guest-hostile");
    let digest = runtime(Some(cache.clone()))
        .load(&bytes)
        .await
        .unwrap()
        .digest()
        .clone();
    let file = {
        let files: Vec<_> = std::fs::read_dir(&cache)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(files.len(), 1, "one file and no draft");
        files[0].clone()
    };
    assert!(
        file.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with(digest.as_str())
    );
    let sound = std::fs::read(&file).unwrap();
    for at in [0, 40, sound.len() / 2, sound.len() - 1] {
        let mut damaged = sound.clone();
        damaged[at] ^= 1;
        std::fs::write(&file, &damaged).unwrap();
        assert!(runtime(Some(cache.clone())).load(&bytes).await.is_ok());
        assert_ne!(
            std::fs::read(&file).unwrap(),
            damaged,
            "the damaged file was left in place"
        );
    }
    std::fs::write(&file, b"short").unwrap();
    assert!(runtime(Some(cache.clone())).load(&bytes).await.is_ok());
}

#[tokio::test]
async fn a_cache_that_can_not_be_written_keeps_nobody_from_work() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in-the-way");
    std::fs::write(&file, b"").unwrap();
    assert!(
        runtime(Some(file.join("cache")))
            .load(&component("guest-hostile"))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_loaded_generation_tells_its_kinds() {
    let generation = runtime(None)
        .load(&component("guest-hostile"))
        .await
        .unwrap();
    assert_eq!(generation.manifest().provider, "hostile");
    assert!(generation.schema("hostile.db").is_some() && generation.kind("hostile.none").is_none());
    assert!(generation.is_id("hostile.db", "own-id") && !generation.is_id("hostile.db", "Own/Id"));
}
