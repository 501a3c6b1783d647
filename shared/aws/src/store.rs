//! The store on DynamoDB: one table, one item for each confirmation and each login, one conditional
//! write for each transition.
//!
//! The domain decides transitions ([`countersign_domain::confirmation::transitions`] and
//! [`countersign_domain::login::transitions`]) on the item that was read; the write fails if another
//! writer changed the item, and DynamoDB returns the changed one to decide on.

mod apps;
mod association_keys;
mod attributes;
mod cache;
mod change;
mod confirmations;
mod deliveries;
mod due;
mod fault;
mod history;
mod item;
mod lane;
mod listing;
mod logins;
mod rates;
mod record;
mod table;
mod texts;
mod transact;

use std::fmt;
use std::sync::Arc;

use countersign_api::Causes;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_system::clock::SystemClock;

use attributes::Key;
use cache::AppCache;
use change::Change;
use fault::Fault;
use item::Item;
use listing::Listing;
use rates::InstanceRates;
use table::{Table, Written};

/// Confirmations, logins, the history of logins, apps and API keys in one DynamoDB table.
///
/// The table has the keys `pk` and `sk` (strings), the attribute `ttl` for expiry, and an index
/// `due` on `due_shard` and `due_at` (numbers) that projects keys alone.
pub struct DynamoStore {
    table: Table,
    clock: Arc<dyn Clock>,
    cache: AppCache,
    listing: Listing,
    rates: InstanceRates,
}

impl DynamoStore {
    /// Stores everything in `table`. The client of DynamoDB decides on timeouts and retries.
    #[must_use]
    pub fn new(client: aws_sdk_dynamodb::Client, table: impl Into<String>) -> Self {
        Self {
            table: Table::new(client, table.into()),
            clock: Arc::new(SystemClock),
            cache: AppCache::default(),
            listing: Listing::default(),
            rates: InstanceRates::default(),
        }
    }

    /// Uses another clock for the age of cached apps.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Connects, by reading a small item.
    ///
    /// # Errors
    /// Fails if DynamoDB does not answer, or refuses.
    pub async fn connect(&self) -> Result<(), Unavailable> {
        let read = self.get(Key::profile()).await;
        read.map(|_| ()).map_err(unavailable("store: connect"))
    }

    /// Connects, by reading the first apps with their keys, so that the first request of each needs no
    /// read for its key. Without the right to list apps it connects as others do, and requests look
    /// apps up.
    ///
    /// # Errors
    /// Fails if DynamoDB does not answer, or refuses both.
    pub async fn connect_with_apps(&self) -> Result<(), Unavailable> {
        match self.cache_first_apps().await {
            Ok(()) => Ok(()),
            Err(cause) if cause.is_denied() => {
                tracing::warn!(cause = %Causes(&cause), "started without a list of apps");
                self.connect().await
            }
            Err(cause) => Err(unavailable("store: connect")(cause)),
        }
    }

    /// Reads an item, strongly consistent.
    async fn get(&self, key: Key) -> Result<Option<Item>, Fault> {
        self.table.get(key).await
    }

    /// Makes a change, if its conditions hold.
    async fn make(&self, change: Change) -> Result<Written, Fault> {
        let is_ours = change.mark();
        Ok(match self.table.update(change.into_update()).await? {
            // An earlier attempt of this call wrote it, and its response was lost.
            Written::Refused(Some(item)) if is_ours(&item) => Written::Made(item),
            written => written,
        })
    }
}

/// Turns a fault of an operation into the error of a port.
fn unavailable(what: &'static str) -> impl FnOnce(Fault) -> Unavailable {
    move |fault| Unavailable::new(what, fault)
}

impl fmt::Debug for DynamoStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamoStore")
            .field("table", &self.table.name)
            .finish_non_exhaustive()
    }
}
