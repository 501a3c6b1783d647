//! Conversion of parsed values to canonical text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::error::CanonicalError;
use super::key::Key;
use super::limits::Limits;
use super::syntax::{Node, Text, Value};

/// 2^53-1, ECMAScript's `Number.MAX_SAFE_INTEGER`.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// The treatment of integer literals beyond [`MAX_INTEGER`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LargeIntegers {
    /// Refuse them: the caller may have meant a number that a double cannot represent.
    Refused,
    /// Read them as doubles. In canonical text, such a literal results from a number like `1e20`.
    Doubles,
}

/// Converts `object` to canonical form.
pub(super) fn canonical(
    object: &Node<'_>,
    limits: Limits,
    large_integers: LargeIntegers,
) -> Result<String, CanonicalError> {
    let Value::Object(members) = object.value()? else {
        return Err(CanonicalError::NotAnObject { at: object.at() });
    };
    if members.len() > limits.keys {
        return Err(CanonicalError::TooManyKeys {
            keys: members.len(),
            limit: limits.keys,
        });
    }
    let mut writer = Canonicaliser {
        out: String::new(),
        depth: limits.depth,
        large_integers,
    };
    writer.value(object, 0)?;
    if writer.out.len() > limits.bytes {
        return Err(CanonicalError::TooLarge {
            bytes: writer.out.len(),
            limit: limits.bytes,
        });
    }
    Ok(writer.out)
}

struct Canonicaliser {
    out: String,
    depth: usize,
    large_integers: LargeIntegers,
}

impl Canonicaliser {
    fn value(&mut self, node: &Node<'_>, depth: usize) -> Result<(), CanonicalError> {
        let at = node.at();
        match node.value()? {
            Value::Array(_) | Value::Object(_) if depth == self.depth => {
                return Err(CanonicalError::TooDeep {
                    at,
                    limit: self.depth,
                });
            }
            Value::Null => self.out.push_str("null"),
            Value::Boolean(true) => self.out.push_str("true"),
            Value::Boolean(false) => self.out.push_str("false"),
            Value::Number(literal) => self.number(literal, at)?,
            Value::String(text) => write_string(&mut self.out, &text.unicode()?),
            Value::Array(items) => self.array(&items, depth + 1)?,
            Value::Object(members) => self.object(&members, depth + 1)?,
        }
        Ok(())
    }

    fn array(&mut self, items: &[Node<'_>], depth: usize) -> Result<(), CanonicalError> {
        self.out.push('[');
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                self.out.push(',');
            }
            self.value(item, depth)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn object(
        &mut self,
        members: &[(Text<'_>, Node<'_>)],
        depth: usize,
    ) -> Result<(), CanonicalError> {
        let mut sorted = BTreeMap::new();
        for (text, node) in members {
            let name = text.unicode()?;
            refuse_prototypes(&name, text.at(), node)?;
            if sorted.insert(Key::from(name), node).is_some() {
                return Err(CanonicalError::DuplicateKey { at: text.at() });
            }
        }
        self.out.push('{');
        for (position, (key, node)) in sorted.into_iter().enumerate() {
            write_key(&mut self.out, position, &key);
            self.value(node, depth)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn number(&mut self, literal: &str, at: usize) -> Result<(), CanonicalError> {
        let integer = !literal.contains(['.', 'e', 'E']);
        if integer {
            let safe = literal
                .parse()
                .is_ok_and(|n: i64| n.unsigned_abs() <= MAX_INTEGER);
            if safe {
                self.out
                    .push_str(if literal == "-0" { "0" } else { literal });
                return Ok(());
            }
            if self.large_integers == LargeIntegers::Refused {
                return Err(CanonicalError::IntegerOutOfRange { at });
            }
        }
        let number = literal
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite());
        let number = number.ok_or(CanonicalError::NumberNotFinite { at })?;
        self.out
            .push_str(ryu_js::Buffer::new().format_finite(number));
        Ok(())
    }
}

/// Refuses the keys that make `secure-json-parse`, and therefore Fastify, return an error.
fn refuse_prototypes(name: &str, at: usize, node: &Node<'_>) -> Result<(), CanonicalError> {
    if name == "__proto__" {
        return Err(CanonicalError::ForbiddenKey {
            key: "__proto__",
            at,
        });
    }
    if name == "constructor"
        && let Value::Object(members) = node.value()?
    {
        for (text, _) in members {
            if text.unicode()? == "prototype" {
                return Err(CanonicalError::ForbiddenKey {
                    key: "prototype",
                    at: text.at(),
                });
            }
        }
    }
    Ok(())
}

/// Writes `key` and its colon, preceded by a comma except for the first key.
fn write_key(out: &mut String, position: usize, key: &Key<'_>) {
    if position > 0 {
        out.push(',');
    }
    match key {
        Key::Index(index) => push(out, format_args!("\"{index}\"")),
        Key::Name(name) => write_string(out, name),
    }
    out.push(':');
}

/// Writes `text` in quotes, escaped as `JSON.stringify` does (ECMA-262, `QuoteJSONString`).
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0c => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            control => push(out, format_args!("\\u{control:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = out.write_fmt(text);
}
