//! The loop: claim, run, sleep until something is due.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use berth_domain::time::{Millis, Span};
use berth_store::{Claim, ClaimRequest, StoreError};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::leases::Leases;
use super::plugins::Plugins;
use super::provider::Provider;
use super::refresh::Refresh;
use super::run::{Tools, reconcile};
use crate::Service;

/// The shortest sleep.
const NAP: Duration = Duration::from_millis(20);
/// Sleep while what is due can't be claimed, since its account is busy. A run of this host that ends
/// wakes the loop at once.
const BUSY_NAP: Duration = Duration::from_millis(250);
/// Pause after a claim that failed: a full disk is not emptied by asking it more often.
const STORE_NAP: Duration = Duration::from_secs(1);
/// How often closed journal entries are thrown away.
const PRUNE_EVERY: Span = Span::minutes(10);
/// Entries that one pruning takes.
const PRUNE_MAX: u32 = 10_000;

/// Runs the reconciler with the plugins of the runtime until it is told to stop; see [`run_with`].
pub async fn run(service: Arc<Service>, stop: watch::Receiver<bool>) {
    let provider: Arc<dyn Provider> = Arc::new(Plugins::new(&service));
    run_with(service, provider, stop).await;
}

/// Runs the reconciler until it is told to stop. Runs under way then finish the step that they are
/// in. With `service.reconcile.concurrency = 0` this host only serves the API.
pub async fn run_with(
    service: Arc<Service>,
    provider: Arc<dyn Provider>,
    mut stop: watch::Receiver<bool>,
) {
    if service.settings().reconcile.concurrency == 0 {
        tracing::info!("service.reconcile.concurrency is 0: this host serves the API only");
        // An error means that whoever could stop it is gone, which stops it too.
        let _ = stop.wait_for(|stop| *stop).await;
        return;
    }
    let host = format!("{}-{}", service.deployment().id, service.new_request_id());
    let tools = Arc::new(Tools {
        service: service.clone(),
        provider,
        leases: Leases::default(),
        refresh: Refresh::default(),
        stopping: AtomicBool::new(false),
    });
    let mut runs = JoinSet::new();
    tokio::select! {
        () = tools.leases.keep_renewing(&service, &host) => {}
        () = claim_until(&tools, &host, &mut runs, &mut stop) => {}
    }
    tools.stopping.store(true, Ordering::Relaxed);
    tokio::select! {
        () = tools.leases.keep_renewing(&service, &host) => {}
        () = finish(&mut runs) => {}
    }
}

async fn finish(runs: &mut JoinSet<()>) {
    while runs.join_next().await.is_some() {}
}

async fn claim_until(
    tools: &Arc<Tools>,
    host: &str,
    runs: &mut JoinSet<()>,
    stop: &mut watch::Receiver<bool>,
) {
    let service = &tools.service;
    let places = usize::try_from(service.settings().reconcile.concurrency).unwrap_or(usize::MAX);
    let mut pruned_at = service.now();
    let mut store_is_away = false;
    while !*stop.borrow() {
        while runs.try_join_next().is_some() {}
        let free = places.saturating_sub(runs.len());
        let now = service.now();
        let leased_until = now + service.settings().reconcile.lease;
        let claims = match claim(service, host, free, now).await {
            Ok(claims) => {
                if std::mem::take(&mut store_is_away) {
                    tracing::info!("work can be claimed again");
                }
                claims
            }
            Err(error) => {
                if !std::mem::replace(&mut store_is_away, true) {
                    tracing::warn!(%error, "no work can be claimed; it is tried again until it can");
                }
                tokio::select! {
                    () = tokio::time::sleep(STORE_NAP) => {}
                    stopped = stop.changed() => {
                        if stopped.is_err() {
                            return;
                        }
                    }
                }
                continue;
            }
        };
        let claimed = claims.len();
        for claim in claims {
            let tools = tools.clone();
            runs.spawn(async move { reconcile(&tools, claim, leased_until).await });
        }
        prune_now_and_then(service, &mut pruned_at).await;
        if claimed > 0 && claimed < free {
            // There may be more that is due, now that these have leases.
            continue;
        }
        let wait = if claimed == 0 && free > 0 {
            until_due(service, if runs.is_empty() { NAP } else { BUSY_NAP }).await
        } else {
            // Every place is taken: one that becomes free wakes the loop.
            Duration::from_millis(service.settings().reconcile.poll.0)
        };
        tokio::select! {
            () = service.waker().notified() => {}
            () = tokio::time::sleep(wait) => {}
            Some(_) = runs.join_next() => {}
            stopped = stop.changed() => {
                if stopped.is_err() {
                    return;
                }
            }
        }
    }
}

async fn claim(
    service: &Service,
    host: &str,
    free: usize,
    now: Millis,
) -> Result<Vec<Claim>, StoreError> {
    let settings = &service.settings().reconcile;
    if free == 0 {
        return Ok(Vec::new());
    }
    let request = ClaimRequest {
        host: host.to_owned(),
        now,
        lease: settings.lease,
        limit: u32::try_from(free).unwrap_or(u32::MAX),
        per_account: settings.per_account,
    };
    service.store().claim(request).await
}

/// How long to sleep when nothing could be claimed; `busy` if something is due nevertheless.
async fn until_due(service: &Service, busy: Duration) -> Duration {
    let longest = Duration::from_millis(service.settings().reconcile.poll.0).max(NAP);
    let now = service.now();
    match service.store().next_due().await {
        Ok(Some(due)) if due <= now => busy.min(longest),
        Ok(Some(due)) => Duration::from_millis((due - now).0).clamp(NAP, longest),
        Ok(None) | Err(_) => longest,
    }
}

async fn prune_now_and_then(service: &Service, pruned_at: &mut Millis) {
    let now = service.now();
    if now - *pruned_at < PRUNE_EVERY {
        return;
    }
    *pruned_at = now;
    let keep = service.settings().reconcile.journal_keep;
    let before = Millis(
        now.0
            .saturating_sub(i64::try_from(keep.0).unwrap_or(i64::MAX)),
    );
    if let Err(error) = service.store().journal_prune(before, PRUNE_MAX).await {
        tracing::warn!(%error, "the journal could not be pruned; tried again later");
    }
}
