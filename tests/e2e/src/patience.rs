//! Waiting without a clock: so many looks, a short pause between them.

use std::future::Future;
use std::time::Duration;

/// How long between two looks.
const PAUSE: Duration = Duration::from_millis(25);

/// How many looks until a test gives up: about half a minute on an idle machine.
pub const LOOKS: u32 = 1_200;

/// Pauses as long as between two looks.
pub async fn pause() {
    tokio::time::sleep(PAUSE).await;
}

/// Looks until there is something to see, and panics with `what` if there never is.
pub async fn eventually<T, F>(what: &str, mut look: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    for _ in 0..LOOKS {
        if let Some(seen) = look().await {
            return seen;
        }
        pause().await;
    }
    panic!("waited in vain until {what}");
}
