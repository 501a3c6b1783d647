//! Lists of apps, of association keys and of audit entries.

use std::collections::HashMap;

use countersign_domain::login::KeyId;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::form::FormError;
use countersign_domain::store::{Collection, Document, Key, ListedKey};

use super::DynamoItems;
use super::fault::Fault;
use super::item::{
    ALL_APPS, APP_LIST, APPS, AUDIT, Item, PK, SK, association_keys_of, key_of, of_key, text,
};
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
        let keys = found.filter_map(|item| key_of(&item)).collect();
        let items = self.present(keys).await?;
        Ok(items.iter().map(|(_, item)| document(item)).collect())
    }

    /// Lists the association keys of an app. The index may lack a new key or have one that was just revoked; the
    /// documents are read from the table.
    pub(super) async fn find_association_keys(
        &self,
        app: &AppId,
        after: Option<KeyId>,
        limit: usize,
    ) -> Result<Vec<ListedKey>, Fault> {
        let mut values = Item::from([(":app".to_owned(), association_keys_of(app))]);
        let condition = match after {
            Some(id) => {
                let last = Key::AssociationKey(app.clone(), id).to_string();
                values.insert(":last".to_owned(), text(last));
                format!("#{APP_LIST} = :app AND #{PK} > :last")
            }
            None => format!("#{APP_LIST} = :app"),
        };
        let query = Query {
            index: Some(APPS),
            condition: &condition,
            values,
            ..Query::default()
        };
        let found = self.all(query, limit).await?.into_iter();
        let keys = found.filter_map(|item| key_of(&item)).collect();
        let listed = self.present(keys).await?.into_iter();
        let listed = listed.filter_map(|(key, item)| match key {
            Key::AssociationKey(_, id) => Some(ListedKey {
                id,
                document: document(&item),
            }),
            _ => None,
        });
        Ok(listed.collect())
    }

    /// Reads the items with these keys, in this order.
    pub(super) async fn present(&self, keys: Vec<Key>) -> Result<Vec<(Key, Item)>, Fault> {
        let mut present = Vec::with_capacity(keys.len());
        for some in keys.chunks(MAX_BATCH) {
            let items = self.table.get_all(some.iter().map(of_key)).await?;
            let mut items: HashMap<_, _> = items
                .into_iter()
                .filter_map(|item| Some((key_of(&item)?, item)))
                .collect();
            let found = some.iter().filter_map(|key| items.remove_entry(key));
            present.extend(found);
        }
        Ok(present)
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
