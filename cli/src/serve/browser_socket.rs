//! The WebSocket that notifies a watching browser or phone of changes to its login or confirmation.
//!
//! The first message identifies the watched item and proves that it is the device's own. After that the
//! server sends a signal for each change, without content: the device fetches the item with its token.

mod limiter;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use countersign_api::socket::{self, Origin, SubscribeError, Subscribed};
use countersign_api::viewer::PeerAddress;
use countersign_api::{ApiState, Causes, Problem, ProblemCode};
use countersign_domain::primitives::entropy::Entropy;
use countersign_embedded::push::{Connection, LocalPush};
use http::HeaderMap;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::http::stop_requested;
use limiter::{Limits, SocketLimiter, SocketPermit, SocketsExceeded};

/// The path of the WebSocket.
pub(super) const PATH: &str = "/qr-socket";

/// Maximum number of open sockets, if the system lets the server open enough files. Beyond this,
/// devices poll, as they do without a socket.
pub(super) const MAX_OPEN: usize = 4_096;

/// Limits on open sockets: per address enough for a whole office, per site (an IPv6 /48) four times
/// as many.
const OPEN: Limits = Limits {
    all: MAX_OPEN,
    per_block: 256,
    per_site: 1_024,
};

/// Limits on sockets that have not yet identified their login. Legitimate devices do so
/// immediately.
const SILENT: Limits = Limits {
    all: 512,
    per_block: 64,
    per_site: 128,
};

/// Time after which a rejected device may retry (`Retry-After`).
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Timeout for the first message.
const FIRST_MESSAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum lifetime of a socket: longer than any login lasts.
const MAX_LIFETIME: Duration = Duration::from_mins(10);

/// Interval between pings, which keep intermediaries from closing a quiet socket.
const PING_INTERVAL: Duration = Duration::from_secs(30);

/// Timeout for sending a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum size of unsent data for a device that does not read, in bytes: messages and answers to
/// its pings.
const MAX_UNSENT: usize = 8 << 10;

/// State shared by all sockets.
#[derive(Clone)]
pub(super) struct Sockets {
    pub(super) api: ApiState,
    pub(super) push: LocalPush,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) stopping: watch::Receiver<bool>,
    /// Maximum number of open sockets.
    pub(super) max_open: usize,
}

#[derive(Clone)]
struct Shared {
    sockets: Sockets,
    limiter: SocketLimiter,
}

/// Returns the route.
pub(super) fn router(sockets: Sockets) -> Router {
    let limiter = room_for(sockets.max_open);
    let shared = Shared { sockets, limiter };
    Router::new().route(PATH, get(open)).with_state(shared)
}

/// Returns the limits for this many sockets. However low the total is, one address gets at most a
/// quarter of it and a site half.
fn room_for(max_open: usize) -> SocketLimiter {
    SocketLimiter::new(OPEN.within(max_open), SILENT.within(max_open / 2))
}

async fn open(
    State(shared): State<Shared>,
    Extension(peer): Extension<PeerAddress>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return Problem::new(ProblemCode::NotFound)
            .detail("This path accepts WebSocket connections only (RFC 6455).")
            .into_response();
    };
    let Shared { sockets, limiter } = shared;
    let origin = match Origin::new(&sockets.api, peer, &headers) {
        Ok(origin) => origin,
        Err(problem) => return problem.into_response(),
    };
    let place = match limiter.take(origin.block()) {
        Ok(place) => place,
        Err(full) => return no_room(full).into_response(),
    };
    let Some(connection) = sockets.push.connect(sockets.entropy.as_ref()) else {
        return Problem::ours(ProblemCode::InternalError, "no connection id for a socket")
            .into_response();
    };
    upgrade
        .max_message_size(socket::MAX_MESSAGE)
        .max_frame_size(socket::MAX_MESSAGE)
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_UNSENT)
        .on_upgrade(move |socket| serve(socket, connection, sockets, origin, place))
}

/// Returns the answer if the server or the address has too many sockets. Strangers can cause this,
/// so it is not a server error.
fn no_room(full: SocketsExceeded) -> Problem {
    let problem = match full {
        SocketsExceeded::Share => Problem::new(ProblemCode::TooManySockets)
            .detail("Poll the session, or retry after the time in Retry-After."),
        SocketsExceeded::Everything => Problem::new(ProblemCode::ServiceUnavailable),
    };
    problem.retry_after(RETRY_AFTER)
}

/// Serves one socket until either side ends it.
async fn serve(
    mut socket: WebSocket,
    connection: Connection,
    mut sockets: Sockets,
    origin: Origin,
    mut place: SocketPermit,
) {
    let end = Instant::now() + MAX_LIFETIME;
    let began = begin(&mut socket, &connection, &mut sockets, origin).await;
    place.subscribed();
    let ended = match began {
        Ok(()) => watch_over(&mut socket, &connection, &mut sockets, end).await,
        Err(ended) => ended,
    };
    let reason = match ended {
        CloseReason::Gone => return,
        CloseReason::Refused => close(close_code::POLICY, "no such session"),
        CloseReason::Limited => close(close_code::AGAIN, "too many failed messages"),
        CloseReason::Over => close(close_code::NORMAL, "the session is over"),
        CloseReason::TooLong => close(close_code::NORMAL, "open for too long"),
        CloseReason::Stopping => close(close_code::AWAY, "the server stops"),
        CloseReason::Ours => close(close_code::ERROR, "something failed"),
    };
    let _ = timeout(SEND_TIMEOUT, socket.send(reason)).await;
}

fn close(code: u16, reason: &'static str) -> Message {
    Message::Close(Some(CloseFrame {
        code,
        reason: reason.into(),
    }))
}

/// Why a socket ends.
enum CloseReason {
    Gone,
    Refused,
    Limited,
    Over,
    TooLong,
    Stopping,
    Ours,
}

/// Subscribes the connection to changes.
async fn begin(
    socket: &mut WebSocket,
    connection: &Connection,
    sockets: &mut Sockets,
    origin: Origin,
) -> Result<(), CloseReason> {
    let first = tokio::select! {
        first = timeout(FIRST_MESSAGE_TIMEOUT, first_message(socket)) => first,
        () = stop_requested(&mut sockets.stopping) => return Err(CloseReason::Stopping),
    };
    let message = match first {
        Ok(Some(message)) => message,
        Ok(None) => return Err(CloseReason::Gone),
        Err(_) => return Err(CloseReason::Refused),
    };
    let watcher = connection.id().clone();
    match socket::subscribe(&sockets.api, message.as_bytes(), watcher).await {
        Ok(Subscribed::Live) => {}
        Ok(Subscribed::Over) => {
            let _ = changed(socket).await;
            return Err(CloseReason::Over);
        }
        Err(SubscribeError::Unavailable(cause)) => {
            tracing::error!(cause = %Causes(&cause), "cannot watch a login or a confirmation");
            return Err(CloseReason::Ours);
        }
        Err(SubscribeError::Unknown) => {
            let counted = origin.count_miss(&sockets.api);
            return Err(counted.map_or(CloseReason::Limited, |()| CloseReason::Refused));
        }
    }
    // A change may have happened before the subscription.
    changed(socket)
        .await
        .map_err(|NotReading| CloseReason::Gone)
}

/// Signals changes until either side ends the socket.
async fn watch_over(
    socket: &mut WebSocket,
    connection: &Connection,
    sockets: &mut Sockets,
    end: Instant,
) -> CloseReason {
    loop {
        let sent = tokio::select! {
            () = connection.notified() => changed(socket).await,
            () = tokio::time::sleep(PING_INTERVAL) => ping(socket).await,
            () = tokio::time::sleep_until(end) => return CloseReason::TooLong,
            () = stop_requested(&mut sockets.stopping) => return CloseReason::Stopping,
            received = socket.recv() => match received {
                // No further messages are expected from the device.
                Some(Ok(Message::Text(_) | Message::Binary(_))) => return CloseReason::Refused,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return CloseReason::Gone,
            },
        };
        if sent.is_err() {
            return CloseReason::Gone;
        }
    }
}

/// Returns the first text message; `None` if the other side disconnected or sent something else.
async fn first_message(socket: &mut WebSocket) -> Option<String> {
    loop {
        match socket.recv().await? {
            Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            Ok(Message::Binary(_) | Message::Close(_)) | Err(_) => return None,
        }
    }
}

/// The other side does not read.
struct NotReading;

async fn changed(socket: &mut WebSocket) -> Result<(), NotReading> {
    send(socket, Message::Text(socket::CHANGED.into())).await
}

async fn ping(socket: &mut WebSocket) -> Result<(), NotReading> {
    send(socket, Message::Ping(axum::body::Bytes::new())).await
}

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), NotReading> {
    match timeout(SEND_TIMEOUT, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(NotReading),
    }
}

#[cfg(test)]
mod tests {
    use countersign_domain::web::address_block::AddressBlock;

    use super::*;

    #[test]
    fn full_address_and_full_server_answer_different_problems() {
        for (full, code) in [
            (SocketsExceeded::Share, ProblemCode::TooManySockets),
            (SocketsExceeded::Everything, ProblemCode::ServiceUnavailable),
        ] {
            assert_eq!(no_room(full).code(), code, "{full}");
        }
    }

    #[test]
    fn one_address_leaves_room_for_others_when_files_are_scarce() {
        let limiter = room_for(8);
        let spoken = |n: u8| {
            let mut place = limiter
                .take(AddressBlock::from_address([203, 0, 113, n].into()))
                .ok()?;
            place.subscribed();
            Some(place)
        };
        let mut taken = Vec::new();
        for n in 0..4 {
            taken.extend((0..8).map_while(|_| spoken(n)));
            assert_eq!(taken.len(), 2 * (usize::from(n) + 1));
        }
        assert!(spoken(4).is_none(), "the total is bounded");
    }
}
