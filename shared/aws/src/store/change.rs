//! A conditional write, built from expressions.

use countersign_domain::primitives::entropy::Entropy as _;
use countersign_records::{OLDEST_VERSION as OLDEST_FORMAT, VERSION as FORMAT};
use countersign_system::entropy::OsEntropy;

use super::attributes::{Key, REVISION, VERSION, WRITER};
use super::item::{AttributeValue, Item, bytes, number};
use super::table::Update;

/// An update of one item. It increments the item's revision, and requires that this release can read the
/// item's version.
///
/// It leaves a random mark on the item. If a response is lost and the client retries the call, the
/// condition may fail because the first attempt succeeded. The mark distinguishes that case from a
/// refusal.
#[derive(Debug)]
pub(super) struct Change {
    key: Key,
    writer: AttributeValue,
    conditions: Vec<String>,
    sets: Vec<String>,
    removals: Vec<String>,
    additions: Vec<String>,
    deletions: Vec<String>,
    values: Item,
}

impl Change {
    /// Changes an item that must exist.
    pub(super) fn of(key: Key) -> Self {
        Self::anyway(key)
            .when(known_version())
            .given(":oldest", number(OLDEST_FORMAT))
            .given(":format", number(FORMAT))
    }

    /// Changes an item, or creates it.
    pub(super) fn of_any(key: Key) -> Self {
        Self::anyway(key)
            .when(format!(
                "(attribute_not_exists(#{VERSION}) OR ({}))",
                known_version()
            ))
            .set_to(format!("#{VERSION} = if_not_exists(#{VERSION}, :format)"))
            .given(":oldest", number(OLDEST_FORMAT))
            .given(":format", number(FORMAT))
    }

    fn anyway(key: Key) -> Self {
        let writer = new_mark();
        let change = Self {
            key,
            writer: writer.clone(),
            conditions: Vec::new(),
            sets: Vec::new(),
            removals: Vec::new(),
            additions: Vec::new(),
            deletions: Vec::new(),
            values: Item::new(),
        };
        change
            .add(REVISION, ":one")
            .given(":one", number(1_u32))
            .set(WRITER, writer)
    }

    /// Adds a condition.
    pub(super) fn when(mut self, condition: impl Into<String>) -> Self {
        self.conditions.push(condition.into());
        self
    }

    /// Sets the value of a `:name`.
    pub(super) fn given(mut self, name: impl Into<String>, value: AttributeValue) -> Self {
        self.values.insert(name.into(), value);
        self
    }

    /// Makes the change at most once, however often the client retries the call. Needed for changes that
    /// would otherwise count twice because their conditions still hold after the first time.
    pub(super) fn once(self) -> Self {
        self.when(format!(
            "(attribute_not_exists(#{WRITER}) OR #{WRITER} <> :set_{WRITER})"
        ))
    }

    /// Sets an attribute to a value.
    pub(super) fn set(self, name: &str, value: AttributeValue) -> Self {
        let placeholder = format!(":set_{name}");
        self.set_to(format!("#{name} = {placeholder}"))
            .given(placeholder, value)
    }

    /// Sets an attribute to an expression.
    pub(super) fn set_to(mut self, assignment: impl Into<String>) -> Self {
        self.sets.push(assignment.into());
        self
    }

    /// Removes an attribute.
    pub(super) fn remove(mut self, name: &str) -> Self {
        self.removals.push(format!("#{name}"));
        self
    }

    /// Adds a value to a number or a set.
    pub(super) fn add(mut self, name: &str, placeholder: &str) -> Self {
        self.additions.push(format!("#{name} {placeholder}"));
        self
    }

    /// Takes the elements of a set out of another.
    pub(super) fn take(mut self, name: &str, placeholder: &str) -> Self {
        self.deletions.push(format!("#{name} {placeholder}"));
        self
    }

    /// Returns a function that tells whether this change was the last one made to an item.
    pub(super) fn mark(&self) -> impl Fn(&Item) -> bool + use<> {
        let writer = self.writer.clone();
        move |item| item.get(WRITER) == Some(&writer)
    }

    /// Joins the expressions.
    pub(super) fn into_update(self) -> Update {
        let actions = [
            ("SET", &self.sets),
            ("REMOVE", &self.removals),
            ("ADD", &self.additions),
            ("DELETE", &self.deletions),
        ]
        .into_iter()
        .filter(|(_, clauses)| !clauses.is_empty())
        .map(|(verb, clauses)| format!("{verb} {}", clauses.join(", ")))
        .collect::<Vec<_>>()
        .join(" ");
        Update {
            key: self.key,
            condition: self.conditions.join(" AND "),
            actions,
            values: self.values,
        }
    }
}

/// Returns the condition that this release can read an item's version. It needs the values `:oldest` and
/// `:format`.
pub(super) fn known_version() -> String {
    format!("#{VERSION} >= :oldest AND #{VERSION} <= :format")
}

/// Makes a random mark for the writes of one call.
pub(super) fn new_mark() -> AttributeValue {
    let mut mark = [0; 8];
    OsEntropy.fill(&mut mark);
    bytes(mark)
}

/// Adds the assignments that turn an item that reads as `before` into one that reads as `after`.
/// Attributes of `stored` that are in neither are kept.
pub(super) fn difference(mut change: Change, stored: &Item, before: &Item, after: Item) -> Change {
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        change = change.remove(name);
    }
    for (name, value) in after {
        let known = before.get(&name);
        if known == Some(&value) {
            continue;
        }
        let kept = |list| match (stored.get(&name), known) {
            (Some(AttributeValue::L(stored)), Some(AttributeValue::L(known))) => {
                elements_as_stored(list, stored, known)
            }
            _ => list,
        };
        let value = match value {
            AttributeValue::L(list) => AttributeValue::L(kept(list)),
            value => value,
        };
        change = change.set(&name, value);
    }
    change
}

/// Returns the elements of a list, where elements that existed before keep their stored form.
fn elements_as_stored(
    list: Vec<AttributeValue>,
    stored: &[AttributeValue],
    known: &[AttributeValue],
) -> Vec<AttributeValue> {
    list.into_iter()
        .map(|element| {
            let place = known.iter().position(|before| *before == element);
            place
                .and_then(|place| stored.get(place).cloned())
                .unwrap_or(element)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::item::text;

    #[test]
    fn difference_keeps_unknown_attributes() {
        let list = |elements: &[&str]| {
            AttributeValue::L(elements.iter().map(|element| text(*element)).collect())
        };
        let item = |pairs: &[(&str, AttributeValue)]| -> Item {
            let pairs = pairs.iter().cloned();
            pairs
                .map(|(name, value)| (name.to_owned(), value))
                .collect()
        };
        let stored = item(&[
            ("same", text("1")),
            ("gone", text("2")),
            ("list", list(&["a+", "b+"])),
            ("later", text("3")),
        ]);
        let before = item(&[
            ("same", text("1")),
            ("gone", text("2")),
            ("list", list(&["a", "b"])),
        ]);
        let after = item(&[("same", text("1")), ("list", list(&["b", "c"]))]);
        let change = difference(Change::of(Key::profile()), &stored, &before, after);
        assert_eq!(change.removals, ["#gone"]);
        assert_eq!(change.sets, ["#w = :set_w", "#list = :set_list"]);
        assert_eq!(change.values[":set_list"], list(&["b+", "c"]));
    }
}
