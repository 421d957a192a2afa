//! Connections: accepted up to a number, heads awaited for a time, and let finish at the end.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt as _;

use crate::settings::ApiSettings;

/// The pause after an accept that failed, such as for want of open files.
const PAUSE: Duration = Duration::from_millis(200);

/// Serves until it is told to stop, then lets requests under way finish.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: &ApiSettings,
    mut stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(settings.connections));
    let graceful = GracefulShutdown::new();
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(settings.head_timeout_ms))
        .half_close(false);
    loop {
        let accepted = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let Some((stream, peer, place)) = accepted else {
            continue;
        };
        let app = router
            .clone()
            .map_request(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(ConnectInfo(peer));
                request
            });
        let connection = graceful
            .watch(http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)));
        tokio::spawn(async move {
            // What goes wrong with a connection is the client's to see: there is nobody else to tell.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

type Accepted = (
    tokio::net::TcpStream,
    std::net::SocketAddr,
    tokio::sync::OwnedSemaphorePermit,
);

async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> Option<Accepted> {
    if places.available_permits() == 0 {
        tracing::warn!(
            "as many connections are open as `api.connections` allows; further ones wait until one ends"
        );
    }
    let place = places.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Answers are small and awaited: they should leave at once.
            let _ = stream.set_nodelay(true);
            Some((stream, peer, place))
        }
        Err(error) => {
            tracing::warn!(%error, "no connection could be accepted; if open files are short, lower `api.connections` or raise the process's limit");
            tokio::time::sleep(PAUSE).await;
            None
        }
    }
}
