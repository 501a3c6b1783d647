//! Queries for the confirmations that an app started. The index has logins, too, since both have its attributes.

use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{Before, Document, Key};
use futures_util::future::try_join_all;

use super::DynamoItems;
use super::fault::Fault;
use super::item::{Attributes, Item, PK, instant, of_key, text};
use super::record::decode;
use super::table::Query;

/// The index of what apps started.
const STARTED: &str = "started";
/// Its partition key, a string: the app.
const APP: &str = "app";
/// Its sort key, a number: milliseconds since the epoch.
const CREATED: &str = "created";

impl DynamoItems {
    pub(super) async fn find_started(
        &self,
        app: &AppId,
        from: Timestamp,
        before: Before,
        limit: usize,
    ) -> Result<Vec<Result<Document, Unavailable>>, Fault> {
        let (to, mut page) = match before {
            Before::Time(at) => (at.as_millis().checked_sub(1), None),
            Before::Item(at, id) => {
                let mut end = of_key(&Key::from(id));
                end.insert(APP.to_owned(), text(app.as_str()));
                end.insert(CREATED.to_owned(), instant(at));
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
                condition: &format!("#{APP} = :app AND #{CREATED} BETWEEN :from AND :to"),
                values: Item::from([
                    (":app".to_owned(), text(app.as_str())),
                    (":from".to_owned(), instant(from)),
                    (":to".to_owned(), instant(to)),
                ]),
                after: page,
                limit: Some(limit),
                ..Query::default()
            };
            let listed = self.table.query(&query).await?;
            let keys = listed.items.iter().map(|item| Attributes(item).text(PK));
            let keys = keys.collect::<Result<Vec<_>, _>>()?;
            let keys = keys.into_iter().filter_map(Key::parse);
            let confirmations = keys.filter(|key| matches!(key, Key::Confirmation(_)));
            found.extend(confirmations.take(limit - found.len()));
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
