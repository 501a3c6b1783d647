//! Strict reading of JSON objects.

use std::collections::BTreeMap;

use countersign_domain::primitives::canonical_json::Pairs;
use serde_json::Value;

/// The members of a JSON object, with duplicates refused.
///
/// Otherwise verifiers that keep the first of two members and verifiers that keep the last would
/// read two different proofs.
pub(crate) struct Members(BTreeMap<String, Value>);

impl Members {
    /// Parses JSON in UTF-8 without byte order mark; returns `None` if it is not an object, or has
    /// a duplicate member.
    pub(crate) fn parse(json: &[u8]) -> Option<Self> {
        let Pairs(pairs) = serde_json::from_slice(json).ok()?;
        let count = pairs.len();
        let members: BTreeMap<_, _> = pairs.into_iter().collect();
        (members.len() == count).then_some(Self(members))
    }

    /// Removes and returns a member; `None` if it is absent.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Removes a member and returns its text; `None` if it is absent or not a string.
    pub(crate) fn take_text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Removes a member and returns its number; `None` if it is absent or not a non-negative
    /// integer without fraction and exponent.
    pub(crate) fn take_integer(&mut self, name: &str) -> Option<u64> {
        self.take(name)?.as_u64()
    }

    /// Returns whether no members are left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_once_each() {
        let mut members = Members::parse(br#" { "a":"x", "b":7, "c":7.0, "d":-7 } "#).unwrap();
        assert_eq!(members.take_text("a").as_deref(), Some("x"));
        assert_eq!(members.take_text("a"), None);
        assert_eq!(members.take_integer("b"), Some(7));
        assert_eq!(members.take_integer("c"), None);
        assert_eq!(members.take_integer("d"), None);
        assert!(members.is_empty());
    }

    #[test]
    fn only_an_object_without_repetitions_is_read() {
        for bad in [
            "",
            "{",
            "null",
            "[]",
            r#"["a","b"]"#,
            r#""a""#,
            "{}{}",
            r#"{"a":1,}"#,
            r"{'a':1}",
            r"{a:1}",
            r#"{/**/"a":1}"#,
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            "\u{feff}{}",
        ] {
            assert!(Members::parse(bad.as_bytes()).is_none(), "{bad}");
        }
        assert!(Members::parse(b"{\"a\":\"\xff\"}").is_none(), "not UTF-8");
        let utf_16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(Members::parse(&utf_16).is_none());
    }
}
