//! In-memory documents that fail on demand, or change between two calls.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::delivery::due::{DueEntry, DueIndex, DuePartition, DueStart};
use countersign_domain::login::KeyId;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    Collection, CreateResult, Document, Items, Key, ListedItem, ListedKey, PageStart,
    ReplaceResult, StoredDocument, Write,
};
use futures_util::future::BoxFuture;

use crate::model::ModelItems;

/// A call's access to the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access<'a> {
    /// Reads the document under a key.
    Read(&'a Key),
    /// Creates or replaces the document under a key.
    Write(&'a Key),
    /// Lists apps, or an app's confirmations, logins or association keys: at most this many.
    List(usize),
    /// Lists due entries in a part of the index: at most this many.
    Due(DuePartition, usize),
}

type Condition = Box<dyn Fn(Access<'_>) -> bool + Send>;

/// In-memory documents with injected failures.
pub struct FailingItems {
    /// The underlying documents.
    pub items: Arc<ModelItems>,
    fails: Mutex<Condition>,
    damaged: Mutex<BTreeSet<Key>>,
    interruption: Mutex<Option<(Condition, BoxFuture<'static, ()>)>>,
}

impl Default for FailingItems {
    fn default() -> Self {
        Self {
            items: Arc::default(),
            fails: Mutex::new(Box::new(|_| false)),
            damaged: Mutex::default(),
            interruption: Mutex::default(),
        }
    }
}

impl FailingItems {
    /// From now on, makes exactly the calls fail for which `fails` returns true.
    pub fn fail(&self, fails: impl Fn(Access<'_>) -> bool + Send + 'static) {
        *lock(&self.fails) = Box::new(fails);
    }

    /// Makes the documents under these keys unreadable.
    pub fn damage(&self, keys: impl IntoIterator<Item = Key>) {
        lock(&self.damaged).extend(keys);
    }

    /// Runs another change right after the first matching call, as another process would.
    pub fn interrupt(
        &self,
        after: impl Fn(Access<'_>) -> bool + Send + 'static,
        meanwhile: impl Future<Output = ()> + Send + 'static,
    ) {
        let mut interruption = lock(&self.interruption);
        *interruption = Some((Box::new(after), Box::pin(meanwhile)));
    }

    async fn interrupted(&self, access: Access<'_>) {
        let due = lock(&self.interruption).take_if(|(after, _)| after(access));
        if let Some((_, meanwhile)) = due {
            meanwhile.await;
        }
    }

    fn check(&self, access: Access<'_>) -> Result<(), Unavailable> {
        let fails = lock(&self.fails);
        if fails(access) {
            return Err(Unavailable::new("store", "the cable is cut"));
        }
        Ok(())
    }
}

fn lock<T>(content: &Mutex<T>) -> MutexGuard<'_, T> {
    content.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Items for FailingItems {
    async fn get(&self, key: &Key) -> Result<Option<StoredDocument>, Unavailable> {
        self.check(Access::Read(key))?;
        if lock(&self.damaged).contains(key) {
            return Err(Unavailable::damaged("store", "it is damaged"));
        }
        let read = self.items.get(key).await;
        self.interrupted(Access::Read(key)).await;
        read
    }

    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        most_open: Option<NonZeroU32>,
    ) -> Result<CreateResult, Unavailable> {
        self.check(Access::Write(key))?;
        let created = self.items.create(key, new, now, most_open).await;
        self.interrupted(Access::Write(key)).await;
        created
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: Document,
    ) -> Result<ReplaceResult, Unavailable> {
        self.check(Access::Write(key))?;
        let replaced = self.items.replace(key, seen, new).await;
        self.interrupted(Access::Write(key)).await;
        replaced
    }

    async fn write_both(&self, writes: [Write; 2]) -> Result<bool, Unavailable> {
        let keys = writes.each_ref().map(|write| write.key.clone());
        for key in &keys {
            self.check(Access::Write(key))?;
        }
        let written = self.items.write_both(writes).await;
        for key in &keys {
            self.interrupted(Access::Write(key)).await;
        }
        written
    }

    async fn list(
        &self,
        what: Collection,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        self.check(Access::List(limit))?;
        self.items.list(what, limit).await
    }

    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: PageStart,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Unavailable> {
        self.check(Access::List(limit))?;
        self.items.started(kind, app, from, before, limit).await
    }

    async fn association_keys(
        &self,
        app: &AppId,
        after: Option<KeyId>,
        limit: usize,
    ) -> Result<Vec<ListedKey>, Unavailable> {
        self.check(Access::List(limit))?;
        self.items.association_keys(app, after, limit).await
    }
}

#[async_trait]
impl DueIndex for FailingItems {
    fn parts(&self) -> Vec<DuePartition> {
        self.items.parts()
    }

    async fn due(
        &self,
        part: DuePartition,
        now: Timestamp,
        from: DueStart,
        limit: usize,
    ) -> Result<Vec<DueEntry>, Unavailable> {
        self.check(Access::Due(part, limit))?;
        self.items.due(part, now, from, limit).await
    }
}
