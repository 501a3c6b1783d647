//! Serving HTTP/1.1 on a listener, within bounds, until told to stop.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::serve::Listener;
use countersign_api::viewer::PeerAddress;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

/// How much one listener may cost us.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many connections may be open at once. Others wait in the system's queue.
    pub(crate) connections: usize,
    /// How long the head of a request may take to arrive; also how long a connection may be idle.
    pub(crate) head: Duration,
    /// How long a request may take from its head's arrival to the head of its answer. What may
    /// take long is the arrival of the body, which the caller decides.
    pub(crate) answer: Duration,
    /// How many bytes of a connection are buffered at most; also the longest head.
    pub(crate) buffer: usize,
    /// How long requests under way may take once the server stops.
    pub(crate) farewell: Duration,
}

impl Limits {
    /// What holds for the port that callers reach.
    pub(crate) const PUBLIC: Self = Self {
        connections: 1024,
        head: Duration::from_secs(15),
        answer: Duration::from_secs(30),
        buffer: 64 << 10,
        farewell: Duration::from_secs(4),
    };

    /// What holds for the admin socket, which its owner alone reaches.
    pub(crate) const ADMIN: Self = Self {
        connections: 16,
        ..Self::PUBLIC
    };
}

/// The other end of a connection, where it has an address.
pub(crate) trait Peer {
    /// Its address.
    fn peer(&self) -> Option<PeerAddress>;
}

impl Peer for std::net::SocketAddr {
    fn peer(&self) -> Option<PeerAddress> {
        Some(PeerAddress(self.ip()))
    }
}

impl Peer for tokio::net::unix::SocketAddr {
    fn peer(&self) -> Option<PeerAddress> {
        None
    }
}

/// Serves a router until `stopping` is true or its sender is gone; then takes no new connections,
/// lets requests under way finish within a bound, and returns.
pub(crate) async fn serve<L: Listener<Addr: Peer>>(
    mut listener: L,
    router: Router,
    limits: Limits,
    mut stopping: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            let place = Arc::clone(&room).acquire_owned().await;
            let (stream, address) = listener.accept().await;
            (place, stream, address.peer())
        };
        let (place, stream, peer) = tokio::select! {
            accepted = accepted => accepted,
            Some(_) = connections.join_next() => continue,
            () = told_to_stop(&mut stopping) => break,
        };
        let connection = converse(stream, peer, router.clone(), limits, stopping.clone());
        connections.spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop(listener);
    let rest = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(limits.farewell, rest).await.is_err() {
        tracing::warn!("some requests did not end in time and were broken off");
    }
}

/// Returns once the server is to stop.
pub(crate) async fn told_to_stop(stopping: &mut watch::Receiver<bool>) {
    // A sender that is gone has nothing more to say either.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Serves one connection until it is closed, or until its present request is answered and the
/// server is to stop.
async fn converse<S>(
    stream: S,
    peer: Option<PeerAddress>,
    router: Router,
    limits: Limits,
    mut stopping: watch::Receiver<bool>,
) where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        if let Some(peer) = peer {
            request.extensions_mut().insert(peer);
        }
        answer(router.clone(), request, limits.answer)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(limits.buffer)
        .serve_connection(TokioIo::new(stream), service)
        // What a connection becomes then is the route's, which bounds it.
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = told_to_stop(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // Callers that hang up, send nonsense or take too long: not ours, and not worth a line.
        tracing::debug!(%error, "a connection ended early");
    }
}

/// The router's answer, unless it takes too long: then the connection is closed without one.
async fn answer(
    router: Router,
    request: Request,
    patience: Duration,
) -> Result<axum::response::Response, TookTooLong> {
    match tokio::time::timeout(patience, router.oneshot(request)).await {
        Ok(Ok(response)) => Ok(response),
        Err(_) => Err(TookTooLong),
    }
}

/// A request whose answer did not begin in time.
#[derive(Debug, thiserror::Error)]
#[error("the request took too long")]
struct TookTooLong;

#[cfg(test)]
mod tests;
