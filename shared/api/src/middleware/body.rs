//! Reads a request's whole body before its handler runs: a caller that is still sending may never
//! receive an answer that is sent after half a body.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};
use countersign_domain::web::address_block::AddressBlock;
use http_body_util::BodyExt as _;

use crate::extract::body::{BODY_TIMEOUT, BodyError, MAX_DRAINED, ReceivedBody};

/// Size above which a body needs a permit from [`LARGE_BODIES`], in bytes. Unauthenticated callers may send
/// this much to the route of an enabled provider.
const UNMETERED_BYTES: usize = 256 * 1024;

/// The permits for bodies above [`UNMETERED_BYTES`], for the whole process.
static LARGE_BODIES: BodyPermits = BodyPermits::new(16, 4);

/// Permits for holding bodies in memory.
#[derive(Debug)]
struct BodyPermits {
    all: usize,
    /// Maximum number of permits per address, so that one sender's slow bodies leave some for
    /// others.
    share: usize,
    taken: Mutex<Vec<Option<AddressBlock>>>,
}

impl BodyPermits {
    const fn new(all: usize, share: usize) -> Self {
        Self {
            all,
            share,
            taken: Mutex::new(Vec::new()),
        }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Option<AddressBlock>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acquires a permit, if the sender may have another. A host that does not know its senders
    /// applies no limit per address.
    fn take(&self, sender: Option<AddressBlock>) -> bool {
        let mut taken = self.locked();
        let own = taken.iter().filter(|other| **other == sender).count();
        let is_free = taken.len() < self.all && (sender.is_none() || own < self.share);
        if is_free {
            taken.push(sender);
        }
        is_free
    }

    fn give_back(&self, sender: Option<AddressBlock>) {
        let mut taken = self.locked();
        if let Some(index) = taken.iter().position(|other| *other == sender) {
            taken.swap_remove(index);
        }
    }
}

/// A permit for one large body, released on drop.
#[derive(Debug)]
pub(super) struct BodyPermit {
    permits: &'static BodyPermits,
    sender: Option<AddressBlock>,
    is_taken: bool,
}

impl BodyPermit {
    /// Prepares a permit for the body of a sender. Only a large body acquires it.
    pub(super) const fn new(sender: Option<AddressBlock>) -> Self {
        Self::among(&LARGE_BODIES, sender)
    }

    const fn among(permits: &'static BodyPermits, sender: Option<AddressBlock>) -> Self {
        Self {
            permits,
            sender,
            is_taken: false,
        }
    }

    /// Acquires the permit, if not yet acquired. Returns whether the body has a permit.
    fn take(&mut self) -> bool {
        self.is_taken = self.is_taken || self.permits.take(self.sender);
        self.is_taken
    }
}

impl Drop for BodyPermit {
    fn drop(&mut self) {
        if self.is_taken {
            self.permits.give_back(self.sender);
        }
    }
}

/// Whether the rest of a body is still on the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// The body was read to its end.
    Read,
    /// Part of the body was not read, so the connection cannot be reused.
    Unread,
}

/// Reads a body of at most `max` bytes. `expects_continue` means that the caller sends the body only
/// when asked to (`Expect: 100-continue`), so that a body known to be too large need not be sent at
/// all. A large body acquires `permit`, which the caller keeps as long as the body.
pub(super) async fn receive(
    body: Body,
    max: usize,
    expects_continue: bool,
    permit: &mut BodyPermit,
) -> (ReceivedBody, Rest) {
    if body.is_end_stream() {
        return (ReceivedBody(Ok(Bytes::new())), Rest::Read);
    }
    if expects_continue && body.size_hint().lower() > max as u64 {
        return failed(BodyError::TooLarge);
    }
    match tokio::time::timeout(BODY_TIMEOUT, collect(body, max, permit)).await {
        Ok(received) => received,
        Err(_) => failed(BodyError::TimedOut),
    }
}

fn failed(error: BodyError) -> (ReceivedBody, Rest) {
    (ReceivedBody(Err(error)), Rest::Unread)
}

async fn collect(mut body: Body, max: usize, permit: &mut BodyPermit) -> (ReceivedBody, Rest) {
    let mut length = 0_usize;
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    let mut is_refused = false;
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
        if length > UNMETERED_BYTES && length <= max && !is_refused && !permit.take() {
            // The rest is read all the same, so that the answer arrives.
            is_refused = true;
            (first, rest) = (Bytes::new(), BytesMut::new());
        }
        if length > max || is_refused {
            continue;
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
        _ if is_refused => Err(BodyError::Busy),
        _ if rest.is_empty() => Ok(first),
        _ => Ok(rest.freeze()),
    };
    (ReceivedBody(body), Rest::Read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(address: &str) -> AddressBlock {
        AddressBlock::from_address(address.parse().unwrap())
    }

    #[test]
    fn large_bodies_have_few_permits_and_give_them_back() {
        static PERMITS: BodyPermits = BodyPermits::new(4, 2);
        let permit = |sender| BodyPermit::among(&PERMITS, sender);
        let stranger = Some(block("2001:db8::1"));
        let mut theirs: Vec<_> = (0..3).map(|_| permit(stranger)).collect();
        assert!(theirs[0].take());
        assert!(theirs[0].take(), "one body has one permit");
        assert!(theirs[1].take());
        assert!(!theirs[2].take());
        let mut neighbour = permit(Some(block("2001:db8::2:0:0:1")));
        assert!(!neighbour.take(), "the same /64");

        let mut others: Vec<_> = (0..3).map(|_| permit(None)).collect();
        assert!(others[0].take() && others[1].take());
        assert!(!others[2].take(), "all are taken");
        theirs.remove(0);
        assert!(others[2].take());
        theirs.remove(0);
        assert!(theirs[0].take());
    }
}
