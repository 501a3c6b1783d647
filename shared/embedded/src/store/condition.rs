//! The condition of the store, for operators.

use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_system::private_files::PrivateDirectory;
use rusqlite::{OptionalExtension as _, params};

use super::long_reads::ReadOwner;
use super::row::millis;
use super::{STORE_FILE, SqliteItems, started_by, unavailable};

/// The size of the store, and the known damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The size of the file and its log, in bytes.
    pub bytes: u64,
    /// Time at which the scan after startup ended; `None` if it has not.
    pub checked_at: Option<Timestamp>,
    /// Number of damaged documents and other damaged places that were found, up to 1,000.
    pub damaged: usize,
}

impl SqliteItems {
    /// Returns the size of the store, and the damage found since it was opened.
    #[must_use]
    pub fn condition(&self) -> Condition {
        let file = |suffix| {
            let file = self.directory.path().join(format!("{STORE_FILE}{suffix}"));
            // The log is missing until the first write.
            std::fs::metadata(file).map_or(0, |data| data.len())
        };
        Condition {
            bytes: file("") + file("-wal"),
            checked_at: self.soundness.checked_at(),
            damaged: self.soundness.damaged(),
        }
    }

    /// Returns the directory of the store.
    #[must_use]
    pub const fn directory(&self) -> &PrivateDirectory {
        &self.directory
    }

    /// Returns whether an app has at least `least` open confirmations or logins, and if so, how many, counting no
    /// further than `most`.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn open_at_least(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        now: Timestamp,
        (least, most): (u32, u32),
    ) -> Result<Option<u32>, Unavailable> {
        let (started_by, now) = (started_by(kind, app), millis(now));
        let counted = self
            .long_reads
            .read(ReadOwner::Operator, move |connection| {
                // This count includes items that have expired since, and so it is an upper bound.
                let upper: Option<u32> = connection
                    .prepare_cached("SELECT n FROM open_counts WHERE started_by = ?1")?
                    .query_row([&started_by], |row| row.get(0))
                    .optional()?;
                if upper.unwrap_or(0) < least {
                    return Ok(None);
                }
                let open: u32 = connection
                    .prepare_cached(
                        "SELECT count(*) FROM (SELECT 1 FROM documents INDEXED BY open \
                     WHERE started_by = ?1 AND open_until > ?2 LIMIT ?3)",
                    )?
                    .query_row(params![started_by, now, most], |row| row.get(0))?;
                Ok((open >= least).then_some(open))
            });
        counted.await.map_err(unavailable("store: open items"))
    }
}
