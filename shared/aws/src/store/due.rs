//! What is due, over every shard of the index.

use std::ops::Range;

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::ports::{Due, DueNotice};
use countersign_domain::time::Timestamp;
use futures_util::future::try_join_all;

use super::DynamoStore;
use super::attributes::{
    CONFIRMATION_SHARDS, DUE, DUE_AT, DUE_SHARD, NOTICE_SHARDS, PK, confirmation_of, login_of,
};
use super::change::names_in;
use super::fault::Fault;
use super::item::{Attributes, Item, instant, number};

impl DynamoStore {
    /// The confirmations' deliveries that are longest due.
    pub(super) async fn due_confirmations(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Due>, Fault> {
        let entry = |due_at, pk: &str| {
            confirmation_of(pk).map(|confirmation| Due {
                due_at,
                confirmation,
            })
        };
        self.find_due(CONFIRMATION_SHARDS, entry, now, limit).await
    }

    /// The logins' notices that are longest due.
    pub(super) async fn longest_due_notices(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<DueNotice>, Fault> {
        let entry = |due_at, pk: &str| login_of(pk).map(|session| DueNotice { due_at, session });
        self.find_due(NOTICE_SHARDS, entry, now, limit).await
    }

    /// The longest due of these shards. `entry` reads one: `None` where it is of a kind that this
    /// release does not know.
    async fn find_due<E: Ord + Clone>(
        &self,
        shards: Range<u8>,
        entry: impl Fn(Timestamp, &str) -> Option<E>,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<E>, Fault> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let queries = shards.map(|shard| self.due_in(shard, &entry, now, limit));
        let mut due = try_join_all(queries).await?.concat();
        due.sort();
        due.truncate(limit);
        Ok(due)
    }

    /// The longest due of one shard, as many as there may be in all: they may all be in it.
    async fn due_in<E>(
        &self,
        shard: u8,
        entry: &impl Fn(Timestamp, &str) -> Option<E>,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<E>, Fault> {
        let condition = format!("#{DUE_SHARD} = :shard AND #{DUE_AT} <= :now");
        let mut found = Vec::new();
        let mut page: Option<Item> = None;
        loop {
            let missing = limit - found.len();
            let request = self
                .client
                .query()
                .table_name(&self.table)
                .index_name(DUE)
                .set_expression_attribute_names(Some(names_in(&[&condition])))
                .expression_attribute_values(":shard", number(shard))
                .expression_attribute_values(":now", instant(now))
                .key_condition_expression(&condition)
                .limit(i32::try_from(missing).unwrap_or(i32::MAX))
                .set_exclusive_start_key(page);
            let output = request.send().await?;
            for item in output.items.unwrap_or_default() {
                let due_at = Attributes::within(&item).instant(DUE_AT)?;
                let pk = item.get(PK).map(AttributeValue::as_s);
                found.extend(pk.and_then(|pk| entry(due_at, pk.ok()?)));
            }
            page = output.last_evaluated_key.filter(|key| !key.is_empty());
            if page.is_none() || found.len() >= limit {
                return Ok(found);
            }
        }
    }
}
