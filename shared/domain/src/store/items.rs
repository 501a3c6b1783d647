//! The port to the storage of documents.

use std::num::NonZeroU32;

use async_trait::async_trait;

use super::document::{Document, Key};
use crate::delivery::{DeliveryKind, DeliverySubject};
use crate::login::KeyId;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// A storage of documents, each under its key.
///
/// Every implementation MUST
/// - make each write atomic and conditional as its method requires, whatever runs concurrently;
/// - have its writes on disk (or replicated) before it returns;
/// - return the latest write from every read of a key;
/// - keep each document until its [`Document::purge_at`], and remove it some time afterwards.
///
/// The test suite `countersign_conformance::suite` checks all of these.
#[async_trait]
pub trait Items: Send + Sync {
    /// Returns the document under a key, even if it is past its `purge_at`.
    async fn get(&self, key: &Key) -> Result<Option<StoredDocument>, Unavailable>;

    /// Writes a document, unless the key has a document that is not past its `purge_at`.
    ///
    /// With `most_open`, an implementation that counts an app's open documents ([`Document::open`])
    /// MUST refuse to exceed that number; one that cannot count them writes the document.
    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<CreateResult, Unavailable>;

    /// Replaces a document if it has not changed since it was read.
    async fn replace(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: Document,
    ) -> Result<ReplaceResult, Unavailable>;

    /// Makes both writes if neither document has changed since it was read, and otherwise none. Returns whether they were
    /// made. Both keys MUST be [permanent](Key::is_permanent), and different.
    async fn write_both(&self, writes: [Write; 2]) -> Result<bool, Unavailable>;

    /// Returns at most `limit` documents of a kind, in order. A document that cannot be read is
    /// replaced by its error. Documents created in the last few seconds may be missing; all others
    /// are in their latest version.
    async fn list(
        &self,
        what: Collection,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable>;

    /// Returns at most `limit` of the confirmations or logins that an app started since one time and before another,
    /// newest first. Items of the same millisecond MUST have the same order each time. Items of the last few seconds
    /// may be missing, and items past their `purge_at` may be included. The result is empty only if no more items
    /// follow: an item that cannot be read is replaced by its error.
    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: PageStart,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Unavailable>;

    /// Returns at most `limit` of an app's association keys, ordered by the text form of their ids, from the first one
    /// after `after`. Tombstones may be included, and keys registered in the last few seconds may be missing. The result
    /// is empty only if no more keys follow: a key that cannot be read is replaced by its error.
    async fn association_keys(
        &self,
        app: &AppId,
        after: Option<KeyId>,
        limit: usize,
    ) -> Result<Vec<ListedKey>, Unavailable>;
}

/// An association key in a list, with its position there.
#[derive(Debug)]
pub struct ListedKey {
    pub id: KeyId,
    pub document: Result<Document, Unavailable>,
}

/// A confirmation or login in a list, with its position there.
#[derive(Debug)]
pub struct ListedItem {
    pub started_at: Timestamp,
    pub subject: DeliverySubject,
    pub document: Result<Document, Unavailable>,
}

/// A position in the order of confirmations or logins, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStart {
    /// Before the first item that was started at this time or later.
    Time(Timestamp),
    /// After this item in the list, which was started at this time.
    Item(Timestamp, DeliverySubject),
}

/// Kinds of documents that can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// The apps, ordered by name.
    Apps,
    /// Administrators' commands, newest first. Records past their `purge_at` may be included.
    Audit,
}

impl Collection {
    /// Returns the prefix of the keys' text forms.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Apps => "APP#",
            Self::Audit => "AUDIT#",
        }
    }

    /// Returns whether the order is that of the keys, as opposed to its reverse.
    #[must_use]
    pub const fn is_ascending(self) -> bool {
        matches!(self, Self::Apps)
    }
}

/// The revision of a document, which changes with each write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision(pub u64);

/// A document that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDocument {
    pub document: Box<Document>,
    pub revision: Revision,
}

/// A write of a document that was read.
#[derive(Clone, Debug)]
pub struct Write {
    pub key: Key,
    /// The document as it was read; `None` if there was none.
    pub seen: Option<StoredDocument>,
    pub new: Document,
}

/// The result of creating a document.
#[derive(Clone, Debug, PartialEq)]
pub enum CreateResult {
    /// The document was written.
    Made,
    /// The key already has this document.
    Present(StoredDocument),
    /// The app has reached its maximum number of open documents of this kind.
    Full {
        /// The time at which the first of them expires.
        first_ends_at: Timestamp,
    },
}

/// The result of replacing a document.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplaceResult {
    /// The document was written.
    Made,
    /// The key now has this document, or none.
    Changed(Option<StoredDocument>),
}
