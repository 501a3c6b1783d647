//! Connections that stand for the next call.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;

use super::Origin;

/// Most connections that stand at a time. Most calls at once are those of a batch; a sweep makes more, of
/// which some connect for themselves.
const MAX_KEPT: usize = 32;

type Connection = SendRequest<SdkBody>;

/// Connections without a call under way. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Connections(Arc<Mutex<Vec<(Origin, Connection)>>>);

impl Connections {
    /// Takes the connection to an origin that was used last, and drops those that are closed.
    pub(super) fn take(&self, origin: &Origin) -> Option<Connection> {
        let mut kept = self.kept();
        kept.retain(|(_, connection)| !connection.is_closed());
        let at = kept.iter().rposition(|(to, _)| to == origin)?;
        Some(kept.remove(at).1)
    }

    /// Returns the place that a connection goes to after its response.
    pub(super) fn place(&self, origin: Origin, connection: Connection) -> Place {
        Place {
            connections: self.clone(),
            origin,
            connection,
        }
    }

    /// Doubts the connections to an origin while one of them is used: they are as old. Unless the doubt is
    /// dispelled, they are dropped with it, so that the next attempt connects.
    pub(super) const fn doubt<'a>(&'a self, origin: &'a Origin) -> Doubt<'a> {
        Doubt {
            connections: self,
            origin,
            is_dispelled: false,
        }
    }

    /// Keeps a connection, if need be in place of the one that has stood longest.
    fn put(&self, origin: Origin, connection: Connection) {
        let mut kept = self.kept();
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.push((origin, connection));
    }

    fn kept(&self) -> MutexGuard<'_, Vec<(Origin, Connection)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drops the connections to an origin when it is dropped itself, because the call on one of them failed or
/// was given up.
///
/// Something between the two ends may have forgotten all of them while the function was frozen, and told
/// neither. Each would cost an attempt.
pub(super) struct Doubt<'a> {
    connections: &'a Connections,
    origin: &'a Origin,
    is_dispelled: bool,
}

impl Doubt<'_> {
    /// Keeps the connections.
    pub(super) fn dispel(mut self) {
        self.is_dispelled = true;
    }
}

impl Drop for Doubt<'_> {
    fn drop(&mut self) {
        if !self.is_dispelled {
            self.connections.kept().retain(|(to, _)| to != self.origin);
        }
    }
}

/// A connection, and where it goes.
pub(super) struct Place {
    connections: Connections,
    origin: Origin,
    connection: Connection,
}

/// The body of a response. Its connection is kept when it has been read to its end; if it is dropped before,
/// the connection is closed.
pub(super) struct KeptBody {
    body: Incoming,
    place: Option<Place>,
}

impl KeptBody {
    pub(super) fn new(body: Incoming, place: Option<Place>) -> Self {
        let mut body = Self { body, place };
        if body.is_end_stream() {
            body.keep();
        }
        body
    }

    fn keep(&mut self) {
        if let Some(place) = self.place.take() {
            place.connections.put(place.origin, place.connection);
        }
    }
}

impl Body for KeptBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Err(_)) => self.place = None,
            Some(Ok(_)) if !self.is_end_stream() => {}
            Some(Ok(_)) | None => self.keep(),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
