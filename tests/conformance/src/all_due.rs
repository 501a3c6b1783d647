//! Everything that is due, whoever's it is: for tests that look at the whole index.

use countersign_domain::confirmation::store::{ConfirmationStore, Due};
use countersign_domain::login::store::{DueNotice, LoginStore};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

/// How much is asked for at once, so that several pieces are put together even in small tests.
const PIECE: usize = 2;

/// The deliveries of confirmations that are due, the longest due first.
///
/// # Errors
/// Fails as the store does.
pub async fn confirmations(
    store: &(impl ConfirmationStore + ?Sized),
    now: Timestamp,
) -> Result<Vec<Due>, Unavailable> {
    let mut all = Vec::new();
    for lane in store.due_lanes(now).await? {
        let mut last = None;
        loop {
            let piece = store.due(lane, now, last, PIECE).await?;
            all.extend_from_slice(&piece);
            let seen = last.max(piece.last().copied());
            // A store that does not go on must not keep a test for ever.
            if piece.len() < PIECE || seen == last {
                break;
            }
            last = seen;
        }
    }
    all.sort();
    Ok(all)
}

/// The notices of logins that are due, the longest due first.
///
/// # Errors
/// Fails as the store does.
pub async fn notices(
    store: &(impl LoginStore + ?Sized),
    now: Timestamp,
) -> Result<Vec<DueNotice>, Unavailable> {
    let mut all = Vec::new();
    for lane in store.due_notice_lanes(now).await? {
        let mut last = None;
        loop {
            let piece = store.due_notices(lane, now, last, PIECE).await?;
            all.extend_from_slice(&piece);
            let seen = last.max(piece.last().copied());
            // A store that does not go on must not keep a test for ever.
            if piece.len() < PIECE || seen == last {
                break;
            }
            last = seen;
        }
    }
    all.sort();
    Ok(all)
}
