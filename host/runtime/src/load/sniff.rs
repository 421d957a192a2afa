//! Tells a component from what is mistaken for one, before a compiler sees it.

use super::LoadError;

const MAGIC: &[u8] = b"\0asm";
const MODULE: [u8; 4] = [1, 0, 0, 0];
const COMPONENT: [u8; 4] = [0x0d, 0, 1, 0];

pub(crate) fn sniff(bytes: &[u8]) -> Result<(), LoadError> {
    if bytes.is_empty() {
        return Err(LoadError::Empty);
    }
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let text = bytes.trim_ascii_start();
        let is_text = text.starts_with(b"(component")
            || text.starts_with(b"(module")
            || text.starts_with(b";;");
        return Err(if is_text {
            LoadError::Text
        } else {
            LoadError::NotWasm { start: hex(bytes) }
        });
    };
    match rest.first_chunk::<4>() {
        Some(&COMPONENT) => Ok(()),
        Some(&MODULE) => Err(LoadError::CoreModule),
        Some(other) => Err(LoadError::UnknownLayer(hex(other))),
        None => Err(LoadError::Corrupt(
            "it ends within its first eight bytes".to_owned(),
        )),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .join(" ")
}
