//! The calls of DynamoDB that the store makes.
//!
//! Expressions write an attribute as `#` and its name, so no name can clash with a reserved word. The
//! names that a request must declare are collected from its expressions.
//!
//! Source: [Amazon DynamoDB API reference](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize, Serializer};

use super::attributes::Key;
use super::fault::Fault;
use super::item::Item;
use crate::services::{CallError, JsonClient};

/// The name of the error that says that a condition does not hold.
const CONDITION_FAILED: &str = "ConditionalCheckFailedException";

/// The whole item, where a request says what its answer contains.
const ALL_NEW: &str = "ALL_NEW";
const ALL_OLD: &str = "ALL_OLD";

/// A table of DynamoDB. The client decides on timeouts and retries.
#[derive(Debug)]
pub(super) struct Table {
    client: JsonClient,
    pub(super) name: String,
}

/// The outcome of a conditional write.
pub(super) enum Written {
    /// The write was made. Holds the new item if it was an update.
    Made(Item),
    /// A condition did not hold. Holds the item, if it exists.
    Refused(Option<Item>),
}

/// A new item, and the condition on the present one.
pub(super) struct Put {
    pub(super) item: Item,
    pub(super) condition: String,
    /// The values of the expression, by their names with the colon.
    pub(super) values: Item,
}

/// An update of one item, and the condition on it.
pub(super) struct Update {
    pub(super) key: Key,
    pub(super) condition: String,
    pub(super) actions: String,
    /// The values of both expressions, by their names with the colon.
    pub(super) values: Item,
}

/// A query of the table or of an index.
#[derive(Default)]
pub(super) struct Query<'a> {
    pub(super) index: Option<&'static str>,
    pub(super) consistent: bool,
    pub(super) condition: &'a str,
    /// The values of the expression, by their names with the colon.
    pub(super) values: Item,
    /// The end of the page before.
    pub(super) after: Option<Item>,
    /// The largest number of items.
    pub(super) limit: Option<usize>,
}

/// The items that a query found.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Page {
    #[serde(default)]
    pub(super) items: Vec<Item>,
    last_evaluated_key: Option<Item>,
}

impl Page {
    /// Returns where the next page begins, if there is one.
    pub(super) fn end(self) -> Option<Item> {
        self.last_evaluated_key.filter(|key| !key.is_empty())
    }
}

impl Table {
    pub(super) const fn new(client: JsonClient, name: String) -> Self {
        Self { client, name }
    }

    /// Reads an item, strongly consistent.
    pub(super) async fn get(&self, key: Key) -> Result<Option<Item>, Fault> {
        let input = GetItem {
            table_name: &self.name,
            key: key.attributes(),
            consistent_read: true,
        };
        let found: Found = self.client.call("GetItem", &input).await?;
        Ok(found.item)
    }

    /// Writes a whole item, if its condition holds.
    pub(super) async fn put(&self, put: Put) -> Result<Written, Fault> {
        let input = PutItem {
            table_name: &self.name,
            item: &put.item,
            condition_expression: &put.condition,
            expression_attribute_names: Names::of([&put.condition]),
            expression_attribute_values: &put.values,
            return_values_on_condition_check_failure: ALL_OLD,
        };
        written(self.client.call("PutItem", &input).await)
    }

    /// Updates an item, if its condition holds.
    pub(super) async fn update(&self, update: Update) -> Result<Written, Fault> {
        let input = UpdateItem {
            table_name: &self.name,
            key: update.key.attributes(),
            condition_expression: &update.condition,
            update_expression: &update.actions,
            expression_attribute_names: Names::of([&update.condition, &update.actions]),
            expression_attribute_values: &update.values,
            return_values: ALL_NEW,
            return_values_on_condition_check_failure: ALL_OLD,
        };
        written(self.client.call("UpdateItem", &input).await)
    }

    /// Returns a page of items.
    pub(super) async fn query(&self, query: &Query<'_>) -> Result<Page, Fault> {
        let input = QueryInput {
            table_name: &self.name,
            index_name: query.index,
            consistent_read: query.consistent,
            key_condition_expression: query.condition,
            expression_attribute_names: Names::of([query.condition]),
            expression_attribute_values: &query.values,
            exclusive_start_key: query.after.as_ref(),
            limit: query.limit,
        };
        Ok(self.client.call("Query", &input).await?)
    }
}

fn written(answered: Result<Made, CallError>) -> Result<Written, Fault> {
    match answered {
        Ok(Made { attributes }) => Ok(Written::Made(attributes)),
        Err(error) => match error.refusal() {
            Some(refusal) if error.code() == Some(CONDITION_FAILED) => {
                let stored: Found = refusal.details()?;
                Ok(Written::Refused(stored.item))
            }
            _ => Err(error.into()),
        },
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct GetItem<'a> {
    table_name: &'a str,
    key: Item,
    consistent_read: bool,
}

/// The answer of `GetItem`, and what a refused write says of the item.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Found {
    item: Option<Item>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct PutItem<'a> {
    table_name: &'a str,
    item: &'a Item,
    condition_expression: &'a str,
    expression_attribute_names: Names<'a>,
    expression_attribute_values: &'a Item,
    return_values_on_condition_check_failure: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct UpdateItem<'a> {
    table_name: &'a str,
    key: Item,
    condition_expression: &'a str,
    update_expression: &'a str,
    expression_attribute_names: Names<'a>,
    expression_attribute_values: &'a Item,
    return_values: &'static str,
    return_values_on_condition_check_failure: &'static str,
}

/// The answer of `PutItem` and `UpdateItem`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Made {
    #[serde(default)]
    attributes: Item,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct QueryInput<'a> {
    table_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    index_name: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    consistent_read: bool,
    key_condition_expression: &'a str,
    expression_attribute_names: Names<'a>,
    expression_attribute_values: &'a Item,
    #[serde(skip_serializing_if = "Option::is_none")]
    exclusive_start_key: Option<&'a Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
}

/// The names in expressions, each with its `#`.
struct Names<'a>(BTreeSet<&'a str>);

impl<'a> Names<'a> {
    fn of<const N: usize>(expressions: [&'a str; N]) -> Self {
        let names = expressions.into_iter().flat_map(|expression| {
            expression.match_indices('#').map(|(start, _)| {
                let rest = &expression[start + 1..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                &expression[start..=start + end.unwrap_or(rest.len())]
            })
        });
        Self(names.collect())
    }
}

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|name| (name, &name[1..])))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_collected_from_the_expressions() {
        let names = Names::of(["#ttl > :now AND size(#da) < :kept", "REMOVE #keys.#key_0a"]);
        let expected = json!({"#da": "da", "#key_0a": "key_0a", "#keys": "keys", "#ttl": "ttl"});
        assert_eq!(serde_json::to_value(names).unwrap(), expected);
        assert_eq!(serde_json::to_value(Names::of([])).unwrap(), json!({}));
    }
}
