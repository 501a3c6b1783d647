//! The scan of the whole store after it was opened, in parallel with all other work.
//!
//! It verifies the checksum of each row, and looks the row up in each index. Only after that is it certain that a
//! document missing from an index does not exist: a flipped bit in an index hides documents, which may include a
//! revocation. An index that contradicts undamaged rows is rebuilt from them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use countersign_domain::primitives::time::Clock as _;
use countersign_system::clock::SystemClock;
use rusqlite::{Connection, InterruptHandle};

use super::derived::{Derived, are_counts_right};
use super::fault::is_damage;
use super::row::Damage;
use super::soundness::{InspectionFindings, Soundness};
use super::walk::{Found, walk};
use super::writer::Writer;
use super::{Fault, OpenError, schema};

/// Number of rows scanned in one transaction. The write-ahead log cannot be restarted in the
/// meantime.
const BATCH: usize = 1000;

/// Interval at which a query is interrupted until it ends.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(1);

/// A scan in progress.
pub(super) struct Inspection {
    thread: Mutex<Option<JoinHandle<()>>>,
    is_stopped: Arc<AtomicBool>,
    query: InterruptHandle,
}

impl Inspection {
    /// Starts the scan.
    pub(super) fn start(
        file: &Path,
        soundness: Arc<Soundness>,
        writer: Arc<Writer>,
    ) -> Result<Self, OpenError> {
        let connection = schema::open(file)?;
        let query = connection.get_interrupt_handle();
        let is_stopped = Arc::new(AtomicBool::default());
        let looker = Inspector {
            connection,
            soundness,
            writer,
            is_stopped: Arc::clone(&is_stopped),
        };
        let thread = std::thread::Builder::new().name("countersign-look".to_owned());
        let thread = thread.spawn(move || looker.look());
        Ok(Self {
            thread: Mutex::new(Some(thread.map_err(OpenError::Thread)?)),
            is_stopped,
            query,
        })
    }

    /// Ends the scan, complete or not.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            while !thread.is_finished() {
                // A query that is about to begin would miss a single interrupt.
                self.query.interrupt();
                std::thread::park_timeout(INTERRUPT_INTERVAL);
            }
            let _ = thread.join();
        }
    }
}

/// Findings of a scan of the indexes and the rows.
#[derive(Debug, Default)]
struct Rows {
    inspected: InspectionFindings,
    wrong: BTreeSet<Derived>,
    /// True if a row, or a part of the table, is damaged.
    is_damaged: bool,
}

struct Inspector {
    connection: Connection,
    soundness: Arc<Soundness>,
    writer: Arc<Writer>,
    is_stopped: Arc<AtomicBool>,
}

impl Inspector {
    fn look(&self) {
        let inspected = self.look_and_rebuild();
        if self.is_stopped() {
            return;
        }
        let is_readable = inspected.is_ok();
        let inspected = inspected.unwrap_or_else(|cause| {
            tracing::error!(%cause, "cannot look for damage in the store");
            InspectionFindings {
                is_incomplete: true,
                ..InspectionFindings::default()
            }
        });
        self.soundness.inspected(inspected);
        if !is_readable {
            return;
        }
        let found = quick_check(&self.connection);
        if found.is_ok() && !self.is_stopped() {
            self.soundness.checked(SystemClock.now());
        }
        match found {
            _ if self.is_stopped() => {}
            Ok(true) if !self.soundness.is_damaged() => {
                tracing::info!("looked for damage in the store and found none");
            }
            Ok(true) => {}
            Ok(false) => self.soundness.note(&Damage::Structure.into(), None),
            Err(cause) => tracing::error!(%cause, "cannot look for damage in the store"),
        }
    }

    fn look_and_rebuild(&self) -> Result<InspectionFindings, Fault> {
        let rows = self.rows()?;
        if rows.is_damaged || rows.wrong.is_empty() || self.is_stopped() {
            return Ok(rows.inspected);
        }
        let (wrong, again) = (rows.wrong.clone(), rows.wrong);
        let rebuilt = self.writer.write_blocking(move |transaction| {
            let mut wrong = wrong.iter();
            wrong.try_for_each(|derived| derived.rebuild(transaction))
        });
        let rebuilt = match rebuilt {
            Err(fault) if fault.is_damage() => self.writer.write_blocking(move |transaction| {
                let mut again = again.iter();
                again.try_for_each(|derived| derived.replace(transaction))
            }),
            rebuilt => rebuilt,
        };
        match rebuilt {
            Ok(()) => tracing::warn!(
                "rebuilt indexes of the store from its documents, which are whole: the disk may be failing"
            ),
            Err(cause) => {
                tracing::error!(%cause, "cannot rebuild damaged indexes of the store");
                return Ok(rows.inspected);
            }
        }
        Ok(self.rows()?.inspected)
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn rows(&self) -> Result<Rows, Fault> {
        let (mut rows, mut after) = (Rows::default(), i64::MIN);
        while !self.is_stopped() {
            let piece = self.connection.unchecked_transaction()?;
            let next = walk(&piece, after, BATCH, &mut |found| {
                self.look_at(found, &mut rows)
            })?;
            piece.finish()?;
            match next {
                Some(next) => after = next,
                None => break,
            }
        }
        if !are_counts_right(&self.connection)? {
            self.soundness
                .note(&Damage::Index.into(), Some("open_counts"));
            rows.wrong.insert(Derived::OpenCounts);
        }
        Ok(rows)
    }

    fn look_at(&self, found: Found, rows: &mut Rows) -> Result<(), Fault> {
        let stored = match found {
            Found::Row(stored) => stored,
            found @ (Found::Unreadable(_) | Found::Gap) => {
                rows.is_damaged = true;
                rows.inspected.is_incomplete |= matches!(found, Found::Gap);
                self.soundness.note(&Damage::Structure.into(), None);
                return Ok(());
            }
        };
        let key = &stored.row.key;
        if !stored.is_sound() {
            rows.is_damaged = true;
            // A document with damaged columns is itself undamaged. The indexes contain the old
            // values of the columns.
            let damage = stored.read().err().unwrap_or(Damage::Column);
            self.soundness.note(&damage.into(), Some(key));
            return Ok(());
        }
        let wrong = Derived::that_lack(&self.connection, &stored)?;
        if !wrong.is_empty() {
            self.soundness.note(&Damage::Index.into(), Some(key));
        }
        rows.inspected.is_started_incomplete |= wrong.contains(&Derived::Started);
        if wrong.contains(&Derived::Keys) {
            rows.inspected.unindexed.insert(key.clone(), stored.number);
        }
        rows.wrong.extend(wrong);
        Ok(())
    }
}

/// Returns whether SQLite finds the file's structure sound.
fn quick_check(connection: &Connection) -> Result<bool, rusqlite::Error> {
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match found {
        Ok(found) => Ok(found == "ok"),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(error),
    }
}
