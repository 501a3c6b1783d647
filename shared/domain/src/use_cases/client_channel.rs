//! The status that the page of a confirmation requests with its token.

use super::Ports;
use crate::confirmation::client::ClientToken;
use crate::confirmation::miss::{LastMiss, MissReason};
use crate::confirmation::transitions::{of_client, watch as decide_watch};
use crate::confirmation::{Confirmation, Status};
use crate::primitives::ids::ConfirmationId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::primitives::watcher::WatcherId;

/// The part of a confirmation that its page sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientView {
    pub status: Status,
    /// The reason why the first text with the code did not complete the confirmation, while the status is open
    /// or expired.
    pub miss: Option<MissReason>,
    pub expires_at: Timestamp,
    /// Time of the answer, with which a page corrects its own clock.
    pub server_time: Timestamp,
}

/// Returns the status of a confirmation to its page, or `None` if the page has no such confirmation.
///
/// # Errors
///
/// Fails if the store fails.
pub async fn status(
    ports: Ports<'_>,
    id: ConfirmationId,
    token: &ClientToken,
) -> Result<Option<ClientView>, Unavailable> {
    let now = ports.clock.now();
    let found = ports.store.find::<Confirmation>(id, now).await?;
    Ok(of_client(found, &token.hash(), now).map(|item| ClientView {
        status: item.status(now),
        miss: item.last_miss().map(LastMiss::reason),
        expires_at: item.expires_at,
        server_time: now,
    }))
}

/// Subscribes a connection of the page to the verification and to the first miss, and returns the status; `None` if the
/// page has no such confirmation. The connection may have missed an event, so the caller should notify it immediately.
///
/// # Errors
///
/// Fails if the store fails.
pub async fn watch(
    ports: Ports<'_>,
    id: ConfirmationId,
    token: &ClientToken,
    watcher: WatcherId,
) -> Result<Option<Status>, Unavailable> {
    let now = ports.clock.now();
    let token = token.hash();
    let decide = |current| decide_watch(current, &token, watcher.clone(), now);
    ports.store.change(id, decide).await
}
