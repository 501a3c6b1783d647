//! Reads the whole due index: every lane of every app.

use countersign_domain::delivery::due::{Due, DueIndex};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

/// The number of entries per page. It is small, so even small tests read several pages.
const PAGE: usize = 2;

/// Returns every delivery that is due, longest due first.
///
/// # Errors
/// Fails if the store is unavailable.
pub async fn deliveries(index: &dyn DueIndex, now: Timestamp) -> Result<Vec<Due>, Unavailable> {
    let mut all = Vec::new();
    for lane in index.due_lanes(now).await? {
        let mut last = None;
        loop {
            let page = index.due(lane, now, last, PAGE).await?;
            all.extend_from_slice(&page);
            let seen = last.max(page.last().copied());
            // A faulty store that returns the same page again must not hang the test.
            if page.len() < PAGE || seen == last {
                break;
            }
            last = seen;
        }
    }
    all.sort();
    Ok(all)
}
