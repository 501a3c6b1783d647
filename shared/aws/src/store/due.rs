//! Queries for due deliveries by lane, over all shards of the index.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::{DeliveryKind, DeliveryLane};
use countersign_domain::primitives::time::Timestamp;
use futures_util::future::try_join_all;

use super::DynamoStore;
use super::attributes::{DUE, DUE_AT, DUE_SHARD, PK, shards_of, subject_of};
use super::change::names_in;
use super::fault::Fault;
use super::item::{Attributes, Item, number};
use super::lane;

/// The earliest time.
const BEGINNING: Timestamp = Timestamp::from_millis(0);

impl DynamoStore {
    /// Returns the lanes with due deliveries.
    pub(super) async fn find_due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Fault> {
        let kinds = DeliveryKind::ALL.into_iter();
        let shards = kinds.flat_map(|kind| shards_of(kind).map(move |shard| (kind, shard)));
        let lanes = shards.map(|(kind, shard)| self.lanes_in(kind, shard, now));
        let lanes = try_join_all(lanes).await?;
        let lanes: BTreeSet<DeliveryLane> = lanes.into_iter().flatten().collect();
        Ok(lanes.into_iter().collect())
    }

    /// Returns the lanes of a shard. Makes one query for each lane that has pending deliveries.
    async fn lanes_in(
        &self,
        kind: DeliveryKind,
        shard: u8,
        now: Timestamp,
    ) -> Result<Vec<DeliveryLane>, Fault> {
        let mut lanes = Vec::new();
        let mut from = Some(DeliveryLane::from_bytes(kind, [0; 5]));
        while let Some(least) = from {
            let condition = format!("#{DUE_SHARD} = :shard AND #{DUE_AT} >= :from");
            let request = self
                .query_due(shard, &condition)
                .expression_attribute_values(":from", lane::sort_key(least, BEGINNING))
                .limit(1);
            let output = request.send().await?;
            let Some(first) = output.items.unwrap_or_default().pop() else {
                break;
            };
            let (hash, due_at) = lane::read(Attributes::of_entry(&first))?;
            let found = DeliveryLane::from_bytes(kind, hash);
            if due_at <= now {
                lanes.push(found);
            }
            from = lane::following(found);
        }
        Ok(lanes)
    }

    /// Lists the deliveries of a lane that have been due the longest.
    pub(super) async fn find_due(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Fault> {
        if limit == 0 || after.is_some_and(|after| after.due_at > now) {
            return Ok(Vec::new());
        }
        let queries =
            shards_of(lane.kind()).map(|shard| self.due_in(shard, lane, now, after, limit));
        let mut due = try_join_all(queries).await?.concat();
        due.sort();
        due.truncate(limit);
        Ok(due)
    }

    /// Returns the entries of a shard that have been due the longest: `limit` of them, because all may be
    /// in this shard, and all others with the same time as the last, because the index does not order
    /// equal times.
    async fn due_in(
        &self,
        shard: u8,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Fault> {
        let condition = format!("#{DUE_SHARD} = :shard AND #{DUE_AT} BETWEEN :from AND :to");
        let from = after.map_or(BEGINNING, |after| after.due_at);
        let mut found: Vec<Due> = Vec::new();
        let mut page: Option<Item> = None;
        loop {
            let missing = (limit + 1).saturating_sub(found.len()).max(1);
            let request = self
                .query_due(shard, &condition)
                .expression_attribute_values(":from", lane::sort_key(lane, from))
                .expression_attribute_values(":to", lane::sort_key(lane, now))
                .limit(i32::try_from(missing).unwrap_or(i32::MAX))
                .set_exclusive_start_key(page);
            let output = request.send().await?;
            for item in output.items.unwrap_or_default() {
                let (_, due_at) = lane::read(Attributes::of_entry(&item))?;
                let pk = item.get(PK).and_then(|pk| pk.as_s().ok());
                // This release does not know the kind of the item.
                let Some(subject) = pk.and_then(|pk| subject_of(lane.kind(), pk)) else {
                    continue;
                };
                let entry = Due {
                    due_at,
                    subject,
                    lane,
                };
                found.extend(Some(entry).filter(|entry| Some(*entry) > after));
            }
            page = output.last_evaluated_key.filter(|key| !key.is_empty());
            let whole = match (found.get(limit - 1), found.last()) {
                (Some(wanted), Some(last)) => last.due_at > wanted.due_at,
                _ => false,
            };
            if page.is_none() || whole {
                return Ok(found);
            }
        }
    }

    fn query_due(&self, shard: u8, condition: &str) -> QueryFluentBuilder {
        self.client
            .query()
            .table_name(&self.table)
            .index_name(DUE)
            .set_expression_attribute_names(Some(names_in(&[condition])))
            .expression_attribute_values(":shard", number(shard))
            .key_condition_expression(condition)
    }
}
