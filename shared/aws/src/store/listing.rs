//! Queries for the confirmations and logins that an app started.

use std::collections::HashMap;

use countersign_domain::delivery::{DeliveryKind, DeliverySubject};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{Key, ListedItem, PageStart};

use super::DynamoItems;
use super::fault::Fault;
use super::item::{Attributes, Item, PK, STARTED, STARTED_AT, STARTED_BY, instant, of_key};
use super::record::{decode, starter};
use super::table::Query;

impl DynamoItems {
    pub(super) async fn find_started(
        &self,
        kind: DeliveryKind,
        app: &AppId,
        from: Timestamp,
        before: PageStart,
        limit: usize,
    ) -> Result<Vec<ListedItem>, Fault> {
        let (to, mut page) = match before {
            PageStart::Time(at) => (at.as_millis().checked_sub(1), None),
            PageStart::Item(at, id) => {
                let mut end = of_key(&Key::from(id));
                end.insert(STARTED_BY.to_owned(), starter(kind, app));
                end.insert(STARTED_AT.to_owned(), instant(at));
                (Some(at.as_millis()), Some(end))
            }
        };
        let Some(to) = to.map(Timestamp::from_millis).filter(|to| from <= *to) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        loop {
            let query = Query {
                index: Some(STARTED),
                backwards: true,
                condition: &format!("#{STARTED_BY} = :app AND #{STARTED_AT} BETWEEN :from AND :to"),
                values: Item::from([
                    (":app".to_owned(), starter(kind, app)),
                    (":from".to_owned(), instant(from)),
                    (":to".to_owned(), instant(to)),
                ]),
                after: page,
                limit: Some(limit - found.len()),
                ..Query::default()
            };
            let listed = self.table.query(&query).await?;
            // An entry with malformed attributes cannot be identified, so it has no position.
            found.extend(listed.items.iter().filter_map(place));
            page = listed.end();
            if page.is_none() || found.len() >= limit {
                break;
            }
        }
        let keys = found.iter().map(|(_, subject)| Key::from(*subject));
        let mut items: HashMap<_, _> = self.present(keys.collect()).await?.into_iter().collect();
        let listed = found.into_iter().filter_map(|(started_at, subject)| {
            let key = Key::from(subject);
            // It may have been removed in the meantime.
            let item = items.remove(&key)?;
            let document = decode(&key, item).map(|stored| *stored.document);
            Some(ListedItem {
                started_at,
                subject,
                document: document.map_err(|error| Unavailable::damaged("store: started", error)),
            })
        });
        Ok(listed.collect())
    }
}

/// Returns the position of an index entry.
fn place(item: &Item) -> Option<(Timestamp, DeliverySubject)> {
    let key = Key::parse(Attributes(item).text(PK).ok()?)?;
    let started_at = Timestamp::from_millis(Attributes(item).number(STARTED_AT).ok()?);
    Some((started_at, key.subject()?))
}
