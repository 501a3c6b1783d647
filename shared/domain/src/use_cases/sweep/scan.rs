//! A sweep's scan of one partition of the index.

use super::EntryOutcome;
use crate::delivery::due::{DueEntry, DueIndex, DuePartition, DueStart};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Time in milliseconds during which a due delivery is recent: longer than the interval between two
/// sweeps.
const RECENT: u64 = 180_000;

/// Number of consecutive items that cannot be postponed after which a scan ends, because the store itself
/// must be failing. Fewer items are skipped, and the next sweep resumes after them.
const MAX_STUCK: usize = 100;

/// A partition of the index, and the sweep's progress in it.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) part: DuePartition,
    from: DueStart,
    /// True if this scan covers deliveries that became due in the last few minutes, in addition to the
    /// scan that resumes at the stored position.
    pub(super) is_of_recent: bool,
    /// Number of consecutive items that could not be postponed.
    stuck: usize,
    /// True if the page that was read is the last one.
    pub(super) is_last_page: bool,
    /// True if this sweep must skip the partition.
    pub(super) has_failed: bool,
}

impl Scan {
    /// Returns the scans of a partition in which the last sweep stopped at `place`, if it did.
    pub(super) fn for_part(
        part: DuePartition,
        place: Option<DueEntry>,
        now: Timestamp,
    ) -> impl Iterator<Item = Self> {
        let recent = Timestamp::from_millis(now.as_millis().saturating_sub(RECENT));
        let is_behind = place.is_some_and(|place| place.due_at < recent);
        let recent = is_behind.then_some((DueStart::Time(recent), true));
        let rest = (place.map_or(DueStart::BEGINNING, DueStart::After), false);
        let scans = recent.into_iter().chain([rest]);
        scans.map(move |(from, is_of_recent)| Self {
            part,
            from,
            is_of_recent,
            stuck: 0,
            is_last_page: false,
            has_failed: false,
        })
    }

    pub(super) async fn read(
        &self,
        index: &dyn DueIndex,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<DueEntry>, Unavailable> {
        index.due(self.part, now, self.from, limit).await
    }

    /// Advances past an entry.
    pub(super) fn record(&mut self, due: DueEntry, outcome: EntryOutcome) -> EntryOutcome {
        self.from = DueStart::After(due);
        match outcome {
            EntryOutcome::Stuck(_) => self.stuck += 1,
            _ => self.stuck = 0,
        }
        self.has_failed |= self.stuck >= MAX_STUCK || matches!(outcome, EntryOutcome::Unsent(_));
        outcome
    }
}
