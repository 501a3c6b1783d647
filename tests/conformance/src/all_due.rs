//! Reads the whole due index, in all its parts.

use countersign_domain::delivery::due::{DueEntry, DueIndex, DueStart};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

/// The number of entries per page. The page is so small that even small tests read several pages.
const PAGE: usize = 2;

/// Returns every due delivery, starting with the one that has been due the longest.
///
/// # Errors
/// Fails if the store is unavailable.
pub async fn deliveries(
    index: &dyn DueIndex,
    now: Timestamp,
) -> Result<Vec<DueEntry>, Unavailable> {
    let mut all = Vec::new();
    for part in index.parts() {
        let mut from = DueStart::BEGINNING;
        loop {
            let page = index.due(part, now, from, PAGE).await?;
            all.extend_from_slice(&page);
            let next = page.last().map_or(from, |last| DueStart::After(*last));
            // A faulty store that returns the same page again must not make the test hang.
            if page.len() < PAGE || next == from {
                break;
            }
            from = next;
        }
    }
    all.sort();
    Ok(all)
}
