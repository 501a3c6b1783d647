//! Queries for the confirmations and logins that an app started.

use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{Before, Document, Key};
use futures_util::future::try_join_all;

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
        before: Before,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Fault> {
        let (to, mut page) = match before {
            Before::Time(at) => (at.as_millis().checked_sub(1), None),
            Before::Item(at, id) => {
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
            let keys = listed.items.iter().map(|item| Attributes(item).text(PK));
            let keys = keys.collect::<Result<Vec<_>, _>>()?;
            found.extend(keys.into_iter().filter_map(Key::parse));
            page = listed.end();
            if page.is_none() || found.len() >= limit {
                break;
            }
        }
        let read = found.iter().map(|key| async move {
            let item = self.table.get(of_key(key)).await?;
            let read = |item| decode(key, item).map(|stored| *stored.document);
            let read = item.map(read).transpose();
            Ok::<_, Fault>(read.map_err(|error| Unavailable::new("store: started", error)))
        });
        let read = try_join_all(read).await?;
        // One may have been removed meanwhile.
        Ok(read.into_iter().filter_map(Result::transpose).collect())
    }
}
