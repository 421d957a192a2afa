//! The running double: two listeners on a runtime of their own.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::sync::Arc;
use std::thread;

use axum::extract::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};

use crate::config::Config;
use crate::control;
use crate::controls::Controls;
use crate::front::Front;
use crate::state::Saved;
use crate::world::{Shared, World};

/// Why a double didn't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration is wrong.
    #[error("the configuration of the double is wrong: {0}")]
    Config(String),
    /// A port is taken, or a thread couldn't be started.
    #[error(
        "the double can't listen on 127.0.0.1:{port}: {source}; choose another port, or 0 for any"
    )]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// The runtime ended before it listened.
    #[error("the double's runtime didn't start: {0}")]
    Runtime(io::Error),
}

/// A running double. It serves from a thread of its own, so that a test may block or use a
/// runtime of a single thread, and it ends when this value is dropped.
///
/// Everything that the control API can do is a method of [`Controls`], to which it dereferences.
pub struct Double {
    controls: Controls,
    base_url: String,
    control_url: String,
    stop: watch::Sender<bool>,
    stopped: oneshot::Receiver<()>,
}

impl Deref for Double {
    type Target = Controls;

    fn deref(&self) -> &Controls {
        &self.controls
    }
}

struct Bound {
    provider: SocketAddr,
    control: SocketAddr,
}

impl Double {
    /// Starts a double with an empty account.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::start_with(config, None).await
    }

    /// Starts a double with the account that another one saved (see [`Controls::saved`]).
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start_with(config: Config, saved: Option<Saved>) -> Result<Self, StartError> {
        config.valid().map_err(StartError::Config)?;
        let ports = (config.port, config.control_port);
        let (virtual_ms, world) = match saved {
            Some(saved) => saved.into_world(config),
            None => (0, World::new(config)),
        };
        let shared = Arc::new(Shared::new(world, virtual_ms));
        let controls = Controls::new(Arc::clone(&shared));
        let (bound_tx, bound) = oneshot::channel();
        let (stop, stopping) = watch::channel(false);
        let (stopped_tx, stopped) = oneshot::channel();
        thread::Builder::new()
            .name("double-digitalocean".into())
            .spawn(move || {
                run(shared, ports, bound_tx, stopping);
                // Whoever waits for it may have gone.
                let _ = stopped_tx.send(());
            })
            .map_err(StartError::Runtime)?;
        let gone = || StartError::Runtime(io::Error::other("its thread ended"));
        let bound = bound.await.map_err(|_| gone())??;
        Ok(Self {
            controls,
            base_url: format!("http://{}", bound.provider),
            control_url: format!("http://{}", bound.control),
            stop,
            stopped,
        })
    }

    /// The origin of the provider API, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn base_url(&self) -> String {
        self.base_url.clone()
    }

    /// The origin of the control API.
    #[must_use]
    pub fn control_url(&self) -> String {
        self.control_url.clone()
    }

    /// Closes every connection and waits until the ports are free.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        // An error means that the thread has ended already.
        let _ = self.stopped.await;
    }
}

type BoundSender = oneshot::Sender<Result<Bound, StartError>>;

fn run(
    shared: Arc<Shared>,
    ports: (u16, u16),
    bound: BoundSender,
    stopping: watch::Receiver<bool>,
) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("double-digitalocean")
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            // The starter has gone if it doesn't listen.
            let _ = bound.send(Err(StartError::Runtime(error)));
            return;
        }
    };
    runtime.block_on(serve(shared, ports, bound, stopping));
    // Hanging requests never end by themselves.
    runtime.shutdown_background();
}

async fn serve(
    shared: Arc<Shared>,
    ports: (u16, u16),
    bound: BoundSender,
    mut stopping: watch::Receiver<bool>,
) {
    let listeners = async { Ok((listen(ports.0).await?, listen(ports.1).await?)) }.await;
    let ((provider, provider_at), (control, control_at)) = match listeners {
        Ok(listeners) => listeners,
        Err(error) => {
            let _ = bound.send(Err(error));
            return;
        }
    };
    if bound
        .send(Ok(Bound {
            provider: provider_at,
            control: control_at,
        }))
        .is_err()
    {
        return;
    }
    let controls = control::router(Controls::new(Arc::clone(&shared)));
    tokio::select! {
        () = accept(provider, Front::new(shared)) => {}
        // It serves until it is dropped.
        _ = async { axum::serve(control, controls).await } => {}
        // Both a signal and a dropped double end it.
        _ = stopping.wait_for(|stop| *stop) => {}
    }
}

async fn listen(port: u16) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |source| StartError::Listen { port, source };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

async fn accept(listener: TcpListener, front: Front) {
    loop {
        // A connection that ended before it was accepted is none of ours.
        if let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, front.clone()));
        }
    }
}

/// Serves one connection. An error of the service closes it without an answer, which is the only
/// way to lose one; axum's own server has no such way.
async fn connection(stream: TcpStream, front: Front) {
    // Without it a small answer may wait for an acknowledgement.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let front = front.clone();
        async move {
            front
                .answer(request.map(axum::body::Body::new) as Request)
                .await
        }
    });
    // An error here is a client that hung up, or a connection that was to be dropped.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
