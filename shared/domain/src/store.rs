//! The store: documents behind one port, and the transitions that change them.
//!
//! A change is one read, one decision and one conditional write. The domain decides; the store
//! writes if the document has not changed since it was read, and otherwise decides again. Each rule
//! is therefore implemented only once, and implementations of [`Items`] know no rules.

mod apps;
mod association_key_lists;
mod association_keys;
mod audit;
mod cache;
mod claims;
mod client_secrets;
mod counted;
mod create;
mod deliveries;
mod document;
pub mod form;
mod history;
mod items;
mod key_uses;
mod link_hosts;
mod listing;
mod lists;
mod openid;
mod phone_registrations;
mod search;
mod test_keys;
mod texts;

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::apps::{
    ChangeAppOutcome, CreateAppOutcome, DeleteAppOutcome, IssueKeyOutcome, KeyLookup,
    RevokeKeyOutcome,
};
pub use self::association_key_lists::{AssociationKeyCursor, AssociationKeyPage};
pub use self::client_secrets::{IssueSecretOutcome, RevokeSecretOutcome};
pub use self::counted::CountChange;
pub use self::document::{
    AppDocument, Candidates, Document, Entity, Key, KeyCount, KeyOwner, KeyUse, OwnerKeys,
    OwnerRegistrations,
};
pub use self::items::{
    Collection, CreateResult, Items, ListedItem, ListedKey, PageStart, ReplaceResult, Revision,
    StoredDocument, Write,
};
pub use self::listing::{
    ConfirmationFilter, Cursor, LastDigits, ListPage, MalformedCursor, MalformedDigits, Period,
};
pub use self::lists::ListPermit;
pub use self::phone_registrations::{MAX_REGISTRATIONS, StartRegistrationOutcome};
pub use self::search::{ConfirmationSearch, LoginSearch, SearchCursor, SearchPage};

use self::cache::Apps;
use self::claims::ClaimStore;
use self::key_uses::KeyUses;
use self::lists::ListCounts;
use crate::app::quota::{Allowance, Quota, QuotaExceeded, QuotaLimit, RateUsage, Rates};
use crate::delivery::Decision;
use crate::primitives::ids::AppId;
use crate::primitives::time::{Clock, Timestamp};
use crate::primitives::unavailable::Unavailable;

/// Maximum number of decisions for one change. Each repetition means that another writer has changed
/// the document.
const MAX_DECISIONS: usize = 64;

/// The store of confirmations, logins, association keys, apps and all other documents.
pub struct Store {
    items: Arc<dyn Items>,
    clock: Arc<dyn Clock>,
    apps: Apps,
    rates: Mutex<Rates>,
    lists: ListCounts,
    claims: ClaimStore,
    key_uses: KeyUses,
}

/// Selects one of an app's rates.
type Rate = fn(&mut Rates) -> &mut RateUsage;

impl Store {
    /// Creates a store that keeps all documents in `items`, including claims of webhooks. The clock
    /// determines the age of cached apps.
    #[must_use]
    pub fn new(items: Arc<dyn Items>, clock: Arc<dyn Clock>) -> Self {
        Self::with(items, clock, ClaimStore::InDocuments)
    }

    /// Creates a store that keeps claims of webhooks in memory, where they end with the process:
    /// for documents that only one process may change.
    #[must_use]
    pub fn alone(items: Arc<dyn Items>, clock: Arc<dyn Clock>) -> Self {
        Self::with(items, clock, ClaimStore::in_memory())
    }

    fn with(items: Arc<dyn Items>, clock: Arc<dyn Clock>, claims: ClaimStore) -> Self {
        Self {
            items,
            clock,
            apps: Apps::default(),
            rates: Mutex::default(),
            lists: ListCounts::default(),
            claims,
            key_uses: KeyUses::default(),
        }
    }

    /// Reads an entity, with strong consistency.
    ///
    /// # Errors
    /// Fails if the entity cannot be read.
    pub async fn get<T: Entity>(&self, key: impl Into<Key>) -> Result<Option<T>, Unavailable> {
        let stored = self.items.get(&key.into()).await?;
        stored.map(|stored| entity(*stored.document)).transpose()
    }

    /// Reads an entity as [`get`](Self::get) does, unless it is past its `purge_at`.
    ///
    /// # Errors
    /// Fails if the entity cannot be read.
    pub async fn find<T: Entity>(
        &self,
        key: impl Into<Key>,
        now: Timestamp,
    ) -> Result<Option<T>, Unavailable> {
        let stored = self.items.get(&key.into()).await?;
        let live = stored.filter(|stored| stored.document.purge_at().is_none_or(|end| now < end));
        live.map(|stored| entity(*stored.document)).transpose()
    }

    /// Applies a decision to a document if it has not changed since it was read. Otherwise reads and
    /// decides again.
    ///
    /// # Errors
    /// Fails if the document cannot be read or written, or if other writers keep changing it.
    pub async fn change<T: Entity, O>(
        &self,
        key: impl Into<Key>,
        decide: impl Fn(Option<T>) -> Decision<T, O>,
    ) -> Result<O, Unavailable> {
        let (outcome, _) = self.change_and_return(key, decide).await?;
        Ok(outcome)
    }

    /// Changes an entity as [`change`](Self::change) does, and also returns the written entity.
    ///
    /// # Errors
    /// Fails as [`change`](Self::change) does.
    pub async fn change_and_return<T: Entity, O>(
        &self,
        key: impl Into<Key>,
        decide: impl Fn(Option<T>) -> Decision<T, O>,
    ) -> Result<(O, Option<T>), Unavailable> {
        self.change_read(self.read(key).await?, decide).await
    }

    /// Reads an entity for a change whose decision needs further data.
    ///
    /// # Errors
    /// Fails if the entity cannot be read.
    pub async fn read<T: Entity>(&self, key: impl Into<Key>) -> Result<ReadEntity<T>, Unavailable> {
        let key = key.into();
        let stored = self.items.get(&key).await?;
        let document = stored.as_ref().map(|stored| stored.document.clone());
        let entity = document.map(|document| entity(*document)).transpose()?;
        Ok(ReadEntity {
            key,
            stored,
            entity,
        })
    }

    /// Changes an entity as [`change_and_return`](Self::change_and_return) does, but reads it again only if it has
    /// changed since.
    ///
    /// # Errors
    /// Fails as [`change`](Self::change) does.
    pub async fn change_read<T: Entity, O>(
        &self,
        read: ReadEntity<T>,
        decide: impl Fn(Option<T>) -> Decision<T, O>,
    ) -> Result<(O, Option<T>), Unavailable> {
        let (key, mut stored) = (&read.key, read.stored);
        for _ in 0..MAX_DECISIONS {
            let current = stored.as_ref().map(|stored| stored.document.clone());
            let current = current.map(|document| entity(*document)).transpose()?;
            let Decision { outcome, write } = decide(current);
            let Some(new) = write else {
                return Ok((outcome, None));
            };
            let document = new.clone().into_document();
            stored = match &stored {
                Some(seen) => match self.items.replace(key, seen, document).await? {
                    ReplaceResult::Made => return Ok((outcome, Some(new))),
                    ReplaceResult::Changed(newer) => newer,
                },
                None => match self
                    .items
                    .create(key, document, BEFORE_ANY_PURGE, None)
                    .await?
                {
                    CreateResult::Made => return Ok((outcome, Some(new))),
                    CreateResult::Present(present) => Some(present),
                    CreateResult::Full { .. } => return Err(contradiction("no limit")),
                },
            };
        }
        Err(others_keep_changing())
    }

    /// Creates an entity within an app's quota, unless its key has a document that is not past its
    /// `purge_at`.
    async fn start<T: Entity>(
        &self,
        (key, new): (&Key, T),
        (app, rate): (&AppId, Rate),
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<StartResult<T>, Unavailable> {
        let Allowance::Within(quota) = allowance else {
            return self.put_new(key, new, now, None).await;
        };
        if let Err(exceeded) = self.count(rate, app, &quota, now) {
            // Existing items are returned even if the rate is used up.
            let present = self.items.get(key).await?.map(|stored| stored.document);
            let live = present.filter(|document| document.purge_at().is_none_or(|end| now < end));
            return Ok(match live {
                Some(document) => StartResult::Present(entity(*document)?),
                None => StartResult::Exceeded(exceeded),
            });
        }
        let started = self.put_new(key, new, now, Some(quota.max_open)).await;
        if !matches!(started, Ok(StartResult::Made)) {
            self.give_back(rate, app, &quota, now);
        }
        started
    }

    async fn put_new<T: Entity>(
        &self,
        key: &Key,
        new: T,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<StartResult<T>, Unavailable> {
        let created = self.items.create(key, new.into_document(), now, most_open);
        Ok(match created.await? {
            CreateResult::Made => StartResult::Made,
            CreateResult::Present(stored) => StartResult::Present(entity(*stored.document)?),
            CreateResult::Full { first_ends_at } => StartResult::Exceeded(QuotaExceeded {
                limit: QuotaLimit::Open,
                retry_after: first_ends_at.since(now),
            }),
        })
    }

    /// Counts a start if the app's rate allows it.
    fn count(
        &self,
        rate: Rate,
        app: &AppId,
        quota: &Quota,
        now: Timestamp,
    ) -> Result<(), QuotaExceeded> {
        rate(&mut self.rates()).count(app, quota, now)
    }

    /// Takes back a counted start that did not happen.
    fn give_back(&self, rate: Rate, app: &AppId, quota: &Quota, now: Timestamp) {
        rate(&mut self.rates()).give_back(app, quota, now);
    }

    fn rates(&self) -> MutexGuard<'_, Rates> {
        self.rates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An entity that was read, as the basis of a change.
#[derive(Debug)]
pub struct ReadEntity<T> {
    key: Key,
    stored: Option<StoredDocument>,
    entity: Option<T>,
}

impl<T: Entity> ReadEntity<T> {
    /// Returns the entity; `None` if it does not exist. The entity may be past its `purge_at`.
    #[must_use]
    pub const fn entity(&self) -> Option<&T> {
        self.entity.as_ref()
    }
}

/// A time before everything, so that nothing counts as purged.
const BEFORE_ANY_PURGE: Timestamp = Timestamp::from_millis(0);

/// The result of starting an item.
enum StartResult<T> {
    Made,
    /// The key already has this item.
    Present(T),
    Exceeded(QuotaExceeded),
}

fn entity<T: Entity>(document: Document) -> Result<T, Unavailable> {
    T::from_document(document).ok_or_else(|| contradiction("a document of another kind"))
}

fn others_keep_changing() -> Unavailable {
    Unavailable::new("store: change", "other writers keep changing the item")
}

fn contradiction(what: &'static str) -> Unavailable {
    Unavailable::new("store", format!("it contradicts itself: {what}"))
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}
