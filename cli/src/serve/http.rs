//! Serves HTTP/1.1 on a listener, within limits, until `stopping`.

mod activity;
mod admission;
mod limits;
mod refusal;
mod timeout_stream;

use std::future::{Future as _, poll_fn};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;
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
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tower::ServiceExt as _;

use crate::admin::user::User;
use crate::metrics::{Counters, ServerEvent};
use activity::{Activity, AnswerBody};
use admission::{Admission, ConnectionPermit};
pub(crate) use limits::Limits;
use refusal::Refusals;
use timeout_stream::TimeoutStream;

/// Minimum number of refused connections answered concurrently; a quarter of the maximum number of
/// connections if that is more. Further connections are closed without an answer.
const MIN_REFUSALS: usize = 64;

/// The limits and services of a listener.
pub(crate) struct Host {
    /// Limits on connections, times and memory.
    pub(crate) limits: Limits,
    /// Proxies that may use all connections.
    pub(crate) trusted_proxies: Vec<TrustedProxy>,
    /// Counts refused, reclaimed and stalled connections.
    pub(crate) counters: Arc<Counters>,
    /// Generates request ids.
    pub(crate) entropy: Arc<dyn Entropy>,
}

/// The other end of a connection.
#[derive(Clone, Copy)]
pub(crate) enum Peer {
    Address(PeerAddress),
    User(User),
}

impl From<std::net::SocketAddr> for Peer {
    fn from(address: std::net::SocketAddr) -> Self {
        Self::Address(PeerAddress(address.ip()))
    }
}

impl From<User> for Peer {
    fn from(user: User) -> Self {
        Self::User(user)
    }
}

impl Peer {
    const fn address(self) -> Option<std::net::IpAddr> {
        match self {
            Self::Address(PeerAddress(address)) => Some(address),
            Self::User(_) => None,
        }
    }

    /// Adds the sender of a request to its extensions.
    fn extend(self, request: &mut Request) {
        let extensions = request.extensions_mut();
        match self {
            Self::Address(address) => drop(extensions.insert(address)),
            Self::User(user) => drop(extensions.insert(user)),
        }
    }
}

/// Serves a router until `stopping` is true or its sender is dropped. Then it accepts no more
/// connections, gives requests in flight a limited time to finish, and returns.
///
/// It accepts every connection immediately, so that clients do not wait in the system's queue behind
/// connections without a permit; the server answers those and closes them.
pub(crate) async fn serve<L: Listener<Addr: Into<Peer>>>(
    mut listener: L,
    router: Router,
    mut host: Host,
    mut stopping: watch::Receiver<bool>,
) {
    let trusted = std::mem::take(&mut host.trusted_proxies);
    let admission = Admission::new(host.limits, trusted);
    let host = Arc::new(host);
    let refusals = (host.limits.connections / 4).max(MIN_REFUSALS);
    let telling = Arc::new(Semaphore::new(refusals));
    let mut refusals = Refusals::default();
    let mut connections = JoinSet::new();
    loop {
        let (stream, address) = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            () = stop_requested(&mut stopping) => break,
        };
        let peer: Peer = address.into();
        let why = match admission.admit(peer.address()) {
            Ok(place) => {
                let (router, host) = (router.clone(), Arc::clone(&host));
                let (stopping, telling) = (stopping.clone(), Arc::clone(&telling));
                connections.spawn(async move {
                    let connection = Connection {
                        place,
                        peer,
                        router,
                        host,
                        telling,
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
    if tokio::time::timeout(host.limits.shutdown_grace, rest)
        .await
        .is_err()
    {
        tracing::warn!("some requests did not finish in time and were aborted");
    }
}

/// Returns once the server should stop.
pub(crate) async fn stop_requested(stopping: &mut watch::Receiver<bool>) {
    // A dropped sender also means stopping.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// A connection with a permit.
struct Connection {
    place: ConnectionPermit,
    peer: Peer,
    router: Router,
    host: Arc<Host>,
    telling: Arc<Semaphore>,
}

impl Connection {
    /// Serves the connection until it is closed, its permit is reclaimed, or the server stops and
    /// the request in flight is answered. A request that arrives while the permit is reclaimed is
    /// refused.
    async fn serve<S>(self, stream: S, mut stopping: watch::Receiver<bool>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Self {
            place,
            peer,
            router,
            host,
            telling,
        } = self;
        let limits = host.limits;
        let activity = Activity::new(place.slot());
        let stream = TimeoutStream::new(stream, Arc::clone(&activity), limits);
        let service = service_fn(|request: hyper::Request<Incoming>| {
            let begun = activity.begin();
            let (activity, router, host) =
                (Arc::clone(&activity), router.clone(), Arc::clone(&host));
            async move {
                let Some(answering) = begun else {
                    let refused = refusal::refused(host.entropy.as_ref());
                    return Ok(refused.map(|body| AnswerBody::new(Body::from(body), None)));
                };
                poll_fn(|context| activity.poll_no_backlog(context)).await;
                let mut request = request.map(Body::new);
                peer.extend(&mut request);
                let response = answer(router, request, &host).await?;
                Ok::<_, TookTooLong>(response.map(|body| AnswerBody::new(body, Some(answering))))
            }
        });
        let connection = http1::Builder::new()
            // The stream enforces this limit, because only the stream knows when the client has
            // read the previous answer.
            .header_read_timeout(None::<Duration>)
            .max_buf_size(limits.buffer)
            .serve_connection(TokioIo::new(stream), service)
            // After an upgrade, the route's own limits apply.
            .with_upgrades();
        let mut connection = std::pin::pin!(connection);
        let mut stops = false;
        // The end of a connection whose permit was reclaimed.
        let mut ends_at: Option<(Instant, OwnedSemaphorePermit)> = None;
        let ended = loop {
            tokio::select! {
                ended = &mut connection => break ended,
                () = place.reclaimed(), if ends_at.is_none() => {
                    host.counters.count_server(ServerEvent::ConnectionReclaimed, 1);
                    let Ok(permit) = Arc::clone(&telling).try_acquire_owned() else {
                        return;
                    };
                    ends_at = Some((Instant::now() + refusal::TIMEOUT, permit));
                    // Reads pending bytes: only a connection without a request is closed immediately.
                    let polled = poll_fn(|context| Poll::Ready(connection.as_mut().poll(context)));
                    if let Poll::Ready(ended) = polled.await {
                        break ended;
                    }
                    connection.as_mut().graceful_shutdown();
                }
                () = passed(ends_at.as_ref().map(|(at, _)| *at)) => return,
                () = stop_requested(&mut stopping), if !stops => {
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
            // Clients hang up, send nonsense or take too long; not worth a visible log line.
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// Returns at an instant; never returns if there is none.
async fn passed(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Returns the router's answer. If the router takes too long, the connection is closed without an
/// answer.
async fn answer(
    router: Router,
    request: Request,
    host: &Host,
) -> Result<axum::response::Response, TookTooLong> {
    // A panic leaves no shared state half changed, because all shared state is behind ports.
    let caught = AssertUnwindSafe(async move { router.oneshot(request).await }).catch_unwind();
    match tokio::time::timeout(host.limits.answer, caught).await {
        Ok(Ok(Ok(response))) => Ok(response),
        Ok(Err(_panic)) => Ok(refusal::panicked(host.entropy.as_ref())),
        Err(_) => Err(TookTooLong),
    }
}

/// The answer to a request did not start in time; its connection is closed.
#[derive(Debug, thiserror::Error)]
#[error("the request took too long")]
struct TookTooLong;

#[cfg(test)]
mod tests;
