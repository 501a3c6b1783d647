//! JSON as it was written: `serde_json` checks the syntax, and this module keeps details that general-purpose readers
//! discard: number literals, every member of an object, and the offset of each value.
//!
//! Huge integers, duplicate keys and halves of surrogate pairs are syntactically valid.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{CanonicalError, Pairs};

/// Maximum nesting depth of any text, so that recursion cannot exhaust the stack.
pub(super) const MAX_DEPTH: usize = 128;

/// A value in a JSON text.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    text: &'a str,
    json: &'a str,
}

pub(super) enum Value<'a> {
    Null,
    Boolean(bool),
    /// The literal as it was written.
    Number(&'a str),
    String(Text<'a>),
    Array(Vec<Node<'a>>),
    /// All members in their original order, including duplicates.
    Object(Vec<(Text<'a>, Node<'a>)>),
}

/// A string or a key.
pub(super) struct Text<'a>(Node<'a>);

#[derive(Deserialize)]
struct Unescaped<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Text<'a> {
    /// Returns the offset of the opening quote.
    pub(super) fn at(&self) -> usize {
        self.0.at()
    }

    /// Returns the string, or an error if it is not valid Unicode.
    pub(super) fn unicode(&self) -> Result<Cow<'a, str>, CanonicalError> {
        match serde_json::from_str(self.0.json) {
            Ok(Unescaped(text)) => Ok(text),
            Err(_) => Err(CanonicalError::LoneSurrogate { at: self.at() }),
        }
    }
}

/// Parses the single value in `text`.
pub(super) fn parse(text: &str) -> Result<Node<'_>, CanonicalError> {
    check_depth(text)?;
    let json = read::<&RawValue>(text)?.get();
    Ok(Node { text, json })
}

impl<'a> Node<'a> {
    /// Returns the byte offset in the text.
    pub(super) fn at(&self) -> usize {
        self.json.as_ptr().addr() - self.text.as_ptr().addr()
    }

    /// Returns the value, with nested values as they were written.
    pub(super) fn value(&self) -> Result<Value<'a>, CanonicalError> {
        let part = |json: &'a RawValue| Self {
            text: self.text,
            json: json.get(),
        };
        Ok(match self.json.as_bytes() {
            [b'{', ..] => {
                let Pairs(members) = read::<Pairs<&RawValue, &RawValue>>(self.json)?;
                let members = members.into_iter();
                let members = members.map(|(key, value)| (Text(part(key)), part(value)));
                Value::Object(members.collect())
            }
            [b'[', ..] => {
                let items = read::<Vec<&RawValue>>(self.json)?;
                Value::Array(items.into_iter().map(part).collect())
            }
            [b'"', ..] => Value::String(Text(*self)),
            b"true" => Value::Boolean(true),
            b"false" => Value::Boolean(false),
            b"null" => Value::Null,
            _ => Value::Number(self.json),
        })
    }
}

fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, CanonicalError> {
    serde_json::from_str(json).map_err(|error| CanonicalError::NotJson {
        at: offset(json, &error),
    })
}

/// Returns the byte offset at which a parser gave up.
fn offset(json: &str, error: &serde_json::Error) -> usize {
    if error.is_eof() {
        return json.len();
    }
    let lines = json.split_inclusive('\n').take(error.line() - 1);
    lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1)
}

/// Refuses a text that is nested too deeply: `serde_json` skips values of any depth.
fn check_depth(text: &str) -> Result<(), CanonicalError> {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string && depth == MAX_DEPTH => {
                return Err(CanonicalError::TooDeep {
                    at,
                    limit: MAX_DEPTH,
                });
            }
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}
