//! Counts the open items in the file on a thread of its own.
//!
//! It takes about 7 µs for each. Neither the writer nor a caller waits for it.

mod piece;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use countersign_domain::primitives::time::Timestamp;

use super::fault::Fault;
use super::handle::Handle;
use super::usage::{Ticket, Usage};
use piece::Snapshot;

/// Number of index entries that are read from one snapshot, in about 7 ms. The file cannot reuse what
/// the writer frees meanwhile.
const PIECE: usize = 1_000;

/// The thread that counts, if there is one.
#[derive(Debug)]
pub(super) struct Counting {
    handle: Arc<Handle>,
    usage: Usage,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// A count under way.
pub(super) struct Count {
    handle: Arc<Handle>,
    usage: Usage,
    ticket: Ticket,
    /// Items that are open at this time are counted.
    now: Timestamp,
    /// Maximum number of index entries that are read from one snapshot.
    piece: usize,
    stage: Stage,
}

enum Stage {
    Requested,
    Reading(Snapshot),
    Ended,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// There is more to count.
    More,
    /// The count is complete or was forgotten, or the store is closed.
    Ended,
}

impl Counting {
    pub(super) const fn new(handle: Arc<Handle>, usage: Usage) -> Self {
        Self {
            handle,
            usage,
            thread: Mutex::new(None),
        }
    }

    /// Counts the items that are open at `now`: the first piece of each kind at once, the rest on the
    /// thread.
    pub(super) fn begin(&self, now: Timestamp) -> io::Result<()> {
        let Some(mut count) = self.request_at(now, PIECE) else {
            return Ok(());
        };
        for _ in 0..3 {
            if count.step() == Step::Ended {
                return Ok(());
            }
        }
        self.spawn(count)
    }

    /// Starts the thread if a count is needed that nobody has begun.
    pub(super) fn begin_if_needed(&self) {
        if let Some(count) = self.request(PIECE)
            && let Err(cause) = self.spawn(count)
        {
            tracing::warn!(%cause, "cannot start a thread to count open confirmations and logins");
        }
    }

    /// Requests a count of the items that are open at `now`, in pieces of this size. Returns `None` if
    /// somebody has requested one.
    pub(super) fn request_at(&self, now: Timestamp, piece: usize) -> Option<Count> {
        let mut usage = self.usage.locked();
        usage.now = Some(now);
        usage.is_needed = true;
        drop(usage);
        self.request(piece)
    }

    /// Requests a count if one is needed and nobody has requested one.
    fn request(&self, piece: usize) -> Option<Count> {
        let (ticket, now) = self.usage.locked().request_count()?;
        Some(Count {
            handle: Arc::clone(&self.handle),
            usage: self.usage.clone(),
            ticket,
            now,
            piece,
            stage: Stage::Requested,
        })
    }

    fn spawn(&self, mut count: Count) -> io::Result<()> {
        let thread = std::thread::Builder::new()
            .name("countersign-count".to_owned())
            .spawn(move || while count.step() == Step::More {});
        match thread {
            // A former thread's count was forgotten, so that thread ends by itself.
            Ok(thread) => *self.locked_thread() = Some(thread),
            Err(error) => {
                self.usage.locked().tally.forget();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Stops the thread and waits for its end, which takes no longer than reading one item.
    pub(super) fn stop(&self) {
        self.usage.locked().tally.forget();
        let thread = self.locked_thread().take();
        // A panic is recorded as the count's fault.
        let _ = thread.map(JoinHandle::join);
    }

    #[cfg(test)]
    pub(super) const fn usage(&self) -> &Usage {
        &self.usage
    }

    fn locked_thread(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Count {
    /// Takes the first snapshot, or reads a piece from the last one and takes the next.
    pub(super) fn step(&mut self) -> Step {
        let stage = std::mem::replace(&mut self.stage, Stage::Ended);
        let stepping = AssertUnwindSafe(|| match stage {
            Stage::Requested => self.begin(),
            Stage::Reading(snapshot) => self.read(snapshot),
            Stage::Ended => Ok(Stage::Ended),
        });
        match catch_unwind(stepping).unwrap_or(Err(Fault::Panicked)) {
            Ok(Stage::Ended) | Err(Fault::Closed) => Step::Ended,
            Ok(stage) => {
                self.stage = stage;
                Step::More
            }
            Err(fault) => {
                let mut usage = self.usage.locked();
                if !self.ticket.has_ended() {
                    usage.tally.fail(fault);
                }
                Step::Ended
            }
        }
    }

    fn begin(&self) -> Result<Stage, Fault> {
        let mut usage = self.usage.locked();
        if self.ticket.has_ended() {
            return Ok(Stage::Ended);
        }
        let snapshot = Snapshot::take(&self.handle)?;
        usage.tally.begin(snapshot.unread(self.now)?);
        Ok(Stage::Reading(snapshot))
    }

    fn read(&self, snapshot: Snapshot) -> Result<Stage, Fault> {
        let Some(unread) = self.usage.locked().tally.next_unread() else {
            return Ok(Stage::Ended);
        };
        let read = snapshot.read(unread, self.piece, self.now, &self.ticket);
        drop(snapshot);
        let Some(piece) = read? else {
            return Ok(Stage::Ended);
        };
        let mut usage = self.usage.locked();
        if self.ticket.has_ended() {
            return Ok(Stage::Ended);
        }
        usage.tally.add(piece);
        if usage.tally.next_unread().is_none() {
            return Ok(Stage::Ended);
        }
        // Under the lock, so that no batch is committed between the end of a piece and the snapshot.
        Ok(Stage::Reading(Snapshot::take(&self.handle)?))
    }
}
