//! Everything that is due, of any app and any kind: for tests that look at the whole index.

use countersign_domain::delivery::store::{DeliveryStore, Due};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

/// The number of entries asked for at once, so that several pieces are put together even in small
/// tests.
const PIECE: usize = 2;

/// Reads every delivery that is due, the longest due first.
///
/// # Errors
/// Fails if the store is unavailable.
pub async fn deliveries(
    store: &(impl DeliveryStore + ?Sized),
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
