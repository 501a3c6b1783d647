//! Sentences of answers with a code and the values in them, from which the console's page makes the same sentence in
//! another language.

use std::collections::BTreeMap;
use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::{OurObject, Ours};

/// The names, numbers and other values in a sentence, by their places.
pub(crate) type Values = BTreeMap<String, String>;

/// Returns values by their places.
pub(crate) fn values<const N: usize>(given: [(&str, &dyn Display); N]) -> Values {
    let given = given.into_iter();
    given
        .map(|(place, value)| (place.to_owned(), value.to_string()))
        .collect()
}

/// A sentence in English, with a stable code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Sentence {
    /// A stable name.
    #[schemars(with = "Ours")]
    pub(crate) code: String,
    /// The values in the sentence.
    #[schemars(with = "OurObject")]
    #[serde(default, skip_serializing_if = "Values::is_empty")]
    pub(crate) values: Values,
    #[schemars(with = "Ours")]
    #[serde(rename = "sentence")]
    pub(crate) text: String,
}

impl Sentence {
    /// Puts the values into the template, which has their places in braces.
    pub(crate) fn new<const N: usize>(
        code: &str,
        template: &str,
        given: [(&str, &dyn Display); N],
    ) -> Self {
        let values = values(given);
        let text = values
            .iter()
            .fold(template.to_owned(), |text, (place, value)| {
                text.replace(&format!("{{{place}}}"), value)
            });
        Self {
            code: code.to_owned(),
            values,
            text,
        }
    }

    /// Returns a sentence whose values differ from its words, such as the name of a reason.
    pub(crate) fn said<const N: usize>(
        code: &str,
        text: String,
        given: [(&str, &dyn Display); N],
    ) -> Self {
        Self {
            code: code.to_owned(),
            values: values(given),
            text,
        }
    }
}

impl Display for Sentence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The code and the values of a refusal, whose sentence is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RefusalCode {
    code: String,
    #[serde(default, skip_serializing_if = "Values::is_empty")]
    values: Values,
}

impl RefusalCode {
    pub(crate) fn new<const N: usize>(code: &str, given: [(&str, &dyn Display); N]) -> Self {
        Self {
            code: code.to_owned(),
            values: values(given),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_into_their_places() {
        let made = Sentence::new(
            "sum",
            "{one} and {one} are {sum}.",
            [("sum", &4), ("one", &2)],
        );
        assert_eq!(made.to_string(), "2 and 2 are 4.");
        assert_eq!(
            serde_json::to_value(made).unwrap(),
            serde_json::json!({
                "code": "sum", "values": { "one": "2", "sum": "4" }, "sentence": "2 and 2 are 4.",
            })
        );
    }
}
