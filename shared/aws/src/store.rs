//! Documents in one DynamoDB table, one item each.
//!
//! The table has the keys `pk` and `sk` (strings), the attribute `ttl` for expiry, and an index `due` on
//! `due_shard` and `due_at` (numbers) that projects only keys. The index `started`, on `started_by` (string)
//! and `started_at` (number), may be missing; only lists of confirmations and logins need it. The index
//! `apps`, on `app_list` and `pk` (strings), lists the apps, and the association keys of each app.

mod collection;
mod due;
mod fault;
mod item;
mod listing;
mod record;
mod shards;
mod table;

use std::fmt;
use std::num::NonZeroU32;

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::delivery::due::{DueEntry, DueIndex, DuePartition, DueStart};
use countersign_domain::login::KeyId;
use countersign_domain::primitives::entropy::Entropy as _;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::form::{
    FormError, OLDEST_VERSION, VERSION as FORMAT, check_version,
};
use countersign_domain::store::{
    Collection, CreateResult, Document, Items, Key, ListedItem, ListedKey, PageStart,
    ReplaceResult, StoredDocument, Write,
};
use countersign_system::entropy::OsEntropy;

use fault::Fault;
use item::{
    AttributeValue, Attributes, Item, PK, PURGE_AT, REVISION, VERSION, instant, number, of_key,
};
use record::{decode, encode};
pub use shards::DueShards;
use table::{Change, Put, Table, Update, Written};

/// Documents in one DynamoDB table.
pub struct DynamoItems {
    table: Table,
    shards: DueShards,
}

impl DynamoItems {
    /// Creates a store that keeps everything in `table`. The DynamoDB client determines timeouts
    /// and retries.
    #[must_use]
    pub fn new(
        client: aws_sdk_dynamodb::Client,
        table: impl Into<String>,
        shards: DueShards,
    ) -> Self {
        Self {
            table: Table::new(client, table.into()),
            shards,
        }
    }

    /// Connects by reading a small item.
    ///
    /// # Errors
    /// Fails if DynamoDB does not answer or refuses, or if a build from before the first release wrote the table:
    /// such builds stored apps and due deliveries elsewhere.
    pub async fn connect(&self) -> Result<(), Unavailable> {
        let read = async {
            let profile = self.table.get(of_key(&Key::Profile)).await?;
            let version = profile.and_then(|item| Attributes(&item).number(VERSION).ok());
            match version.map(check_version) {
                Some(Err(error @ FormError::Older(_))) => Err(Fault::from(error)),
                // A corrupt item affects only requests that need it.
                _ => Ok(()),
            }
        };
        read.await.map_err(unavailable("store: connect"))
    }

    async fn put(&self, key: &Key, new: &Document, now: Timestamp) -> Result<CreateResult, Fault> {
        let revision = new_revision();
        let mut item = encode(new, self.shards)?;
        item.extend(of_key(key));
        item.insert(REVISION.to_owned(), revision.clone());
        let put = Put {
            item,
            condition: format!(
                "attribute_not_exists(#{PK}) OR (#{PURGE_AT} <= :now \
                 AND #{VERSION} >= :oldest AND #{VERSION} <= :format)"
            ),
            values: Item::from([
                (":now".to_owned(), instant(now)),
                (":oldest".to_owned(), number(OLDEST_VERSION)),
                (":format".to_owned(), number(FORMAT)),
            ]),
        };
        match self.table.put(put).await? {
            Written::Made => Ok(CreateResult::Made),
            // An earlier attempt of this call wrote the item, and its response was lost.
            Written::Refused(Some(item)) if item.get(REVISION) == Some(&revision) => {
                Ok(CreateResult::Made)
            }
            Written::Refused(Some(item)) => Ok(CreateResult::Present(decode(key, item)?)),
            Written::Refused(None) => Err(Fault::NoItem),
        }
    }

    async fn update(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: &Document,
    ) -> Result<ReplaceResult, Fault> {
        let revision = new_revision();
        let update = self.update_of(key, seen, new, &revision)?;
        match self.table.update(update).await? {
            Written::Made => Ok(ReplaceResult::Made),
            // An earlier attempt of this call wrote the item, and its response was lost.
            Written::Refused(Some(item)) if item.get(REVISION) == Some(&revision) => {
                Ok(ReplaceResult::Made)
            }
            Written::Refused(item) => {
                let item = item.map(|item| decode(key, item)).transpose()?;
                Ok(ReplaceResult::Changed(item))
            }
        }
    }

    fn update_of(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: &Document,
        revision: &AttributeValue,
    ) -> Result<Update, Fault> {
        let mut update = difference(
            &encode(&seen.document, self.shards)?,
            encode(new, self.shards)?,
        );
        update.key = of_key(key);
        update.condition = format!("#{REVISION} = :seen");
        update.set(REVISION, revision.clone());
        let seen = AttributeValue::N(seen.revision.0.to_string());
        update.values.insert(":seen".to_owned(), seen);
        Ok(update.finish())
    }

    /// Makes writes of permanent documents, all or none.
    async fn write_all(&self, writes: &[Write]) -> Result<bool, Fault> {
        let changes = writes.iter().map(|Write { key, seen, new }| {
            let revision = new_revision();
            if let Some(seen) = seen {
                return Ok(Change::Update(self.update_of(key, seen, new, &revision)?));
            }
            let mut item = encode(new, self.shards)?;
            item.extend(of_key(key));
            item.insert(REVISION.to_owned(), revision);
            Ok(Change::Put(Put {
                item,
                condition: format!("attribute_not_exists(#{PK})"),
                values: Item::new(),
            }))
        });
        let changes = changes.collect::<Result<Vec<_>, Fault>>()?;
        self.table.write_all(changes).await
    }
}

/// Returns the update that changes an item from `before` to `after`. Attributes that are in neither, which
/// a later release may have added, are preserved.
fn difference(before: &Item, after: Item) -> Update {
    let mut update = Update::default();
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        update.remove(name);
    }
    for (name, value) in after {
        if before.get(&name) != Some(&value) {
            update.set(&name, value);
        }
    }
    update
}

fn new_revision() -> AttributeValue {
    let mut revision = [0; 8];
    OsEntropy.fill(&mut revision);
    number(u64::from_be_bytes(revision))
}

#[async_trait]
impl Items for DynamoItems {
    async fn get(&self, key: &Key) -> Result<Option<StoredDocument>, Unavailable> {
        let read = async {
            let item = self.table.get(of_key(key)).await?;
            Ok(item.map(|item| decode(key, item)).transpose()?)
        };
        read.await.map_err(unavailable("store: get"))
    }

    /// Does not count open items.
    async fn create(
        &self,
        key: &Key,
        new: Document,
        now: Timestamp,
        _: Option<NonZeroU32>,
    ) -> Result<CreateResult, Unavailable> {
        let created = self.put(key, &new, now).await;
        created.map_err(unavailable("store: create"))
    }

    async fn replace(
        &self,
        key: &Key,
        seen: &StoredDocument,
        new: Document,
    ) -> Result<ReplaceResult, Unavailable> {
        let replaced = self.update(key, seen, &new).await;
        replaced.map_err(unavailable("store: replace"))
    }

    async fn write_both(&self, writes: [Write; 2]) -> Result<bool, Unavailable> {
        let written = self.write_all(&writes).await;
        written.map_err(unavailable("store: write both"))
    }

    async fn list(
        &self,
        what: Collection,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Unavailable> {
        let listed = match what {
            Collection::Apps => self.find_apps(limit).await,
            Collection::Audit => self.find_audit(limit).await,
        };
        listed.map_err(unavailable("store: list"))
    }

    async fn started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: PageStart,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Unavailable> {
        let found = self.find_started(kind, app, from, before, limit).await;
        found.map_err(unavailable("store: started"))
    }

    async fn association_keys(
        &self,
        app: &AppId,
        after: Option<KeyId>,
        limit: usize,
    ) -> Result<Vec<ListedKey>, Unavailable> {
        let found = self.find_association_keys(app, after, limit).await;
        found.map_err(unavailable("store: association keys"))
    }
}

#[async_trait]
impl DueIndex for DynamoItems {
    fn parts(&self) -> Vec<DuePartition> {
        self.shards.all().map(DuePartition).collect()
    }

    async fn due(
        &self,
        part: DuePartition,
        now: Timestamp,
        from: DueStart,
        limit: usize,
    ) -> Result<Vec<DueEntry>, Unavailable> {
        let due = self.find_due(part, now, from, limit).await;
        due.map_err(unavailable("store: due"))
    }
}

/// Converts an operation's error into the error of a port.
fn unavailable(what: &'static str) -> impl FnOnce(Fault) -> Unavailable {
    move |fault| match fault {
        Fault::Record(error) => Unavailable::damaged(what, error),
        fault => Unavailable::new(what, fault),
    }
}

impl fmt::Debug for DynamoItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamoItems")
            .field("table", &self.table.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::item::text;
    use super::*;

    #[test]
    fn difference_keeps_what_is_in_neither() {
        let item = |pairs: &[(&str, &str)]| -> Item {
            let pairs = pairs.iter();
            pairs
                .map(|(name, value)| ((*name).to_owned(), text(*value)))
                .collect()
        };
        let before = item(&[("same", "1"), ("gone", "2"), ("other", "3")]);
        let after = item(&[("same", "1"), ("other", "4")]);
        let update = difference(&before, after).finish();
        assert_eq!(update.actions, "SET #other = :other REMOVE #gone");
        assert_eq!(
            update.values,
            Item::from([(":other".to_owned(), text("4"))])
        );
    }
}
