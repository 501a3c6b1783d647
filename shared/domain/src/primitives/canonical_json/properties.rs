//! Properties of all documents, checked with generated ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::syntax::{Node, Value};
use super::*;

/// A document before its spelling is chosen.
#[derive(Clone, Debug)]
enum Document {
    Plain(&'static str),
    Number(f64),
    Integer(i64),
    String(String),
    Array(Vec<Document>),
    Object(Vec<(String, Document)>),
}

const ROOMY: Limits = Limits {
    bytes: 1 << 20,
    keys: 1000,
    depth: 128,
};

fn document() -> impl Strategy<Value = Document> {
    let leaf = prop_oneof![
        prop_oneof![Just("null"), Just("true"), Just("false")].prop_map(Document::Plain),
        any::<f64>()
            .prop_filter("finite", |n| n.is_finite())
            .prop_map(Document::Number),
        (-(1_i64 << 53) + 1..1 << 53).prop_map(Document::Integer),
        any::<String>().prop_map(Document::String),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Document::Array),
            object(inner)
        ]
    })
}

fn object(inner: impl Strategy<Value = Document>) -> impl Strategy<Value = Document> {
    let index = (0_u64..=1 << 33).prop_map(|n| n.to_string());
    let key = prop_oneof![any::<String>(), "[0-9]{1,3}", index, "[a-z]{0,3}"]
        .prop_filter("allowed", |key| {
            !["__proto__", "constructor"].contains(&key.as_str())
        });
    btree_map(key, inner, 0..6).prop_map(|members| Document::Object(members.into_iter().collect()))
}

/// Writes `document` as JSON, with `choices` deciding all details of the spelling.
fn spell(document: &Document, choices: &mut impl Iterator<Item = usize>) -> String {
    let space = |choices: &mut dyn Iterator<Item = usize>| {
        ["", "", " ", "\n\t", "\r"][choices.next().unwrap() % 5]
    };
    let inner = match document {
        Document::Plain(word) => (*word).to_owned(),
        // With an exponent, a whole number is not an integer literal.
        Document::Number(number) => match choices.next().unwrap() % 2 {
            0 => format!("{number:e}"),
            _ => format!("{number:E}"),
        },
        Document::Integer(number) => number.to_string(),
        Document::String(text) => spell_string(text, choices),
        Document::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| spell(item, choices)).collect();
            format!("[{}{}]", items.join(","), space(choices))
        }
        Document::Object(members) => {
            let mut left: Vec<&(String, Document)> = members.iter().collect();
            let mut spelled = Vec::new();
            while !left.is_empty() {
                let (key, value) = left.swap_remove(choices.next().unwrap() % left.len());
                let key = spell_string(key, choices);
                let before = space(choices);
                let between = space(choices);
                spelled.push(format!("{before}{key}{between}:{}", spell(value, choices)));
            }
            format!("{{{}{}}}", spelled.join(","), space(choices))
        }
    };
    format!("{}{inner}{}", space(choices), space(choices))
}

fn spell_string(text: &str, choices: &mut impl Iterator<Item = usize>) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        let must_escape = char < ' ' || char == '"' || char == '\\';
        match choices.next().unwrap() % 4 {
            0 if char == '/' => out.push_str("\\/"),
            2.. if !must_escape => out.push(char),
            lowercase => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let lower = format!("\\u{unit:04x}");
                    let upper = format!("\\u{unit:04X}");
                    out.push_str(if lowercase == 1 { &lower } else { &upper });
                }
            }
        }
    }
    out.push('"');
    out
}

/// An endless but reproducible sequence of choices.
fn choices(seed: u64) -> impl Iterator<Item = usize> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 40).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_spelling_of_a_document_has_one_canonical_form(
        document in object(document()),
        seeds: (u64, u64),
    ) {
        let one = spell(&document, &mut choices(seeds.0));
        let other = spell(&document, &mut choices(seeds.1));
        let canonical = CanonicalObject::parse(&one, ROOMY).unwrap();
        prop_assert_eq!(&CanonicalObject::parse(&other, ROOMY).unwrap(), &canonical, "{}\n{}", one, other);
    }

    #[test]
    fn canonicalising_twice_changes_nothing(
        document in object(document()),
        seed: u64,
    ) {
        let text = spell(&document, &mut choices(seed));
        let canonical = CanonicalObject::parse(text, ROOMY).unwrap();
        prop_assert_eq!(CanonicalObject::try_from(canonical.as_str().to_owned()), Ok(canonical.clone()));
        match CanonicalObject::parse(canonical.as_str(), ROOMY) {
            Ok(again) => prop_assert_eq!(again, canonical),
            // `1e20` becomes an integer literal that callers may not send.
            Err(error) => {
                let large = matches!(error, CanonicalError::IntegerOutOfRange { .. });
                prop_assert!(large, "{error:?}");
            }
        }
    }

    #[test]
    fn canonical_form_keeps_the_content(document in object(document()), seed: u64) {
        let text = spell(&document, &mut choices(seed));
        let canonical = CanonicalObject::parse(&text, ROOMY).unwrap();
        prop_assert!(document.is(&syntax::parse(canonical.as_str()).unwrap()), "{canonical:?}");
    }

    #[test]
    fn nothing_panics(bytes: Vec<u8>, text: String) {
        let _ = CanonicalObject::parse(&bytes, Limits::METADATA);
        let _ = CanonicalObject::parse(&text, Limits::METADATA);
        let _ = Members::parse(&bytes);
        let _ = CanonicalObject::try_from(text);
    }
}

impl Document {
    /// Returns whether `node` has the same numbers, strings and members, with keys in any order.
    fn is(&self, node: &Node<'_>) -> bool {
        match (self, node.value().unwrap()) {
            (Self::Plain("null"), Value::Null) => true,
            (Self::Plain(word), Value::Boolean(boolean)) => *word == boolean.to_string(),
            (Self::Number(number), Value::Number(literal)) => literal.parse() == Ok(*number),
            (Self::Integer(number), Value::Number(literal)) => literal.parse() == Ok(*number),
            (Self::String(string), Value::String(text)) => text.unicode().unwrap() == *string,
            (Self::Array(items), Value::Array(nodes)) => {
                items.len() == nodes.len()
                    && items.iter().zip(&nodes).all(|(item, node)| item.is(node))
            }
            (Self::Object(members), Value::Object(nodes)) => {
                let found = |(key, item): &(String, Self)| {
                    nodes
                        .iter()
                        .any(|(text, node)| text.unicode().unwrap() == *key && item.is(node))
                };
                members.len() == nodes.len() && members.iter().all(found)
            }
            _ => false,
        }
    }
}
