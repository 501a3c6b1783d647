//! The audit log of administrators' commands. Records are added, and completed once; they never change
//! otherwise.

use super::document::{Document, Key};
use super::items::{Collection, CreateResult};
use super::{BEFORE_ANY_PURGE, Store, contradiction, entity};
use crate::app::audit::{AuditEnd, AuditId, AuditRecord};
use crate::delivery::Decision;
use crate::primitives::unavailable::Unavailable;

impl Store {
    /// Adds a record.
    ///
    /// # Errors
    /// Fails if the record cannot be written.
    pub async fn record(&self, id: AuditId, record: AuditRecord) -> Result<(), Unavailable> {
        let new = Document::Audit(record);
        match self
            .items
            .create(&Key::Audit(id), new, BEFORE_ANY_PURGE, None)
            .await?
        {
            CreateResult::Made => Ok(()),
            CreateResult::Present(_) | CreateResult::Full { .. } => {
                Err(contradiction("two records"))
            }
        }
    }

    /// Completes a record, unless it is already complete.
    ///
    /// # Errors
    /// Fails if the record cannot be written.
    pub async fn complete_record(&self, id: AuditId, end: AuditEnd) -> Result<(), Unavailable> {
        let decide = |record: Option<AuditRecord>| Decision {
            outcome: (),
            write: record
                .filter(|record| record.end.is_none())
                .map(|record| AuditRecord {
                    end: Some(end.clone()),
                    ..record
                }),
        };
        self.change(Key::Audit(id), decide).await
    }

    /// Returns at most `limit` records, newest first, and the number of those that were skipped because they cannot
    /// be read.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn records(&self, limit: usize) -> Result<(Vec<AuditRecord>, usize), Unavailable> {
        let listed = self.items.list(Collection::Audit, limit).await?;
        let count = listed.len();
        let records = listed.into_iter().flatten();
        let records = records.filter_map(|document| entity(document).ok());
        let records: Vec<_> = records.collect();
        let left_out = count - records.len();
        Ok((records, left_out))
    }
}
