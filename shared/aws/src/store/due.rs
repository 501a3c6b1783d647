//! Queries for due deliveries by lane, over all shards of the index.

use std::collections::BTreeSet;
use strum::VariantArray as _;

use countersign_domain::delivery::due::Due;
use countersign_domain::delivery::{DeliveryKind, DeliveryLane};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Key;
use futures_util::future::try_join_all;

use super::DynamoItems;
use super::fault::Fault;
use super::item::{Attributes, DUE, DUE_AT, DUE_SHARD, Item, PK, number};
use super::lane;
use super::table::Query;

/// The earliest time.
const BEGINNING: Timestamp = Timestamp::from_millis(0);

impl DynamoItems {
    pub(super) async fn find_due_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Fault> {
        let kinds = DeliveryKind::VARIANTS.iter().copied();
        let shards = kinds.flat_map(|kind| {
            let shards = self.shards.of(kind).into_iter();
            shards.map(move |shard| (kind, shard))
        });
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
            let query = Query {
                index: Some(DUE),
                condition: &format!("#{DUE_SHARD} = :shard AND #{DUE_AT} >= :from"),
                values: Item::from([
                    (":shard".to_owned(), number(shard)),
                    (":from".to_owned(), lane::sort_key(least, BEGINNING)),
                ]),
                limit: Some(1),
                ..Query::default()
            };
            let found = self.table.query(&query).await?;
            let Some(first) = found.items.first() else {
                break;
            };
            let (hash, due_at) = lane::read(Attributes(first))?;
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
        let queries = self
            .shards
            .of(lane.kind())
            .into_iter()
            .map(|shard| self.due_in(shard, lane, now, after, limit));
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
        let from = after.map_or(BEGINNING, |after| after.due_at);
        let mut found: Vec<Due> = Vec::new();
        let mut query = Query {
            index: Some(DUE),
            condition: &format!("#{DUE_SHARD} = :shard AND #{DUE_AT} BETWEEN :from AND :to"),
            values: Item::from([
                (":shard".to_owned(), number(shard)),
                (":from".to_owned(), lane::sort_key(lane, from)),
                (":to".to_owned(), lane::sort_key(lane, now)),
            ]),
            ..Query::default()
        };
        loop {
            query.limit = Some((limit + 1).saturating_sub(found.len()).max(1));
            let page = self.table.query(&query).await?;
            for item in &page.items {
                let item = Attributes(item);
                let (_, due_at) = lane::read(item)?;
                let pk = item.text(PK).ok();
                // This release does not know the kind of the item.
                let Some(subject) = pk.and_then(Key::parse).and_then(|key| key.subject()) else {
                    continue;
                };
                let entry = Due {
                    due_at,
                    subject,
                    lane,
                };
                found.extend(Some(entry).filter(|entry| Some(*entry) > after));
            }
            query.after = page.end();
            let whole = match (found.get(limit - 1), found.last()) {
                (Some(wanted), Some(last)) => last.due_at > wanted.due_at,
                _ => false,
            };
            if query.after.is_none() || whole {
                return Ok(found);
            }
        }
    }
}
