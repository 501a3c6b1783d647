//! How the writer gets over a failed write.
//!
//! The batch whose write failed is an error to all its callers, though it may be found on disk
//! later: nobody knows before the file is opened again. The file is opened again at once, if need be
//! for reading alone, so that reads go on from the last whole commit. Whether writes work again is tried each second, first
//! beside the database. What is asked for meanwhile is refused.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use super::directory::Directory;
use super::fault::Fault;
use super::tables::{META, PROBE};
use super::writer::{Job, Thread};

/// How long a refused caller waits at most.
const REFUSAL_POLL: Duration = Duration::from_millis(20);

/// How often it is tried whether writes work again.
const RETRY: Duration = Duration::from_secs(1);

/// How often at most, while the database itself fails where the probe does not: opening it again
/// reads the whole file.
const MAX_RETRY: Duration = Duration::from_mins(1);

/// Whether the store can go on.
pub(super) enum Recovery {
    Recovered,
    /// The store was closed meanwhile.
    Closed,
}

impl Thread {
    /// Refuses whatever is asked for until writes work again.
    pub(super) fn recover(
        &self,
        fault: &Fault,
        received: &mut mpsc::Receiver<Box<dyn Job>>,
    ) -> Recovery {
        tracing::error!(
            cause = %fault,
            "the store cannot write; it refuses writes until it can"
        );
        let mut opened = self.open_again();
        let (mut wait, mut next) = (RETRY, Instant::now() + RETRY);
        loop {
            match received.try_recv() {
                Ok(job) => {
                    job.answer(&Err(fault.clone()));
                    continue;
                }
                Err(TryRecvError::Disconnected) => return Recovery::Closed,
                Err(TryRecvError::Empty) => std::thread::sleep(REFUSAL_POLL),
            }
            if Instant::now() < next {
                continue;
            }
            let working = self.handle.probe().is_ok();
            if working && !opened {
                opened = self.open_again();
            }
            if working && opened {
                match self.write_probe() {
                    Ok(()) => {
                        tracing::info!("the store can write again");
                        return Recovery::Recovered;
                    }
                    Err(again) => {
                        tracing::warn!(cause = %again, "the store still cannot write");
                        opened = self.open_again();
                        wait = (wait * 2).min(MAX_RETRY);
                    }
                }
            }
            next = Instant::now() + wait;
        }
    }

    /// Opens the file again, and reads apps and keys again: the failed batch may be on disk.
    fn open_again(&self) -> bool {
        let opened = self.handle.reopen();
        let loaded = opened.and_then(|database| Ok(Directory::load(&database)?));
        match loaded {
            Ok(directory) => {
                *self
                    .directory
                    .write()
                    .unwrap_or_else(PoisonError::into_inner) = directory;
                true
            }
            Err(cause) => {
                tracing::warn!(cause = %cause, "the store cannot be opened again yet");
                false
            }
        }
    }

    /// Commits something that nobody reads.
    fn write_probe(&self) -> Result<(), Fault> {
        let database = self.handle.get()?;
        let transaction = database.begin_write()?;
        let probe = [].as_slice();
        transaction.open_table(META)?.insert(PROBE, probe)?;
        Ok(transaction.commit()?)
    }
}
