//! DynamoDB: a table with the samples.

use serde_json::{Value, json};

use crate::samples::{self, Progress};

#[derive(Debug)]
pub(super) struct Table {
    /// Items that reads find.
    items: Vec<Value>,
    claimed: Value,
    owed: Value,
}

impl Table {
    /// Makes a table whose confirmation posts its webhook to `callback`.
    pub(super) fn new(callback: &str) -> Self {
        let confirmation = |progress| samples::confirmation_item(progress, callback);
        let mut items = samples::app_items();
        items.push(confirmation(Progress::Delivered));
        Self {
            items,
            claimed: confirmation(Progress::Claimed),
            owed: confirmation(Progress::Owed),
        }
    }

    /// Answers a call; `None` if it is not known.
    pub(super) fn answer(&self, operation: &str, body: &Value) -> Option<Value> {
        match operation {
            "GetItem" => Some(match self.find(&body["Key"]) {
                Some(item) => json!({ "Item": item }),
                None => json!({}),
            }),
            "Query" => Some(self.query(body)),
            "PutItem" => Some(json!({})),
            "UpdateItem" => Some(json!({ "Attributes": self.updated(body) })),
            _ => None,
        }
    }

    fn find(&self, key: &Value) -> Option<&Value> {
        let same = |item: &&Value| item["pk"] == key["pk"] && item["sk"] == key["sk"];
        self.items.iter().find(same)
    }

    /// Finds the apps. The index of due webhooks is empty.
    fn query(&self, body: &Value) -> Value {
        let values = body["ExpressionAttributeValues"].as_object();
        let wanted: Vec<_> = values
            .into_iter()
            .flat_map(|values| values.values())
            .collect();
        let of_index = !body["IndexName"].is_null();
        let found = self.items.iter();
        let found: Vec<_> = found
            .filter(|item| !of_index && wanted.contains(&&item["pk"]))
            .collect();
        json!({ "Items": found, "Count": found.len(), "ScannedCount": found.len() })
    }

    /// Returns the item after an update. Each kind of update is known by a value that only it has.
    fn updated(&self, body: &Value) -> Value {
        let values = &body["ExpressionAttributeValues"];
        let of_confirmation = body["Key"]["sk"]["S"] == "CFM";
        if of_confirmation && values[":attempt"].is_object() {
            self.find(&body["Key"]).cloned().unwrap_or_default()
        } else if of_confirmation && values[":nearly_now"].is_object() {
            self.claimed.clone()
        } else if of_confirmation {
            self.owed.clone()
        } else {
            json!({})
        }
    }
}
