//! A sweep's reading of one part of the index.

use super::Fate;
use crate::delivery::due::{Due, DueFrom, DueIndex, DuePart};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// The milliseconds for which a delivery that has become due is recent: longer than two sweeps are apart.
const RECENT: u64 = 180_000;

/// The number of items in a row that cannot be postponed after which a scan ends: the store itself must be
/// out of order. Fewer are skipped, and the next sweep goes on behind them.
const MAX_STUCK: usize = 100;

/// A part of the index, and how far the sweep has come in it.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) part: DuePart,
    from: DueFrom,
    /// True for a scan of what became due in the last minutes, beside the one that goes on in its place.
    pub(super) is_of_recent: bool,
    /// The number of items in a row that could not be postponed.
    stuck: usize,
    /// True if nothing follows the page that was read.
    pub(super) is_last_page: bool,
    /// True if this sweep must skip the part.
    pub(super) has_failed: bool,
}

impl Scan {
    /// Returns the scans of a part in which the last sweep stopped at `place`, if it stopped.
    pub(super) fn of(
        part: DuePart,
        place: Option<Due>,
        now: Timestamp,
    ) -> impl Iterator<Item = Self> {
        let recent = Timestamp::from_millis(now.as_millis().saturating_sub(RECENT));
        let is_behind = place.is_some_and(|place| place.due_at < recent);
        let recent = is_behind.then_some((DueFrom::Time(recent), true));
        let rest = (place.map_or(DueFrom::BEGINNING, DueFrom::After), false);
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
    ) -> Result<Vec<Due>, Unavailable> {
        index.due(self.part, now, self.from, limit).await
    }

    /// Moves behind an entry.
    pub(super) fn note(&mut self, due: Due, fate: Fate) -> Fate {
        self.from = DueFrom::After(due);
        match fate {
            Fate::Stuck(_) => self.stuck += 1,
            _ => self.stuck = 0,
        }
        self.has_failed |= self.stuck >= MAX_STUCK || matches!(fate, Fate::Unsent(_));
        fate
    }
}
