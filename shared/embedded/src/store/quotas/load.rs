//! Counts the open items in the file.
//!
//! Confirmations are indexed by the time of their removal, which follows from when they were created.
//! The file also records the longest validity that a confirmation ever had, and no open confirmation
//! can be older. So only that stretch of the index is read.

use std::time::Duration;

use countersign_domain::confirmation::Confirmation;
use countersign_domain::login::{KEPT, KEPT_SINCE_CREATION, Login};
use countersign_domain::primitives::idempotency::WINDOW;
use countersign_domain::primitives::time::Timestamp;
use redb::ReadableTable;

use crate::store::batch::Batch;
use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::numbers::{self, Number};
use crate::store::tables::{MAX_OPEN, META, TimeKey, after, read_time_key};
use crate::store::usage::Opened;

/// Counts the open items, and returns the longest validity of an open confirmation.
pub(super) fn open(batch: &Batch<'_>, now: Timestamp) -> Result<(Opened, Duration), Fault> {
    let mut open = Opened::default();
    let longest = batch.read_longest()?;
    // An open confirmation is kept for the window of replays, counted from its creation.
    let (from, to) = (now.plus(WINDOW.saturating_sub(longest)), now.plus(WINDOW));
    let mut found = Duration::ZERO;
    each_open::<Confirmation>(batch, from, to, now, |item, end| {
        open.confirmations.enter(&item.app, end);
        found = found.max(item.expires_at.since(item.created_at));
    })?;
    let (from, to) = (now.plus(KEPT), now.plus(KEPT_SINCE_CREATION));
    each_open::<Login>(batch, from, to, now, |item, end| {
        open.logins.enter(&item.app, end);
    })?;
    Ok((open, found))
}

/// Calls `visit` with each item that is open at `now` and due for removal between `from` and `to`, and
/// with the time until which it is open.
fn each_open<T: Kept>(
    batch: &Batch<'_>,
    from: Timestamp,
    to: Timestamp,
    now: Timestamp,
    mut visit: impl FnMut(&T, Timestamp),
) -> Result<(), Fault> {
    let purge = &batch.tables(T::KIND).purge;
    for entry in purge.range::<&TimeKey>(&after(from)..&after(to))? {
        let id = T::id(&read_time_key(entry?.0.value()).1);
        let item = match batch.stored::<T>(id) {
            Ok(item) => item,
            Err(fault) if fault.concerns_all() => return Err(fault),
            // A damaged record must not stop an app from starting confirmations and logins.
            Err(_) => None,
        };
        let Some(item) = item else { continue };
        if let Some(end) = item.open_until().filter(|end| *end > now) {
            visit(&item, end);
        }
    }
    Ok(())
}

impl Batch<'_> {
    /// Reads the longest validity that a confirmation ever had. If it is missing or damaged, returns
    /// the longest possible.
    pub(super) fn read_longest(&self) -> Result<Duration, Fault> {
        let meta = self.transaction.open_table(META)?;
        let longest = match numbers::read(&meta, MAX_OPEN)? {
            Number::Kept(millis) => Duration::from_millis(millis),
            Number::Absent | Number::Damaged => WINDOW,
        };
        self.usage().locked().longest = Some(longest);
        Ok(longest)
    }

    /// Writes the longest validity that a confirmation ever had.
    pub(super) fn write_longest(&mut self, longest: Duration) -> Result<(), Fault> {
        let millis = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        let mut meta = self.transaction.open_table(META)?;
        numbers::write(&mut meta, MAX_OPEN, millis)?;
        drop(meta);
        self.usage().locked().longest = Some(longest);
        self.mark_changed();
        Ok(())
    }
}
