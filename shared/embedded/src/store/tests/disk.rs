//! A disk in memory that distinguishes between written and flushed data.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use countersign_conformance::chance::Chance;
use redb::{Database, StorageBackend};

use crate::store::handle::Medium;
use crate::store::open::unchanged;
use crate::store::overlay::{Overlay, Under};
use crate::store::writer::THREAD_NAME;
use crate::store::{CACHE_BYTES, OpenError};

/// Time after which a waiting test fails.
const HANGS: Duration = Duration::from_mins(1);

/// A disk in memory. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    state: Arc<Mutex<State>>,
    changed: Arc<Condvar>,
}

#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fault that a test sets by itself"
)]
struct State {
    /// Content that reads see.
    content: Vec<u8>,
    /// Content at the last sync, which survives every crash.
    safe: Vec<u8>,
    /// Changes since the last sync, in order. Those before a sync that failed are not among them: the
    /// system counts them as written, and no later sync writes them.
    unsafe_yet: Vec<Change>,
    /// Number of successful syncs.
    syncs: u64,
    /// Number of reads by the writer's thread.
    writer_reads: u64,
    /// Whether syncs block.
    held: bool,
    /// Whether a sync is blocked now.
    waiting: bool,
    /// Error that writes and syncs return, if they are to fail.
    trouble: Option<io::ErrorKind>,
    /// Whether the next sync fails, although writes and later syncs work.
    loses_next_sync: bool,
    /// Whether the probe succeeds even if writes fail.
    lying: bool,
    /// Number of times the database was opened for writing.
    opened: u32,
    /// Whether opening for writing blocks.
    opening_held: bool,
}

#[derive(Clone, Debug)]
enum Change {
    Length(usize),
    Write(usize, Vec<u8>),
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Length(length) => content.resize(*length, 0),
            Self::Write(offset, data) => {
                let end = offset + data.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*offset..end].copy_from_slice(data);
            }
        }
    }
}

impl Disk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Returns the number of successful syncs.
    pub(super) fn syncs(&self) -> u64 {
        self.lock().syncs
    }

    /// Returns the number of reads by the writer's thread.
    pub(super) fn writer_reads(&self) -> u64 {
        self.lock().writer_reads
    }

    /// Makes syncs block.
    pub(super) fn hold(&self) {
        self.lock().held = true;
    }

    /// Blocks the thread until a sync is blocked.
    pub(super) fn until_held(&self) {
        let mut state = self.lock();
        while !state.waiting {
            let (still, waited) = self.changed.wait_timeout(state, HANGS).unwrap();
            assert!(!waited.timed_out(), "no sync was started");
            state = still;
        }
    }

    /// Lets syncs continue.
    pub(super) fn release(&self) {
        self.lock().held = false;
        self.changed.notify_all();
    }

    /// Makes every write and every sync fail.
    pub(super) fn break_down(&self, trouble: io::ErrorKind) {
        self.lock().trouble = Some(trouble);
    }

    /// Makes the next sync fail, although writes and later syncs work.
    pub(super) fn lose_next_sync(&self) {
        self.lock().loses_next_sync = true;
    }

    /// Makes the probe succeed even if writes fail.
    pub(super) fn lie(&self) {
        self.lock().lying = true;
    }

    /// Returns how often the database was opened for writing.
    pub(super) fn opened(&self) -> u32 {
        self.lock().opened
    }

    /// Makes opening for writing block.
    pub(super) fn hold_opening(&self) {
        self.lock().opening_held = true;
    }

    /// Lets opening for writing continue.
    pub(super) fn release_opening(&self) {
        self.lock().opening_held = false;
        self.changed.notify_all();
    }

    /// Makes writes and syncs work again.
    pub(super) fn mend(&self) {
        self.lock().trouble = None;
    }

    /// Returns the disk as it would be after a power loss now: all flushed data, while of the later
    /// writes some are complete, some are torn and some are missing.
    pub(super) fn after_power_loss(&self, luck: &mut Chance) -> Self {
        let state = self.lock();
        let mut content = state.safe.clone();
        for change in &state.unsafe_yet {
            match change {
                _ if luck.once_in(3) => {}
                Change::Write(offset, data) if luck.once_in(3) => {
                    let torn = usize::try_from(luck.below(data.len() as u64)).unwrap();
                    Change::Write(*offset, data[..torn].to_vec()).apply(&mut content);
                }
                change => change.apply(&mut content),
            }
        }
        // Files are extended before anything is written to the new part.
        let length = content.len().max(state.content.len());
        content.resize(length, 0);
        Self::holding(content)
    }

    /// Returns the disk as it would be if the process were killed now: with everything written.
    pub(super) fn after_kill(&self) -> Self {
        Self::holding(self.lock().content.clone())
    }

    fn holding(content: Vec<u8>) -> Self {
        let state = State {
            safe: content.clone(),
            content,
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            changed: Arc::default(),
        }
    }
}

impl State {
    fn works(&self) -> io::Result<()> {
        self.trouble.map_or(Ok(()), |trouble| Err(trouble.into()))
    }
}

impl Medium for Disk {
    fn open(&self) -> Result<Database, OpenError> {
        let mut state = self.lock();
        state.opened += 1;
        while state.opening_held {
            let (still, waited) = self.changed.wait_timeout(state, HANGS).unwrap();
            state = still;
            // See `sync_data`.
            state.opening_held &= !waited.timed_out();
        }
        drop(state);
        let opened = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(self.clone());
        opened.map_err(|error| OpenError::Unreadable(error.into()))
    }

    fn open_after_failure(&self) -> Result<Database, OpenError> {
        let mut state = self.lock();
        let mut content = state.safe.clone();
        for change in &state.unsafe_yet {
            change.apply(&mut content);
        }
        state.content = content;
        drop(state);
        self.open()
    }

    fn open_unchanged(&self) -> Result<Database, OpenError> {
        let below = Overlay::new(Self::clone(self)).unwrap();
        unchanged(below, CACHE_BYTES)
    }

    fn probe(&self) -> io::Result<()> {
        let state = self.lock();
        if state.lying {
            return Ok(());
        }
        state.works()
    }
}

impl Under for Disk {
    fn len(&self) -> io::Result<u64> {
        StorageBackend::len(self)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        StorageBackend::read(self, offset, out)
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.lock().content.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).unwrap();
        let mut state = self.lock();
        if std::thread::current().name() == Some(THREAD_NAME) {
            state.writer_reads += 1;
        }
        let found = state.content.get(offset..offset + out.len());
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut state = self.lock();
        let change = Change::Length(usize::try_from(length).unwrap());
        change.apply(&mut state.content);
        state.unsafe_yet.push(change);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.lock();
        while state.held {
            state.waiting = true;
            self.changed.notify_all();
            let (still, waited) = self.changed.wait_timeout(state, HANGS).unwrap();
            state = still;
            // A failed test never releases the disk, and its store must still be able to close.
            state.held &= !waited.timed_out();
        }
        state.waiting = false;
        let changes = std::mem::take(&mut state.unsafe_yet);
        let loses = std::mem::take(&mut state.loses_next_sync);
        state.works()?;
        for change in changes {
            if !loses || matches!(change, Change::Length(_)) {
                change.apply(&mut state.safe);
            }
        }
        if loses {
            return Err(io::ErrorKind::Other.into());
        }
        state.syncs += 1;
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        state.works()?;
        let change = Change::Write(usize::try_from(offset).unwrap(), data.to_vec());
        change.apply(&mut state.content);
        state.unsafe_yet.push(change);
        Ok(())
    }
}
