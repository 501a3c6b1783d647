//! DynamoDB with one table that contains the samples.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::samples::{self, Progress};

#[derive(Debug)]
pub(super) struct Table {
    /// Items that reads return, regardless of writes.
    items: Vec<Value>,
    /// The item whose attempt one write claims and the next settles, after which it is pending again.
    owing: [Value; 2],
    writes: AtomicUsize,
    /// Number of times that the open confirmation has been verified.
    pub(super) verified: AtomicUsize,
}

impl Table {
    /// Creates a table whose confirmations have `callback` as their webhook URL.
    pub(super) fn new(callback: &str) -> Self {
        let confirmation = |progress| samples::confirmation_item(progress, callback);
        let mut items = samples::app_items();
        items.extend([Progress::Open, Progress::Delivered].map(confirmation));
        Self {
            items,
            owing: [Progress::Owed, Progress::Claimed].map(confirmation),
            writes: AtomicUsize::new(0),
            verified: AtomicUsize::new(0),
        }
    }

    /// Answers a call; `None` if the operation is unknown.
    pub(super) fn answer(&self, operation: &str, body: &Value) -> Option<Value> {
        match operation {
            "GetItem" => Some(match self.find(&body["Key"]) {
                Some(item) => json!({ "Item": item }),
                None => json!({}),
            }),
            "Query" => Some(self.query(body)),
            "BatchGetItem" => Some(self.batch(body)),
            "PutItem" | "UpdateItem" => {
                let key = match &body["Key"] {
                    Value::Null => &body["Item"],
                    key => key,
                };
                if is_of(key, &self.owing[0]) {
                    self.writes.fetch_add(1, Ordering::Relaxed);
                } else if self.find(key).is_some() {
                    self.verified.fetch_add(1, Ordering::Relaxed);
                }
                Some(json!({}))
            }
            _ => None,
        }
    }

    fn find(&self, key: &Value) -> Option<&Value> {
        let owing = &self.owing[self.writes.load(Ordering::Relaxed) % 2];
        let mut items = self.items.iter().chain([owing]);
        items.find(|item| is_of(key, item))
    }

    fn batch(&self, body: &Value) -> Value {
        let tables = body["RequestItems"].as_object().into_iter().flatten();
        let found = tables.map(|(table, wanted)| {
            let keys = wanted["Keys"].as_array().into_iter().flatten();
            let items: Vec<_> = keys.filter_map(|key| self.find(key)).collect();
            (table.clone(), json!(items))
        });
        json!({ "Responses": found.collect::<serde_json::Map<_, _>>(), "UnprocessedKeys": {} })
    }

    /// Finds the apps. The index of due webhooks is empty.
    fn query(&self, body: &Value) -> Value {
        let values = body["ExpressionAttributeValues"].as_object();
        let wanted: Vec<_> = values
            .into_iter()
            .flat_map(|values| values.values())
            .collect();
        let found = self.items.iter();
        let found: Vec<_> = found
            .filter(|item| wanted.contains(&&item["app_list"]))
            .collect();
        json!({ "Items": found, "Count": found.len(), "ScannedCount": found.len() })
    }
}

fn is_of(key: &Value, item: &Value) -> bool {
    item["pk"] == key["pk"] && item["sk"] == key["sk"]
}
