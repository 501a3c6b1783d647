//! Serving HTTP/1.1 on a listener, within bounds, until told to stop.

mod activity;
mod admission;
mod limits;
mod paced;
mod refusal;

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::serve::Listener;
use countersign_api::viewer::{PeerAddress, TrustedProxy};
use countersign_domain::primitives::entropy::Entropy;
use futures_util::FutureExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use crate::metrics::{Counters, ServerEvent};
use activity::{Activity, Answer};
use admission::{Admission, Place};
pub(crate) use limits::Limits;
use paced::Paced;
use refusal::Refusals;

/// How many refused connections may be told so at once. Those beyond are closed without a word.
const MAX_REFUSALS: usize = 64;

/// Limits of a listener, and the services that it needs.
pub(crate) struct Host {
    /// Bounds on connections, times and memory.
    pub(crate) limits: Limits,
    /// Peers that have no share of the connections but the whole.
    pub(crate) trusted_proxies: Vec<TrustedProxy>,
    /// Counters for refused, reclaimed and stalled connections.
    pub(crate) counters: Arc<Counters>,
    /// Source of request ids.
    pub(crate) entropy: Arc<dyn Entropy>,
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
///
/// Every connection is accepted at once, so that nobody waits in the system's queue behind those
/// who have no place: they are told so, and closed.
pub(crate) async fn serve<L: Listener<Addr: Peer>>(
    mut listener: L,
    router: Router,
    mut host: Host,
    mut stopping: watch::Receiver<bool>,
) {
    let trusted = std::mem::take(&mut host.trusted_proxies);
    let admission = Admission::new(host.limits, trusted);
    let host = Arc::new(host);
    let telling = Arc::new(Semaphore::new(MAX_REFUSALS));
    let mut refusals = Refusals::default();
    let mut connections = JoinSet::new();
    loop {
        let (stream, address) = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            () = told_to_stop(&mut stopping) => break,
        };
        let peer = address.peer();
        let why = match admission.admit(peer.map(|PeerAddress(address)| address)) {
            Ok(place) => {
                let (router, host) = (router.clone(), Arc::clone(&host));
                let stopping = stopping.clone();
                connections.spawn(async move {
                    let connection = Connection {
                        place,
                        peer,
                        router,
                        host,
                    };
                    connection.serve(stream, stopping).await;
                });
                continue;
            }
            Err(why) => why,
        };
        host.counters
            .count_server(ServerEvent::ConnectionRefused, 1);
        refusals.add(why);
        if let Ok(permit) = Arc::clone(&telling).try_acquire_owned() {
            let host = Arc::clone(&host);
            connections.spawn(async move {
                refusal::refuse(stream, host.entropy.as_ref()).await;
                drop(permit);
            });
        }
    }
    drop(listener);
    let rest = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(host.limits.farewell, rest)
        .await
        .is_err()
    {
        tracing::warn!("some requests did not end in time and were broken off");
    }
}

/// Returns once the server is to stop.
pub(crate) async fn told_to_stop(stopping: &mut watch::Receiver<bool>) {
    // A sender that is gone has nothing more to say either.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// A connection that has a place.
struct Connection {
    place: Place,
    peer: Option<PeerAddress>,
    router: Router,
    host: Arc<Host>,
}

impl Connection {
    /// Serves it until it is closed, until its place is given to another, or until its present
    /// request is answered and the server is to stop.
    async fn serve<S>(self, stream: S, mut stopping: watch::Receiver<bool>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Self {
            place,
            peer,
            router,
            host,
        } = self;
        let limits = host.limits;
        let activity = Activity::new(place.seat());
        let stream = Paced::new(stream, Arc::clone(&activity), limits);
        let service = service_fn(|request: hyper::Request<Incoming>| {
            let begun = activity.begin();
            let (activity, router, host) =
                (Arc::clone(&activity), router.clone(), Arc::clone(&host));
            async move {
                let answering = begun.ok_or(Unanswered::NoPlace)?;
                poll_fn(|context| activity.poll_no_backlog(context)).await;
                let mut request = request.map(Body::new);
                if let Some(peer) = peer {
                    request.extensions_mut().insert(peer);
                }
                let response = answer(router, request, &host).await?;
                Ok::<_, Unanswered>(response.map(|body| Answer::new(body, answering)))
            }
        });
        let connection = http1::Builder::new()
            // The stream bounds that, since it knows when the answer before was taken.
            .header_read_timeout(None::<Duration>)
            .max_buf_size(limits.buffer)
            .serve_connection(TokioIo::new(stream), service)
            // What a connection becomes then is the route's, which bounds it.
            .with_upgrades();
        let mut connection = std::pin::pin!(connection);
        let mut stops = false;
        let ended = loop {
            tokio::select! {
                ended = &mut connection => break ended,
                () = place.reclaimed() => {
                    host.counters.count_server(ServerEvent::ConnectionReclaimed, 1);
                    return;
                }
                () = told_to_stop(&mut stopping), if !stops => {
                    stops = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        };
        activity.upgraded();
        if activity.has_stalled() {
            host.counters
                .count_server(ServerEvent::ConnectionStalled, 1);
        }
        if let Err(error) = ended {
            // Callers that hang up, send nonsense or take too long: not ours, and not worth a line.
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// The router's answer, unless it takes too long: then the connection is closed without one.
async fn answer(
    router: Router,
    request: Request,
    host: &Host,
) -> Result<axum::response::Response, Unanswered> {
    // A panic leaves nothing of ours behind half done: what is shared is behind ports.
    let caught = AssertUnwindSafe(async move { router.oneshot(request).await }).catch_unwind();
    match tokio::time::timeout(host.limits.answer, caught).await {
        Ok(Ok(Ok(response))) => Ok(response),
        Ok(Err(_panic)) => Ok(refusal::panicked(host.entropy.as_ref())),
        Err(_) => Err(Unanswered::TookTooLong),
    }
}

/// A request that is not answered. Its connection is closed.
#[derive(Debug, thiserror::Error)]
enum Unanswered {
    /// The answer did not begin in time.
    #[error("the request took too long")]
    TookTooLong,
    /// The connection's place was given to another before the request came.
    #[error("the connection's place was taken")]
    NoPlace,
}

#[cfg(test)]
mod tests;
