//! Lists of apps and of audit entries.

use std::collections::HashMap;

use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::form::FormError;
use countersign_domain::store::{Collection, Document};

use super::DynamoItems;
use super::fault::Fault;
use super::item::{ALL_APPS, APP_LIST, APPS, AUDIT, Item, PK, SK, key_of, of_key, text};
use super::record::decode;
use super::table::{MAX_BATCH, Query};

/// The documents in a list, each with its own error.
type Documents = Vec<Result<Document, Unavailable>>;

impl DynamoItems {
    /// Lists apps. The index may lack a new app; the documents are read from the table.
    pub(super) async fn find_apps(&self, limit: usize) -> Result<Documents, Fault> {
        let query = Query {
            index: Some(APPS),
            condition: &format!("#{APP_LIST} = :all"),
            values: Item::from([(":all".to_owned(), text(ALL_APPS))]),
            ..Query::default()
        };
        // An item with a key that this release does not know is not an app.
        let found = self.all(query, limit).await?.into_iter();
        let keys: Vec<_> = found.filter_map(|item| key_of(&item)).collect();
        let mut documents = Vec::with_capacity(keys.len());
        for some in keys.chunks(MAX_BATCH) {
            let items = self.table.get_all(some.iter().map(of_key)).await?;
            let mut items: HashMap<_, _> = items
                .into_iter()
                .filter_map(|item| Some((key_of(&item)?, item)))
                .collect();
            let present = some.iter().filter_map(|key| items.remove(key));
            documents.extend(present.map(|item| document(&item)));
        }
        Ok(documents)
    }

    /// Lists audit entries, newest first.
    pub(super) async fn find_audit(&self, limit: usize) -> Result<Documents, Fault> {
        let query = Query {
            consistent: true,
            backwards: true,
            condition: &format!("#{PK} = :partition AND begins_with(#{SK}, :prefix)"),
            values: Item::from([
                (":partition".to_owned(), text(AUDIT)),
                (":prefix".to_owned(), text(Collection::Audit.prefix())),
            ]),
            ..Query::default()
        };
        let found = self.all(query, limit).await?;
        Ok(found.iter().map(document).collect())
    }

    /// Returns at most `limit` items of a query, page by page.
    async fn all(&self, mut query: Query<'_>, limit: usize) -> Result<Vec<Item>, Fault> {
        let mut all = Vec::new();
        loop {
            query.limit = (limit < usize::MAX).then(|| limit - all.len());
            let mut page = self.table.query(&query).await?;
            all.append(&mut page.items);
            query.after = page.end();
            if query.after.is_none() || all.len() >= limit {
                return Ok(all);
            }
        }
    }
}

/// Reads the document of an item.
fn document(item: &Item) -> Result<Document, Unavailable> {
    let read = || {
        let key = key_of(item).ok_or(FormError::Malformed)?;
        Ok(*decode(&key, item.clone())?.document)
    };
    read().map_err(|error: FormError| Unavailable::damaged("store: list", error))
}
