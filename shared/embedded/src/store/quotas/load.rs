//! Counting what is open from the items.
//!
//! A confirmation that is open was created at most as long ago as the longest that one was ever
//! opened for, which the file remembers, and its place in the index of purges follows from when it
//! was created. So only that stretch of the index is read.

use std::time::Duration;

use countersign_domain::login::{KEPT, SCANNED, UNSCANNED};
use countersign_domain::primitives::idempotency::WINDOW;
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use redb::ReadableTable;

use super::Opened;
use crate::store::batch::Batch;
use crate::store::fault::Fault;
use crate::store::login_tables::LoginTables;
use crate::store::numbers::{self, Number};
use crate::store::tables::{MAX_OPEN, META, TimeKey, after, read_time_key};

/// What is open, and the longest time that any of it was opened for.
pub(super) fn open(batch: &mut Batch<'_>, now: Timestamp) -> Result<(Opened, Duration), Fault> {
    let mut open = Opened::default();
    let longest = confirmations(batch, &mut open, now)?;
    logins(batch, &mut open, now)?;
    Ok((open, longest))
}

fn confirmations(
    batch: &mut Batch<'_>,
    open: &mut Opened,
    now: Timestamp,
) -> Result<Duration, Fault> {
    let longest = batch.read_longest()?;
    // It is kept for the window of replays, from when it was created.
    let (from, to) = (now.plus(WINDOW.saturating_sub(longest)), now.plus(WINDOW));
    let mut found = Duration::ZERO;
    for entry in batch.purge.range::<&TimeKey>(&after(from)..&after(to))? {
        let id = ConfirmationId::from_bytes(read_time_key(entry?.0.value()).1);
        let item = match batch.stored(id) {
            Ok(item) => item,
            Err(fault) if fault.concerns_all() => return Err(fault),
            // One bad record must not keep an app from beginning anything.
            Err(_) => None,
        };
        let Some(item) = item else { continue };
        if let Some(end) = item.open_until().filter(|end| *end > now) {
            open.confirmations.enter(&item.app, end);
            found = found.max(item.expires_at.since(item.created_at));
        }
    }
    Ok(found)
}

fn logins(batch: &Batch<'_>, open: &mut Opened, now: Timestamp) -> Result<(), Fault> {
    let tables = LoginTables::open(batch)?;
    let (from, to) = (now.plus(KEPT), now.plus(KEPT).plus(SCANNED.max(UNSCANNED)));
    for entry in tables.purge.range::<&TimeKey>(&after(from)..&after(to))? {
        let id = LoginId::from_bytes(read_time_key(entry?.0.value()).1);
        let item = match tables.get(id) {
            Ok(item) => item,
            Err(fault) if fault.concerns_all() => return Err(fault),
            Err(_) => None,
        };
        let Some(item) = item else { continue };
        if let Some(end) = item.open_until().filter(|end| *end > now) {
            open.logins.enter(&item.app, end);
        }
    }
    Ok(())
}

impl Batch<'_> {
    /// The longest time that a confirmation was opened for; where that cannot be read, the longest
    /// that can be.
    pub(super) fn read_longest(&self) -> Result<Duration, Fault> {
        let meta = self.transaction.open_table(META)?;
        let longest = match numbers::read(&meta, MAX_OPEN)? {
            Number::Kept(millis) => Duration::from_millis(millis),
            Number::Absent | Number::Damaged => WINDOW,
        };
        self.usage().locked().longest = Some(longest);
        Ok(longest)
    }

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
