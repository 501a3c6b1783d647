//! The DynamoDB calls of the store.
//!
//! Expressions write an attribute as `#` followed by its name, so no name can clash with a reserved
//! word. The names that a request must declare are collected from its expressions.
//!
//! Source: [Amazon DynamoDB API reference](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/).

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    KeysAndAttributes, Put as PutOfMany, ReturnValuesOnConditionCheckFailure as OnFailure,
    TransactWriteItem, Update as UpdateOfMany,
};
use tokio::time::sleep;

use super::fault::Fault;
use super::item::{AttributeValue, Item};
use crate::error::ServiceError;

/// Maximum number of items that one call reads.
pub(super) const MAX_BATCH: usize = 100;

/// Initial and maximum pause before omitted items are requested again.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_millis(400);

/// A DynamoDB table. The client determines timeouts and retries.
#[derive(Debug)]
pub(super) struct Table {
    client: Client,
    pub(super) name: String,
}

/// The outcome of a conditional write.
pub(super) enum Written {
    /// The write succeeded.
    Made,
    /// A condition was not met. Contains the item, if it exists.
    Refused(Option<Item>),
}

/// A new item, and the condition on the existing one.
pub(super) struct Put {
    pub(super) item: Item,
    pub(super) condition: String,
    /// The values of the expression, by their names with the colon.
    pub(super) values: Item,
}

/// An update of one item, and its condition.
#[derive(Default)]
pub(super) struct Update {
    pub(super) key: Item,
    pub(super) condition: String,
    /// The values of both expressions, by their names with the colon.
    pub(super) values: Item,
    sets: Vec<String>,
    removals: Vec<String>,
    pub(super) actions: String,
}

impl Update {
    pub(super) fn set(&mut self, name: &str, value: AttributeValue) {
        self.sets.push(format!("#{name} = :{name}"));
        self.values.insert(format!(":{name}"), value);
    }

    /// Removes an attribute.
    pub(super) fn remove(&mut self, name: &str) {
        self.removals.push(format!("#{name}"));
    }

    /// Joins the actions.
    pub(super) fn finish(mut self) -> Self {
        let actions = [("SET", &self.sets), ("REMOVE", &self.removals)];
        let actions = actions.into_iter().filter(|(_, names)| !names.is_empty());
        let actions = actions.map(|(verb, names)| format!("{verb} {}", names.join(", ")));
        self.actions = actions.collect::<Vec<_>>().join(" ");
        self
    }
}

/// A write in a transaction.
pub(super) enum Change {
    Put(Put),
    Update(Update),
}

impl Change {
    fn build(self, table: &str) -> Result<TransactWriteItem, Fault> {
        let values = |values: Item| (!values.is_empty()).then_some(values);
        let one = TransactWriteItem::builder();
        let built = match self {
            Self::Put(Put {
                item,
                condition,
                values: of_condition,
            }) => PutOfMany::builder()
                .table_name(table)
                .set_item(Some(item))
                .set_expression_attribute_names(Some(names([&condition])))
                .condition_expression(condition)
                .set_expression_attribute_values(values(of_condition))
                .build()
                .map(|put| one.put(put)),
            Self::Update(update) => UpdateOfMany::builder()
                .table_name(table)
                .set_key(Some(update.key))
                .set_expression_attribute_names(Some(names([&update.condition, &update.actions])))
                .condition_expression(update.condition)
                .update_expression(update.actions)
                .set_expression_attribute_values(values(update.values))
                .build()
                .map(|update| one.update(update)),
        };
        Ok(built.map_err(|_| Fault::Unbuildable)?.build())
    }
}

/// A query of the table or of an index.
#[derive(Default)]
pub(super) struct Query<'a> {
    pub(super) index: Option<&'static str>,
    pub(super) consistent: bool,
    /// Whether to start with the last sort key.
    pub(super) backwards: bool,
    pub(super) condition: &'a str,
    /// The values of the expression, by their names with the colon.
    pub(super) values: Item,
    /// The end of the previous page.
    pub(super) after: Option<Item>,
    /// Maximum number of items.
    pub(super) limit: Option<usize>,
}

/// The items that a query found.
pub(super) struct Page {
    pub(super) items: Vec<Item>,
    last_evaluated_key: Option<Item>,
}

impl Page {
    /// Returns the position where the next page begins, if there is one.
    pub(super) fn end(self) -> Option<Item> {
        self.last_evaluated_key.filter(|key| !key.is_empty())
    }
}

impl Table {
    pub(super) const fn new(client: Client, name: String) -> Self {
        Self { client, name }
    }

    /// Reads an item with strong consistency.
    pub(super) async fn get(&self, key: Item) -> Result<Option<Item>, Fault> {
        let get = self
            .client
            .get_item()
            .table_name(&self.name)
            .set_key(Some(key))
            .consistent_read(true);
        let found = get.send().await.map_err(|error| Fault::of_call(&error))?;
        Ok(found.item)
    }

    /// Reads at most [`MAX_BATCH`] items with strong consistency. Nonexistent items are omitted; the others
    /// are in no particular order.
    pub(super) async fn get_all(
        &self,
        keys: impl Iterator<Item = Item>,
    ) -> Result<Vec<Item>, Fault> {
        let mut left: Vec<Item> = keys.collect();
        let (mut all, mut pause) = (Vec::new(), FIRST_PAUSE);
        while !left.is_empty() {
            let wanted = KeysAndAttributes::builder()
                .set_keys(Some(left))
                .consistent_read(true)
                .build()
                .map_err(|_| Fault::Unbuildable)?;
            let request = self
                .client
                .batch_get_item()
                .request_items(&self.name, wanted);
            let found = request
                .send()
                .await
                .map_err(|error| Fault::of_call(&error))?;
            for (_, mut items) in found.responses.unwrap_or_default() {
                all.append(&mut items);
            }
            let unread = found.unprocessed_keys.unwrap_or_default().into_values();
            left = unread.flat_map(|unread| unread.keys).collect();
            // DynamoDB omits keys of busy partitions, which the SDK does not request again.
            if !left.is_empty() {
                if pause > LAST_PAUSE {
                    return Err(Fault::LeftOut);
                }
                sleep(pause).await;
                pause *= 2;
            }
        }
        Ok(all)
    }

    /// Writes a whole item, if its condition is met.
    pub(super) async fn put(&self, put: Put) -> Result<Written, Fault> {
        let request = self
            .client
            .put_item()
            .table_name(&self.name)
            .set_item(Some(put.item))
            .set_expression_attribute_names(Some(names([&put.condition])))
            .condition_expression(put.condition)
            .set_expression_attribute_values(Some(put.values))
            .return_values_on_condition_check_failure(OnFailure::AllOld);
        match request.send().await {
            Ok(_) => Ok(Written::Made),
            Err(SdkError::ServiceError(refusal))
                if refusal.err().is_conditional_check_failed_exception() =>
            {
                match refusal.into_err() {
                    PutItemError::ConditionalCheckFailedException(refusal) => {
                        Ok(Written::Refused(refusal.item))
                    }
                    error => Err(Fault::Refused(ServiceError::from_error(&error))),
                }
            }
            Err(error) => Err(Fault::of_call(&error)),
        }
    }

    /// Updates an item, if its condition is met.
    pub(super) async fn update(&self, update: Update) -> Result<Written, Fault> {
        let request = self
            .client
            .update_item()
            .table_name(&self.name)
            .set_key(Some(update.key))
            .set_expression_attribute_names(Some(names([&update.condition, &update.actions])))
            .condition_expression(update.condition)
            .update_expression(update.actions)
            .set_expression_attribute_values(Some(update.values))
            .return_values_on_condition_check_failure(OnFailure::AllOld);
        match request.send().await {
            Ok(_) => Ok(Written::Made),
            Err(SdkError::ServiceError(refusal))
                if refusal.err().is_conditional_check_failed_exception() =>
            {
                match refusal.into_err() {
                    UpdateItemError::ConditionalCheckFailedException(refusal) => {
                        Ok(Written::Refused(refusal.item))
                    }
                    error => Err(Fault::Refused(ServiceError::from_error(&error))),
                }
            }
            Err(error) => Err(Fault::of_call(&error)),
        }
    }

    /// Makes writes of different items if all their conditions are met, and otherwise none. Returns whether they were made.
    /// The SDK gives each call a token, so that an attempt whose response was lost is not made twice.
    pub(super) async fn write_all(&self, changes: Vec<Change>) -> Result<bool, Fault> {
        let items = changes.into_iter().map(|change| change.build(&self.name));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        let request = self
            .client
            .transact_write_items()
            .set_transact_items(Some(items));
        match request.send().await {
            Ok(_) => Ok(true),
            Err(SdkError::ServiceError(refusal)) if is_overtaken(refusal.err()) => Ok(false),
            Err(error) => Err(Fault::of_call(&error)),
        }
    }

    /// Returns a page of items.
    pub(super) async fn query(&self, query: &Query<'_>) -> Result<Page, Fault> {
        let limit = query
            .limit
            .map(|limit| i32::try_from(limit).unwrap_or(i32::MAX));
        let request = self
            .client
            .query()
            .table_name(&self.name)
            .set_index_name(query.index.map(str::to_owned))
            .set_consistent_read(query.consistent.then_some(true))
            .set_scan_index_forward(query.backwards.then_some(false))
            .key_condition_expression(query.condition)
            .set_expression_attribute_names(Some(names([query.condition])))
            .set_expression_attribute_values(Some(query.values.clone()))
            .set_exclusive_start_key(query.after.clone())
            .set_limit(limit);
        let page = request
            .send()
            .await
            .map_err(|error| Fault::of_call(&error))?;
        Ok(Page {
            items: page.items.unwrap_or_default(),
            last_evaluated_key: page.last_evaluated_key,
        })
    }
}

/// Returns whether another write came before a transaction, or is under way.
fn is_overtaken(error: &TransactWriteItemsError) -> bool {
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error else {
        return false;
    };
    let codes = || {
        let reasons = cancelled.cancellation_reasons().iter();
        reasons.filter_map(|reason| reason.code())
    };
    let is_known = |code| {
        matches!(
            code,
            "None" | "ConditionalCheckFailed" | "TransactionConflict"
        )
    };
    codes().any(|code| code != "None") && codes().all(is_known)
}

/// Returns the attribute names in expressions, each with its `#`, and their values.
fn names<const N: usize>(expressions: [&str; N]) -> HashMap<String, String> {
    let names = expressions.into_iter().flat_map(|expression| {
        expression.match_indices('#').map(|(start, _)| {
            let rest = &expression[start + 1..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = &rest[..end.unwrap_or(rest.len())];
            (format!("#{name}"), name.to_owned())
        })
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_collected_from_the_expressions() {
        let names = names(["#ttl > :now AND size(#da) < :kept", "REMOVE #keys.#key_0a"]);
        let expected = ["da", "key_0a", "keys", "ttl"];
        let expected = expected.map(|name| (format!("#{name}"), name.to_owned()));
        assert_eq!(names, HashMap::from(expected));
    }
}
