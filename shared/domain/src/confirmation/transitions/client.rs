//! The transition caused by the page that shows a confirmation: watch.

use super::live;
use crate::confirmation::client::{Client, ClientTokenHash};
use crate::confirmation::{Confirmation, Status};
use crate::delivery::Decision;
use crate::primitives::time::Timestamp;
use crate::primitives::watcher::WatcherId;

/// Returns the confirmation if it belongs to the page.
#[must_use]
pub fn of_client(
    current: Option<Confirmation>,
    token: &ClientTokenHash,
    now: Timestamp,
) -> Option<Confirmation> {
    let is_own = |item: &Confirmation| item.client.as_ref().is_some_and(|own| own.token == *token);
    live(current, now).filter(is_own)
}

/// Subscribes a connection of the page to the verification and the first miss, replacing an earlier connection,
/// which the page has lost. Writes nothing if the connection is already subscribed or the confirmation has
/// ended. The outcome is the confirmation's status, or `None` if the page has no such confirmation.
#[must_use]
pub fn watch(
    current: Option<Confirmation>,
    token: &ClientTokenHash,
    watcher: WatcherId,
    now: Timestamp,
) -> Decision<Confirmation, Option<Status>> {
    let Some(mut item) = of_client(current, token, now) else {
        return Decision::refuse(None);
    };
    let status = item.status(now);
    let is_new = |client: &&mut Client| client.watcher.as_ref() != Some(&watcher);
    let own = item.client.as_mut().filter(|_| status == Status::Open);
    let Some(client) = own.filter(is_new) else {
        return Decision::refuse(Some(status));
    };
    client.watcher = Some(watcher);
    Decision {
        outcome: Some(status),
        write: Some(item),
    }
}
