//! Queries for due deliveries, in order of time: one query per page of an index partition, whatever
//! else is pending.

use countersign_domain::delivery::due::{DueEntry, DuePartition, DueStart};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Key;

use super::DynamoItems;
use super::fault::Fault;
use super::item::{Attributes, DUE, DUE_AT, DUE_SHARD, Item, PK, instant, number, of_key};
use super::table::Query;

impl DynamoItems {
    /// Lists the deliveries in a partition that have been due the longest.
    pub(super) async fn find_due(
        &self,
        part: DuePartition,
        now: Timestamp,
        from: DueStart,
        limit: usize,
    ) -> Result<Vec<DueEntry>, Fault> {
        let (start, mut page) = match from {
            DueStart::Time(start) => (start, None),
            DueStart::After(seen) => (seen.due_at, Some(place_of(part, seen))),
        };
        let mut found = Vec::new();
        if limit == 0 || start > now {
            return Ok(found);
        }
        loop {
            let query = Query {
                index: Some(DUE),
                condition: &format!("#{DUE_SHARD} = :shard AND #{DUE_AT} BETWEEN :from AND :to"),
                values: Item::from([
                    (":shard".to_owned(), number(part.0)),
                    (":from".to_owned(), instant(start)),
                    (":to".to_owned(), instant(now)),
                ]),
                after: page,
                limit: Some(limit - found.len()),
                ..Query::default()
            };
            let listed = self.table.query(&query).await?;
            found.extend(listed.items.iter().filter_map(entry));
            page = listed.end();
            if page.is_none() || found.len() >= limit {
                return Ok(found);
            }
        }
    }
}

/// Returns the position of an entry in the index.
fn place_of(part: DuePartition, due: DueEntry) -> Item {
    let mut place = of_key(&Key::from(due.subject));
    place.insert(DUE_SHARD.to_owned(), number(part.0));
    place.insert(DUE_AT.to_owned(), instant(due.due_at));
    place
}

/// Reads an entry. An entry of a kind that only another release knows is skipped.
fn entry(item: &Item) -> Option<DueEntry> {
    let item = Attributes(item);
    let due_at = Timestamp::from_millis(item.number(DUE_AT).ok()?);
    let subject = Key::parse(item.text(PK).ok()?)?.subject()?;
    Some(DueEntry { due_at, subject })
}
