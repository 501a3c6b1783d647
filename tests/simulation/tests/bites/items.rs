//! Faults of what keeps documents: which promises each breaks, and within how many seeds.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_conformance::model::ModelItems;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::delivery::due::{Due, DueFrom, DueIndex, DuePart};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    Before, Created, Document, Items, Key, Listed, Listing, Replaced, Stored,
};
use countersign_simulation::oracle::Promise::{self, *};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Nothing,
    /// A new document replaces the present one.
    CreateOverwrites,
    /// Nobody is told that another call has replaced the document meanwhile.
    ReplaceForgetsTheRevision,
    /// The answer is that the change was made, and nothing is written.
    ConfirmationsAreNotWritten,
    LoginsAreNotWritten,
    KeysAreNotWritten,
    /// A sweep that never runs.
    DueFindsNothing,
    DueFindsNoLogins,
}

/// Each fault, the promises that it may break first, and the number of seeds within which it must.
pub(super) const FAULTS: &[(Fault, &[Promise], u64)] = &[
    (
        Fault::CreateOverwrites,
        &[
            HistoryKept,
            SameAnswerAgain,
            VerifiedOnce,
            CancelKept,
            EndKept,
            CreatorOnly,
        ],
        50,
    ),
    (
        Fault::ReplaceForgetsTheRevision,
        &[
            VerifiedOnce,
            CancelKept,
            HistoryKept,
            OneMiss,
            OneAtATime,
            EndKept,
            OnePhone,
            PayloadOnce,
            Watched,
        ],
        100,
    ),
    (
        Fault::ConfirmationsAreNotWritten,
        &[TextKept, PostedIfClaimed, Redaction],
        50,
    ),
    (
        Fault::LoginsAreNotWritten,
        &[
            OnePhone,
            PayloadKept,
            CancelKept,
            DenialKept,
            StatusTrue,
            SameAnswerAgain,
            Watched,
        ],
        50,
    ),
    (Fault::KeysAreNotWritten, &[RevokedAtOnce], 50),
    (Fault::DueFindsNothing, &[Found, Redelivered], 200),
    (Fault::DueFindsNoLogins, &[Found], 200),
];

/// The model with a fault.
pub(super) struct BrokenItems {
    pub(super) model: Arc<ModelItems>,
    pub(super) fault: Fault,
}

#[async_trait]
impl Items for BrokenItems {
    async fn get(&self, key: &Key) -> Result<Option<Stored>, Unavailable> {
        self.model.get(key).await
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<Created, Unavailable> {
        let created = self.model.create(key, new.clone(), now, most_open).await?;
        if self.fault == Fault::CreateOverwrites
            && let Created::Present(stored) = &created
        {
            self.model.replace(key, stored, new).await?;
            return Ok(Created::Made);
        }
        Ok(created)
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &Stored,
        new: Document,
    ) -> Result<Replaced, Unavailable> {
        let forgotten = matches!(
            (self.fault, &new),
            (Fault::ConfirmationsAreNotWritten, Document::Confirmation(_))
                | (Fault::LoginsAreNotWritten, Document::Login(_))
                | (Fault::KeysAreNotWritten, Document::AssociationKey(_))
        );
        if forgotten {
            return Ok(Replaced::Made);
        }
        let replaced = self.model.replace(key, seen, new.clone()).await?;
        if self.fault == Fault::ReplaceForgetsTheRevision
            && let Replaced::Changed(Some(stored)) = &replaced
        {
            return self.model.replace(key, stored, new).await;
        }
        Ok(replaced)
    }

    async fn list(
        &self,
        what: Listing,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        self.model.list(what, limit).await
    }

    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: Before,
        limit: usize,
    ) -> Result<Vec<Listed>, Unavailable> {
        self.model.started(kind, app, from, before, limit).await
    }
}

#[async_trait]
impl DueIndex for BrokenItems {
    fn parts(&self) -> Vec<DuePart> {
        self.model.parts()
    }

    async fn due(
        &self,
        part: DuePart,
        now: Timestamp,
        from: DueFrom,
        limit: usize,
    ) -> Result<Vec<Due>, Unavailable> {
        let mut due = self.model.due(part, now, from, limit).await?;
        due.retain(|due| match self.fault {
            Fault::DueFindsNothing => false,
            Fault::DueFindsNoLogins => due.subject.kind() != DeliveryKind::Logins,
            _ => true,
        });
        Ok(due)
    }
}
