//! Reads a request's whole body before its handler runs: an answer that is sent while half a body is
//! unread may never reach a caller who is still sending.

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::extract::body::{BODY_TIMEOUT, BodyError, MAX_DRAINED, ReceivedBody};

/// Size above which a body needs one of the few [places](LARGE), in bytes. Strangers may send as much to
/// the route of a provider that is on.
const FREE: usize = 256 * 1024;

/// Maximum number of bodies above [`FREE`] in memory at once, in the whole process.
const MAX_LARGE: usize = 16;

static LARGE: Semaphore = Semaphore::const_new(MAX_LARGE);

/// A body's place among the large ones, which it has until this is dropped.
#[derive(Debug, Default)]
pub(super) struct Place(Option<SemaphorePermit<'static>>);

impl Place {
    /// Takes a place unless this is one. Returns whether there is one.
    fn take(&mut self, places: &'static Semaphore) -> bool {
        if self.0.is_none() {
            self.0 = places.try_acquire().ok();
        }
        self.0.is_some()
    }
}

/// Whether bytes of a body are left on the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// The body was read to its end.
    Read,
    /// Some of it was not, so that the connection cannot be used again.
    Unread,
}

/// Reads a body of at most `max` bytes. `expects_continue` says that the caller sends the body only
/// when asked to (`Expect: 100-continue`), so that one that is known to be too large need not be sent
/// at all. A large body gets a `place`, which the caller keeps for as long as the body.
pub(super) async fn receive(
    body: Body,
    max: usize,
    expects_continue: bool,
    place: &mut Place,
) -> (ReceivedBody, Rest) {
    if body.is_end_stream() {
        return (ReceivedBody(Ok(Bytes::new())), Rest::Read);
    }
    if expects_continue && body.size_hint().lower() > max as u64 {
        return failed(BodyError::TooLarge);
    }
    match tokio::time::timeout(BODY_TIMEOUT, collect(body, max, place)).await {
        Ok(received) => received,
        Err(_) => failed(BodyError::TimedOut),
    }
}

fn failed(error: BodyError) -> (ReceivedBody, Rest) {
    (ReceivedBody(Err(error)), Rest::Unread)
}

async fn collect(mut body: Body, max: usize, place: &mut Place) -> (ReceivedBody, Rest) {
    let mut length = 0_usize;
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return failed(BodyError::Incomplete);
        };
        // Trailers are ignored.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length > MAX_DRAINED.max(max) {
            return failed(BodyError::TooLarge);
        }
        if length > max {
            continue;
        }
        if length > FREE && !place.take(&LARGE) {
            return failed(BodyError::Busy);
        }
        if length == data.len() {
            // Most bodies come in one piece, which needs no copy.
            first = data;
        } else {
            if rest.is_empty() {
                rest.extend_from_slice(&first);
            }
            rest.extend_from_slice(&data);
        }
    }
    let body = match length {
        _ if length > max => Err(BodyError::TooLarge),
        _ if rest.is_empty() => Ok(first),
        _ => Ok(rest.freeze()),
    };
    (ReceivedBody(body), Rest::Read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bodies_have_few_places_and_give_them_back() {
        static TWO: Semaphore = Semaphore::const_new(2);
        let mut places: Vec<_> = (0..3).map(|_| Place::default()).collect();
        assert!(places[0].take(&TWO));
        assert!(places[0].take(&TWO), "one body has one place");
        assert!(places[1].take(&TWO));
        assert!(!places[2].take(&TWO));
        places.remove(0);
        assert!(places[1].take(&TWO));
    }
}
