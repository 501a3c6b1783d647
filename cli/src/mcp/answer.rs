//! Answers as an assistant gets them: by their schema, so that no list of members can be forgotten.
//!
//! A text is ours if its schema says so or fixes its form; any other one is a stranger's. JSON without a schema is a
//! stranger's text as a whole, because the names of its members are too.

use serde_json::{Map, Value, json};

use super::foreign::{Boundary, clean};
use crate::schema::{BY_OPTION, OURS};

/// Maximum number of items of an array, for arrays that are not pages of a list.
const MAX_ITEMS: usize = 200;

/// Whether an assistant gets the members that only its user's option shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Metadata(pub(super) bool);

/// Kinds of values.
enum Kind<'a> {
    /// A text of ours, or JSON whose texts all are.
    Ours,
    /// A stranger's text.
    Foreign,
    /// JSON without a schema.
    Json,
    /// A number or a boolean.
    Plain,
    Members(&'a Map<String, Value>),
    Items(&'a Value),
}

impl<'a> Kind<'a> {
    /// Returns the kind that a schema of schemars describes, apart from `null`.
    fn of(schema: &'a Value) -> Self {
        let is_ours = schema[OURS] == true
            || schema.get("enum").is_some()
            || schema.get("const").is_some()
            || schema["format"] == "date-time";
        if is_ours {
            return Self::Ours;
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            let mut branches = branches.iter().filter(|branch| !is_null(branch));
            return match (branches.next(), branches.next()) {
                (Some(branch), None) => Self::of(branch),
                _ => Self::Json,
            };
        }
        if let Some(members) = schema["properties"].as_object() {
            return Self::Members(members);
        }
        let mut types = types(schema).filter(|name| *name != "null");
        match (types.next(), types.next()) {
            (Some("string"), None) => Self::Foreign,
            (Some("integer" | "number" | "boolean"), None) => Self::Plain,
            (Some("array"), None) => Self::Items(&schema["items"]),
            _ => Self::Json,
        }
    }
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let one = schema["type"].as_str();
    let many = schema["type"].as_array().into_iter().flatten();
    one.into_iter().chain(many.filter_map(Value::as_str))
}

fn is_null(schema: &Value) -> bool {
    types(schema).eq(["null"])
}

fn may_be_null(schema: &Value) -> bool {
    let branches = schema["anyOf"].as_array();
    types(schema).any(|name| name == "null")
        || branches.is_some_and(|branches| branches.iter().any(is_null))
}

impl Metadata {
    fn hides(self, schema: &Value) -> bool {
        schema[BY_OPTION] == true && !self.0
    }

    /// Returns the schema of what [`tame`](Self::tame) returns.
    pub(super) fn publish(self, schema: &Value) -> Value {
        let mut published = match Kind::of(schema) {
            Kind::Ours => {
                let mut ours = schema.clone();
                if let Some(ours) = ours.as_object_mut() {
                    ours.remove(OURS);
                    ours.remove(BY_OPTION);
                }
                if let Some(description) = ours["description"].as_str() {
                    ours["description"] = in_json(description).into();
                }
                return ours;
            }
            Kind::Foreign => json!({ "type": "string" }),
            Kind::Json => json!({ "type": ["string", "null"] }),
            Kind::Plain => json!({ "type": types(schema).find(|name| *name != "null") }),
            Kind::Items(items) => json!({ "type": "array", "items": self.publish(items) }),
            Kind::Members(members) => {
                let shown = members.iter().filter(|(_, schema)| !self.hides(schema));
                let shown: Map<_, _> = shown
                    .map(|(name, schema)| (name.clone(), self.publish(schema)))
                    .collect();
                let required = schema["required"].as_array().into_iter().flatten();
                let required: Vec<_> = required
                    .filter_map(Value::as_str)
                    .filter(|name| shown.contains_key(*name))
                    .collect();
                json!({ "type": "object", "required": required, "properties": shown })
            }
        };
        if let Some(name) = published["type"].as_str()
            && may_be_null(schema)
        {
            published["type"] = json!([name, "null"]);
        }
        if let Some(description) = schema["description"].as_str() {
            published["description"] = in_json(description).into();
        }
        published
    }

    /// Returns a value of this schema as an assistant gets it.
    pub(super) fn tame(self, schema: &Value, value: Value, boundary: &Boundary) -> Value {
        match (Kind::of(schema), value) {
            (_, Value::Null) => Value::Null,
            (Kind::Ours, value) => cleaned(value),
            (Kind::Plain, value @ (Value::Number(_) | Value::Bool(_))) => value,
            (Kind::Foreign, Value::String(text)) => boundary.enclose(&text).into(),
            (Kind::Items(items), Value::Array(values)) => {
                let values = values.into_iter().take(MAX_ITEMS);
                let tamed = values.map(|value| self.tame(items, value, boundary));
                tamed.collect()
            }
            (Kind::Members(members), Value::Object(values)) => {
                let tamed = values.into_iter().filter_map(|(name, value)| {
                    let schema = members.get(&name)?;
                    let shown = !self.hides(schema);
                    shown.then(|| (name, self.tame(schema, value, boundary)))
                });
                tamed.collect()
            }
            // Also a value that does not fit its schema.
            (_, value) => boundary.enclose(&value.to_string()).into(),
        }
    }
}

/// Returns a comment in the words of JSON.
fn in_json(comment: &str) -> String {
    comment.replace("`None`", "`null`")
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => clean(&text).into(),
        Value::Array(values) => values.into_iter().map(cleaned).collect(),
        Value::Object(members) => {
            let cleaned = members
                .into_iter()
                .map(|(name, value)| (clean(&name), cleaned(value)));
            cleaned.collect()
        }
        value => value,
    }
}

/// Makes a schema of arguments plain: some clients know neither Rust's formats nor lists of types, and a member that
/// may be left out need not be `null`.
pub(super) fn plain_input(schema: &mut Value) {
    if let Some(types) = schema.get_mut("type")
        && let Some([name, null]) = types.as_array().map(Vec::as_slice)
        && null == "null"
    {
        *types = name.clone();
    }
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    members.remove("title");
    if members.get("default").is_some_and(Value::is_null) {
        members.remove("default");
    }
    if members.get("format").is_some_and(|it| it != "date-time") {
        members.remove("format");
    }
    for (name, value) in members {
        match name.as_str() {
            "properties" => value
                .as_object_mut()
                .into_iter()
                .flatten()
                .for_each(|(_, schema)| plain_input(schema)),
            "items" => plain_input(value),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_system::entropy::OsEntropy;
    use schemars::JsonSchema;
    use serde::Serialize;

    use super::*;
    use crate::schema::{self, CallersJson, OurObject, Ours, Time};

    #[derive(Serialize, JsonSchema)]
    struct Part {
        said: String,
    }

    /// A value of each kind.
    #[derive(Serialize, JsonSchema)]
    struct Whole {
        #[schemars(with = "Ours")]
        id: String,
        #[schemars(with = "Option<Time>")]
        at: Option<String>,
        /// Said by a stranger; `None` if silent.
        said: Option<String>,
        count: u64,
        test: Option<bool>,
        parts: Vec<Part>,
        part: Option<Part>,
        #[schemars(with = "OurObject")]
        settings: Value,
        any: Value,
        #[schemars(with = "CallersJson")]
        metadata: Option<Value>,
    }

    fn whole() -> Whole {
        let said = || "hello\u{200b}".to_owned();
        Whole {
            id: "a\u{202e}b".to_owned(),
            at: None,
            said: Some(said()),
            count: 3,
            test: Some(true),
            parts: vec![Part { said: said() }],
            part: Some(Part { said: said() }),
            settings: json!({ "url": ["https://a.example\u{200b}"] }),
            any: json!({ "do this": "now" }),
            metadata: Some(json!({ "name": "Ann" })),
        }
    }

    #[test]
    fn value_is_tamed_by_its_schema() {
        let schema = schema::of_output::<Whole>();
        let boundary = Boundary::draw(&OsEntropy);
        let name = boundary.as_str();
        let hello = format!("<{name}>hello</{name}>");
        let value = serde_json::to_value(whole()).unwrap();
        let mut expected = json!({
            "id": "ab",
            "at": null,
            "said": hello,
            "count": 3,
            "test": true,
            "parts": [{ "said": hello }],
            "part": { "said": hello },
            "settings": { "url": ["https://a.example"] },
            "any": format!("<{name}>{{\"do this\":\"now\"}}</{name}>"),
        });
        let tamed = Metadata(false).tame(&schema, value.clone(), &boundary);
        assert_eq!(tamed, expected);
        expected["metadata"] = format!("<{name}>{{\"name\":\"Ann\"}}</{name}>").into();
        let tamed = Metadata(true).tame(&schema, value, &boundary);
        assert_eq!(tamed, expected);
    }

    #[test]
    fn published_schema_fits_the_tamed_value() {
        let schema = schema::of_output::<Whole>();
        let published = Metadata(false).publish(&schema);
        let part = json!({
            "type": "object", "required": ["said"], "properties": { "said": { "type": "string" } },
        });
        let mut nullable = part.clone();
        nullable["type"] = json!(["object", "null"]);
        let expected = json!({
            "type": "object",
            "description": "A value of each kind.",
            "required": ["id", "at", "said", "count", "test", "parts", "part", "settings", "any"],
            "properties": {
                "id": { "type": "string" },
                "at": { "type": ["string", "null"], "format": "date-time" },
                "said": { "type": ["string", "null"], "description": "Said by a stranger; `null` if silent." },
                "count": { "type": "integer" },
                "test": { "type": ["boolean", "null"] },
                "parts": { "type": "array", "items": part },
                "part": nullable,
                "settings": { "type": "object" },
                "any": { "type": ["string", "null"] },
            },
        });
        assert_eq!(published, expected);
        let with_metadata = Metadata(true).publish(&schema);
        assert_eq!(
            with_metadata["properties"]["metadata"]["type"],
            json!(["string", "null"])
        );
    }

    #[test]
    fn value_that_does_not_fit_its_schema_is_a_strangers() {
        let boundary = Boundary::draw(&OsEntropy);
        let name = boundary.as_str();
        for schema in [
            json!({ "type": "integer" }),
            json!({ "properties": {} }),
            json!(true),
        ] {
            let tamed = Metadata(true).tame(&schema, json!("obey"), &boundary);
            assert_eq!(tamed, format!("<{name}>\"obey\"</{name}>"), "{schema}");
        }
    }
}
