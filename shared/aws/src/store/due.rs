//! What is due, lane by lane, over every shard of the index.

use std::collections::BTreeSet;
use std::ops::Range;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::confirmation::store::Due;
use countersign_domain::delivery::DeliveryLane;
use countersign_domain::login::store::DueNotice;
use countersign_domain::primitives::time::Timestamp;
use futures_util::future::try_join_all;

use super::DynamoStore;
use super::attributes::{
    CONFIRMATION_SHARDS, DUE, DUE_AT, DUE_SHARD, NOTICE_SHARDS, PK, confirmation_of, login_of,
};
use super::change::names_in;
use super::fault::Fault;
use super::item::{Attributes, Item, number};
use super::lane;

/// The beginning of time.
const BEGINNING: Timestamp = Timestamp::from_millis(0);

/// An entry of the index.
trait Entry: Copy + Ord {
    /// Reads one; `None` where it is of a kind that this release does not know.
    fn read(lane: DeliveryLane, due_at: Timestamp, pk: &str) -> Option<Self>;

    fn due_at(&self) -> Timestamp;
}

impl Entry for Due {
    fn read(lane: DeliveryLane, due_at: Timestamp, pk: &str) -> Option<Self> {
        confirmation_of(pk).map(|confirmation| Self {
            due_at,
            confirmation,
            lane,
        })
    }

    fn due_at(&self) -> Timestamp {
        self.due_at
    }
}

impl Entry for DueNotice {
    fn read(lane: DeliveryLane, due_at: Timestamp, pk: &str) -> Option<Self> {
        login_of(pk).map(|session| Self {
            due_at,
            session,
            lane,
        })
    }

    fn due_at(&self) -> Timestamp {
        self.due_at
    }
}

impl DynamoStore {
    /// The lanes of which a confirmation's delivery is due.
    pub(super) async fn due_confirmation_lanes(
        &self,
        now: Timestamp,
    ) -> Result<Vec<DeliveryLane>, Fault> {
        self.find_lanes(CONFIRMATION_SHARDS, now).await
    }

    /// The lanes of which a login's notice is due.
    pub(super) async fn notice_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Fault> {
        self.find_lanes(NOTICE_SHARDS, now).await
    }

    /// The confirmations' deliveries of a lane that are longest due.
    pub(super) async fn due_confirmations(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<Due>,
        limit: usize,
    ) -> Result<Vec<Due>, Fault> {
        self.find_due(CONFIRMATION_SHARDS, lane, now, after, limit)
            .await
    }

    /// The logins' notices of a lane that are longest due.
    pub(super) async fn longest_due_notices(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<DueNotice>,
        limit: usize,
    ) -> Result<Vec<DueNotice>, Fault> {
        self.find_due(NOTICE_SHARDS, lane, now, after, limit).await
    }

    async fn find_lanes(
        &self,
        shards: Range<u8>,
        now: Timestamp,
    ) -> Result<Vec<DeliveryLane>, Fault> {
        let lanes = try_join_all(shards.map(|shard| self.lanes_in(shard, now))).await?;
        let lanes: BTreeSet<DeliveryLane> = lanes.into_iter().flatten().collect();
        Ok(lanes.into_iter().collect())
    }

    /// The lanes of one shard: one query for each that has anything pending there.
    async fn lanes_in(&self, shard: u8, now: Timestamp) -> Result<Vec<DeliveryLane>, Fault> {
        let mut lanes = Vec::new();
        let mut from = Some(DeliveryLane::from_bytes([0; 5]));
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
            let (found, due_at) = lane::read(Attributes::of_entry(&first))?;
            if due_at <= now {
                lanes.push(found);
            }
            from = lane::following(found);
        }
        Ok(lanes)
    }

    async fn find_due<E: Entry>(
        &self,
        shards: Range<u8>,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<E>,
        limit: usize,
    ) -> Result<Vec<E>, Fault> {
        if limit == 0 || after.is_some_and(|after| after.due_at() > now) {
            return Ok(Vec::new());
        }
        let queries = shards.map(|shard| self.due_in(shard, lane, now, after, limit));
        let mut due = try_join_all(queries).await?.concat();
        due.sort();
        due.truncate(limit);
        Ok(due)
    }

    /// The longest due of one shard, as many as there may be in all, since they may all be in it;
    /// and all that are due at the same instant as the last of them, since the index does not order
    /// those.
    async fn due_in<E: Entry>(
        &self,
        shard: u8,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<E>,
        limit: usize,
    ) -> Result<Vec<E>, Fault> {
        let condition = format!("#{DUE_SHARD} = :shard AND #{DUE_AT} BETWEEN :from AND :to");
        let from = after.map_or(BEGINNING, |after| after.due_at());
        let mut found: Vec<E> = Vec::new();
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
                let (lane, due_at) = lane::read(Attributes::of_entry(&item))?;
                let pk = item.get(PK).map(AttributeValue::as_s);
                let entry = pk.and_then(|pk| E::read(lane, due_at, pk.ok()?));
                found.extend(entry.filter(|entry| Some(*entry) > after));
            }
            page = output.last_evaluated_key.filter(|key| !key.is_empty());
            let whole = match (found.get(limit - 1), found.last()) {
                (Some(wanted), Some(last)) => last.due_at() > wanted.due_at(),
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
