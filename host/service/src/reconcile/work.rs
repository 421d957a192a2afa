//! The loop: claim, run, sleep until something is due.

use std::sync::Arc;
use std::time::Duration;

use berth_domain::time::Span;
use berth_store::{Claim, ClaimRequest};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::leases::Leases;
use super::provider::{Plugins, Provider};
use super::run::{Tools, reconcile};
use crate::Service;

/// The shortest sleep: due rows that can't be claimed (leased, or their account is busy) don't spin.
const NAP: Duration = Duration::from_millis(20);
/// How often closed journal entries are thrown away.
const PRUNE_EVERY: Span = Span::minutes(10);
/// Entries that one pruning takes.
const PRUNE_MAX: u32 = 10_000;

/// Runs the reconciler until it is told to stop; runs under way finish first. With
/// `service.reconcile.concurrency = 0` the host only serves the API.
pub async fn run(service: Arc<Service>, stop: watch::Receiver<bool>) {
    let provider: Arc<dyn Provider> = Arc::new(Plugins::new(service.runtime().clone()));
    run_with(service, provider, stop).await;
}

async fn run_with(service: Arc<Service>, provider: Arc<dyn Provider>, mut stop: watch::Receiver<bool>) {
    let settings = service.settings().reconcile.clone();
    let host = format!("{}-{}", service.deployment().id, service.new_request_id());
    let tools = Arc::new(Tools { service: service.clone(), provider, leases: Leases::default() });
    let places = settings.concurrency as usize;
    if places == 0 {
        tracing::info!("service.reconcile.concurrency is 0: this host serves the API only");
        let _ = stop.wait_for(|stop| *stop).await;
        return;
    }
    let mut runs = JoinSet::new();
    let mut renewal = tokio::time::interval(millis(Span(settings.lease.0 / 3)).max(NAP));
    renewal.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let mut pruned_at = service.now();
    while !*stop.borrow() {
        let free = places.saturating_sub(runs.len());
        let claims = claim(&service, &host, free).await;
        let claimed = claims.len();
        for claim in claims {
            tools.leases.hold(&claim.stored.row.id, claim.epoch);
            let tools = tools.clone();
            runs.spawn(async move { reconcile(&tools, claim).await });
        }
        if claimed > 0 && claimed == free.min(claimed) && runs.len() < places {
            reap(&mut runs);
        }
        let wait = if claimed > 0 && runs.len() < places { Duration::ZERO } else { sleep(&service, settings.poll).await };
        tokio::select! {
            () = service.waker().notified() => {}
            () = tokio::time::sleep(wait) => {}
            _ = renewal.tick() => tools.leases.renew(&service, &host).await,
            Some(ended) = runs.join_next() => log_panic(ended),
            _ = stop.changed() => {}
        }
        if service.now() - pruned_at >= PRUNE_EVERY {
            pruned_at = service.now();
            prune(&service).await;
        }
    }
    loop {
        tokio::select! {
            ended = runs.join_next() => match ended {
                Some(ended) => log_panic(ended),
                None => return,
            },
            _ = renewal.tick() => tools.leases.renew(&service, &host).await,
        }
    }
}

async fn claim(service: &Service, host: &str, free: usize) -> Vec<Claim> {
    let settings = &service.settings().reconcile;
    if free == 0 {
        return Vec::new();
    }
    let request = ClaimRequest {
        host: host.to_owned(),
        now: service.now(),
        lease: settings.lease,
        limit: u32::try_from(free).unwrap_or(u32::MAX),
        per_account: settings.per_account,
    };
    match service.store().claim(request).await {
        Ok(claims) => claims,
        Err(error) => {
            tracing::warn!(%error, "no work could be claimed; tried again");
            Vec::new()
        }
    }
}

async fn sleep(service: &Service, poll: Span) -> Duration {
    let longest = millis(poll);
    match service.store().next_due().await {
        Ok(Some(due)) => millis(due - service.now()).clamp(NAP.min(longest), longest),
        Ok(None) | Err(_) => longest,
    }
}

fn millis(span: Span) -> Duration {
    Duration::from_millis(span.0)
}

fn reap(runs: &mut JoinSet<()>) {
    while let Some(ended) = runs.try_join_next() {
        log_panic(ended);
    }
}

/// A run that panicked left its lease to expire; the row is looked at again then.
fn log_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a reconcile run broke off; its row is looked at again when its lease is over");
    }
}

async fn prune(service: &Service) {
    let keep = service.settings().reconcile.journal_keep;
    let before = berth_domain::time::Millis(service.now().0.saturating_sub(i64::try_from(keep.0).unwrap_or(i64::MAX)));
    if let Err(error) = service.store().journal_prune(before, PRUNE_MAX).await {
        tracing::warn!(%error, "the journal could not be pruned; tried again later");
    }
}
