//! What is due, over every shard of the index.

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::ports::Due;
use countersign_domain::time::Timestamp;
use futures_util::future::try_join_all;

use super::DynamoStore;
use super::attributes::{DUE, DUE_AT, DUE_SHARD, PK, SHARDS, confirmation_of};
use super::change::names_in;
use super::fault::Fault;
use super::item::{Attributes, Item, instant, number};

impl DynamoStore {
    /// The longest due of all shards.
    pub(super) async fn find_due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, Fault> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let shards = (0..SHARDS).map(|shard| self.due_in(shard, now, limit));
        let mut due = try_join_all(shards).await?.concat();
        due.sort();
        due.truncate(limit);
        Ok(due)
    }

    /// The longest due of one shard, as many as there may be in all: they may all be in it.
    async fn due_in(&self, shard: u8, now: Timestamp, limit: usize) -> Result<Vec<Due>, Fault> {
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
                found.extend(entry(&item)?);
            }
            page = output.last_evaluated_key.filter(|key| !key.is_empty());
            if page.is_none() || found.len() >= limit {
                return Ok(found);
            }
        }
    }
}

/// An entry of the index. `None` where it is of a kind that this release does not know.
fn entry(item: &Item) -> Result<Option<Due>, Fault> {
    let due_at = Attributes::within(item).instant(DUE_AT)?;
    let pk = item.get(PK).map(AttributeValue::as_s);
    let confirmation = pk.and_then(|pk| confirmation_of(pk.ok()?));
    Ok(confirmation.map(|confirmation| Due {
        due_at,
        confirmation,
    }))
}
