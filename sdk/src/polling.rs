//! When to look again.

/// Milliseconds until the next look at something that converges: 5 s in its first minute, then 15 s.
/// `since` is when it was asked for. The host takes it as an upper bound of its own wait.
pub fn after(since: u64, now: u64) -> u64 {
    const FIRST: u64 = 60_000;
    if now.saturating_sub(since) < FIRST {
        5_000
    } else {
        15_000
    }
}
