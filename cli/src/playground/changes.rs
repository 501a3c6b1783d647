//! Event streams for watching pages: a server-sent event named `state` contains the complete state after each
//! change.
//!
//! Each event is complete, so a page that lost the connection only needs the next one.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use countersign_api::Problem;
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::Shared;

/// Interval between keep-alive comments on an idle stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Time that a browser waits before it reconnects.
const RECONNECT: Duration = Duration::from_secs(1);

/// A subject that a page watches.
pub(super) trait Watched: Send + 'static {
    /// Returns the complete state as JSON.
    fn look(&mut self) -> impl Future<Output = String> + Send;

    /// Waits until the state may have changed.
    fn pause(&mut self) -> impl Future<Output = ()> + Send;
}

/// Streams the states of `watched` until the server stops. Fails if too many pages are watching.
pub(super) fn stream(shared: &Shared, watched: impl Watched) -> Result<Response, Problem> {
    let page = Page {
        _permit: shared.watcher()?,
        stopping: shared.stopping.clone(),
        sent: None,
        watched,
    };
    let events = stream::unfold(page, async |mut page| {
        let event = page.next().await?;
        Some((Ok::<_, Infallible>(event), page))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Ok(Sse::new(events).keep_alive(keep_alive).into_response())
}

/// A watching page.
struct Page<W> {
    watched: W,
    stopping: watch::Receiver<bool>,
    /// The last state sent.
    sent: Option<String>,
    _permit: OwnedSemaphorePermit,
}

impl<W: Watched> Page<W> {
    /// Returns the next event; `None` once the server stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.stopping.borrow() {
                return None;
            }
            let state = self.watched.look().await;
            if self.sent.as_ref() != Some(&state) {
                let event = Event::default().event("state").data(&state);
                let first = self.sent.replace(state).is_none();
                return Some(if first { event.retry(RECONNECT) } else { event });
            }
            tokio::select! {
                stopped = self.stopping.changed() => stopped.ok()?,
                () = self.watched.pause() => {}
            }
        }
    }
}
