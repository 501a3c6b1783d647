//! Prints answers in human-readable form: keys with their values, and tables.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::{Map, serde_as};

/// JSON that preserves the order of members. `Debug` hides the content, which may include a new
/// key.
#[serde_as]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Tree {
    Members(#[serde_as(as = "Map<_, _>")] Vec<(String, Tree)>),
    List(Vec<Tree>),
    Value(Value),
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tree(…)")
    }
}

impl Tree {
    /// Returns the JSON of a serializable value. The result has no members if serialization fails.
    pub(crate) fn from_value(value: &impl Serialize) -> Self {
        let json = serde_json::to_string(value).unwrap_or_default();
        serde_json::from_str(&json).unwrap_or(Self::Members(Vec::new()))
    }

    pub(crate) fn members<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Members(members.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// Adds the members of another tree.
    pub(crate) fn extend(&mut self, other: Self) {
        if let (Self::Members(members), Self::Members(more)) = (self, other) {
            members.extend(more);
        }
    }

    /// Returns a member.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Members(members) => members
                .iter()
                .find_map(|(found, value)| (found == name).then_some(value)),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Value(value) => value.as_bool(),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Value(value) => value.as_str(),
            _ => None,
        }
    }

    /// Formats a value in one line.
    fn inline(&self) -> String {
        match self {
            Self::Value(Value::Null) => NONE.to_owned(),
            Self::Value(Value::Bool(true)) => "yes".to_owned(),
            Self::Value(Value::Bool(false)) => "no".to_owned(),
            Self::Value(Value::String(text)) => text.clone(),
            Self::Value(value) => value.to_string(),
            Self::List(items) if items.is_empty() => NONE.to_owned(),
            Self::Members(members) if members.is_empty() => NONE.to_owned(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::inline).collect();
                items.join(", ")
            }
            Self::Members(members) => {
                let member = |(name, value): &(String, Self)| format!("{name}={}", value.inline());
                let members: Vec<_> = members.iter().map(member).collect();
                members.join(" ")
            }
        }
    }
}

/// Printed for an absent value and for an empty list or map.
const NONE: &str = "none";

/// Words in labels that are not written in lower case.
const SPELLINGS: [(&str, &str); 7] = [
    ("android", "Android"),
    ("api", "API"),
    ("ios", "iOS"),
    ("ms", "(ms)"),
    ("pem", "PEM"),
    ("url", "URL"),
    ("whatsapp", "WhatsApp"),
];

/// Converts a member's name to words.
fn label(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    let spelt = |word: &str| {
        let known = SPELLINGS.iter().find(|(plain, _)| *plain == word);
        known.map_or_else(|| word.to_owned(), |(_, spelling)| (*spelling).to_owned())
    };
    words.split(' ').map(spelt).collect::<Vec<_>>().join(" ")
}

/// Formats a value as keys and values, one pair per line, without a trailing line break.
pub(crate) fn text(value: &impl Serialize) -> String {
    let tree = Tree::from_value(value);
    let Tree::Members(members) = &tree else {
        return tree.inline();
    };
    let mut lines = Vec::new();
    collect(members, "", &mut lines);
    let keys = lines.iter().filter(|(_, value)| value.is_some());
    let width = keys.map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    let lines = lines.iter().map(|(key, value)| match value {
        Some(value) => format!("{key:<width$}  {value}"),
        None => key.clone(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Collects the lines of members: a key with its value, or a heading.
fn collect(members: &[(String, Tree)], indent: &str, lines: &mut Vec<(String, Option<String>)>) {
    for (name, value) in members {
        let key = format!("{indent}{}", label(name));
        match value {
            Tree::Members(inner) if !inner.is_empty() => {
                lines.push((key, None));
                collect(inner, &format!("{indent}  "), lines);
            }
            Tree::List(items) if matches!(items.first(), Some(Tree::Members(_))) => {
                lines.push((key, None));
                let rows = rows(items).into_iter();
                lines.extend(rows.map(|row| (format!("{indent}  {row}"), None)));
            }
            value => lines.push((key, Some(value.inline()))),
        }
    }
}

/// Returns the lines of items that all have the same members as the first one.
fn rows(items: &[Tree]) -> Vec<String> {
    let Some(Tree::Members(first)) = items.first() else {
        return Vec::new();
    };
    let columns: Vec<_> = first.iter().map(|(name, _)| name.as_str()).collect();
    aligned(items, &columns, Vec::new())
}

/// Formats the given members of each item as a table with a heading, without a trailing line break.
pub(crate) fn table<T: Serialize>(items: &[T], columns: &[&str]) -> String {
    let heading = columns.iter().map(|name| label(name).to_uppercase());
    let items: Vec<_> = items.iter().map(|item| Tree::from_value(item)).collect();
    aligned(&items, columns, vec![heading.collect()]).join("\n")
}

fn aligned(items: &[Tree], columns: &[&str], heading: Vec<Vec<String>>) -> Vec<String> {
    let mut cells = heading;
    for item in items {
        let cell = |name: &&str| item.get(name).map_or_else(String::new, Tree::inline);
        cells.push(columns.iter().map(cell).collect());
    }
    let width = |column: usize| {
        let cells = cells.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<_> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    cells.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tree(json: &str) -> Tree {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn keys_are_words_and_values_line_up() {
        let app = tree(
            r#"{"app":"shop","callbackUrl":null,"senders":["+1","GB=+2"],"ios":[],
                "login":{"checkCode":true,"requireProof":false},"templates":{},
                "events":[{"name":"a","count":1},{"name":"bcd","count":22}]}"#,
        );
        let lines = [
            "app              shop",
            "callback URL     none",
            "senders          +1, GB=+2",
            "iOS              none",
            "login",
            "  check code     yes",
            "  require proof  no",
            "templates        none",
            "events",
            "  a    1",
            "  bcd  22",
        ];
        assert_eq!(text(&app), lines.join("\n"));
    }

    #[test]
    fn table_has_a_heading_and_aligned_columns() {
        let keys = [
            json!({"keyId": "key_1", "secret": 1, "revokedAt": null, "details": {"a": [1], "b": true}}),
            json!({"keyId": "key_22", "details": {}}),
        ];
        let lines = [
            "KEY ID  REVOKED AT  DETAILS",
            "key_1   none        a=1 b=yes",
            "key_22              none",
        ];
        assert_eq!(
            table(&keys, &["keyId", "revokedAt", "details"]),
            lines.join("\n")
        );
    }

    #[test]
    fn members_keep_their_order() {
        let json = r#"{"z":1,"a":{"y":[null,"x"],"b":{}}}"#;
        assert_eq!(serde_json::to_string(&tree(json)).unwrap(), json);
    }
}
