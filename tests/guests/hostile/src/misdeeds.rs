//! What no plugin should do.

use std::hint::black_box;

/// Computes for ever.
pub(crate) fn spin() -> ! {
    let mut n = 0_u64;
    loop {
        n = black_box(n.wrapping_add(1));
    }
}

/// Allocates for ever.
pub(crate) fn allocate() -> ! {
    let mut kept = Vec::new();
    loop {
        kept.push(black_box(vec![1_u8; 1 << 20]));
    }
}

/// Recurses until the stack is full.
pub(crate) fn overflow() {
    black_box(deeper(black_box(1)));
}

#[expect(unconditional_recursion, reason = "that is the misdeed")]
fn deeper(n: u64) -> u64 {
    let frame = black_box([n; 64]);
    black_box(deeper(black_box(n.wrapping_add(frame[0])))).wrapping_add(frame[1])
}

/// Panics.
pub(crate) fn panic(text: &str) -> ! {
    panic!("{text}")
}
