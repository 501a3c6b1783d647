//! The port to what keeps documents.

use std::num::NonZeroU32;

use async_trait::async_trait;

use super::document::{Document, Key};
use crate::delivery::{DeliveryKind, DeliverySubject};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Keeps documents, each under its key.
///
/// Every implementation MUST
/// - make each write atomic and conditional as its method says, whatever runs concurrently;
/// - have its writes on disk (or replicated) before it answers;
/// - read what was written before;
/// - keep each document until its [`Document::purge_at`], and remove it some time later.
///
/// The suite `countersign_conformance::suite` checks all of this.
#[async_trait]
pub trait Items: Send + Sync {
    /// Returns the document under a key, also one that is past its `purge_at`.
    async fn get(&self, key: &Key) -> Result<Option<Stored>, Unavailable>;

    /// Writes a document, unless the key has one that is not past its `purge_at`.
    ///
    /// With `most_open`, an implementation that counts the open documents of an app
    /// ([`Document::open`]) MUST refuse one more than that many; one that cannot count them writes it.
    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<Created, Unavailable>;

    /// Replaces a document if it is still the one that was seen.
    async fn replace(
        &self,
        key: &Key,
        seen: &Stored,
        new: Document,
    ) -> Result<Replaced, Unavailable>;

    /// Returns all documents of a kind in their order, at most `limit` of them. One that cannot be read
    /// has its error in its place. May lack one that was created in the last seconds; the others are
    /// as they were last written.
    async fn list(
        &self,
        what: Listing,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable>;

    /// Returns the confirmations or logins that an app started from a time on and before another, newest first, at most `limit`
    /// of them. Items of one millisecond MUST have the same order each time. May lack items
    /// of the last seconds, and include items past their `purge_at`. There are none only if none follow:
    /// one that cannot be read has its error in its place.
    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: Before,
        limit: usize,
    ) -> Result<Vec<Listed>, Unavailable>;
}

/// A confirmation or login in a list, with its place there.
#[derive(Debug)]
pub struct Listed {
    pub started_at: Timestamp,
    pub subject: DeliverySubject,
    pub document: Result<Document, Unavailable>,
}

/// A place in the order of confirmations or logins, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Just before the first one that was started at this time or later.
    Time(Timestamp),
    /// Just after this one in the list, which was started at this time.
    Item(Timestamp, DeliverySubject),
}

/// Documents that can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The apps, by their names.
    Apps,
    /// Administrators' commands, newest first. May include records past their `purge_at`.
    Audit,
}

impl Listing {
    /// Returns what the text forms of the keys begin with.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Apps => "APP#",
            Self::Audit => "AUDIT#",
        }
    }

    /// Returns whether the order is that of the keys, and not its reverse.
    #[must_use]
    pub const fn is_ascending(self) -> bool {
        matches!(self, Self::Apps)
    }
}

/// Revision of a document, which changes with each write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision(pub u64);

/// A document as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    pub document: Box<Document>,
    pub revision: Revision,
}

/// The result of creating a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Created {
    /// It is written.
    Made,
    /// The key has this document.
    Present(Stored),
    /// The app has as many open documents of its kind as it may.
    Full {
        /// The time at which the first of them ends.
        first_ends_at: Timestamp,
    },
}

/// The result of replacing a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Replaced {
    /// It is written.
    Made,
    /// The key has this document now, or none.
    Changed(Option<Stored>),
}
