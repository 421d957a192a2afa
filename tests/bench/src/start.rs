//! How quickly a host is there again, and what it holds when nobody calls.

use std::time::Duration;

use crate::Subjects;
use crate::figures::{Figures, percentile};
use crate::host::Host;

const STARTS: usize = 7;

/// Time from exec to ready with a warm compile cache, and resident memory idle with `do` loaded.
pub(crate) async fn measure(subjects: &Subjects, figures: &mut Figures) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let component = subjects.component.to_string_lossy().into_owned();
    let plugins = format!("[{component:?}]");
    let settings = [("BERTH_PLUGINS", plugins.as_str())];
    let cold = Host::start(&subjects.berth, folder.path(), &settings).await?;
    let cold_ms = cold.started_in.as_secs_f64() * 1_000.0;
    cold.stop().await?;
    let mut warm = Vec::new();
    let mut resident = 0.0;
    for _ in 0..STARTS {
        let host = Host::start(&subjects.berth, folder.path(), &settings).await?;
        warm.push(host.started_in);
        tokio::time::sleep(Duration::from_millis(500)).await;
        resident = host.resident_mb()?;
        host.stop().await?;
    }
    let warm_ms = percentile(&mut warm, 0.5).as_secs_f64() * 1_000.0;
    figures.add(
        "start.warm_ms",
        warm_ms,
        "ms",
        format!("target 200; first start with compiling: {cold_ms:.0} ms"),
    );
    figures.add("rss.idle_mb", resident, "MB", "target 80");
    Ok(())
}
