//! DynamoDB items, and typed access to their attributes.

use std::collections::HashMap;
use std::str::FromStr;

use aws_sdk_dynamodb::primitives::Blob;
pub(super) use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{RecordError, check_version};

/// Attribute: the version of the item's format.
pub(super) const VERSION: &str = "v";

/// An item, or a map within one.
pub(super) type Item = HashMap<String, AttributeValue>;

/// Encodes a string.
pub(super) fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// Encodes a number.
pub(super) fn number(value: impl Into<u64>) -> AttributeValue {
    AttributeValue::N(value.into().to_string())
}

/// Encodes a number that may be negative.
pub(super) fn integer(value: i32) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// Encodes a time in milliseconds since the epoch.
pub(super) fn instant(at: Timestamp) -> AttributeValue {
    number(at.as_millis())
}

/// Encodes a time for `ttl`: in whole seconds, rounded up.
pub(super) fn seconds(at: Timestamp) -> AttributeValue {
    number(at.as_millis().div_ceil(1000))
}

/// Encodes bytes.
pub(super) fn bytes(value: impl Into<Vec<u8>>) -> AttributeValue {
    AttributeValue::B(Blob::new(value))
}

/// The attributes of an item, by name.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a>(&'a Item);

impl<'a> Attributes<'a> {
    /// Wraps an item, if this release can read its version.
    pub(super) fn of(item: &'a Item) -> Result<Self, RecordError> {
        let attributes = Self(item);
        check_version(attributes.number(VERSION)?)?;
        Ok(attributes)
    }

    /// Wraps an entry of an index, which has no version.
    pub(super) const fn of_entry(entry: &'a Item) -> Self {
        Self(entry)
    }

    /// Returns an attribute of any type.
    pub(super) fn get(self, name: &str) -> Option<&'a AttributeValue> {
        self.0.get(name)
    }

    /// Returns a string.
    pub(super) fn text(self, name: &'static str) -> Result<&'a str, RecordError> {
        match self.get(name).ok_or(RecordError::Missing(name))? {
            AttributeValue::S(text) => Ok(text),
            _ => Err(RecordError::Invalid(name)),
        }
    }

    /// Returns a number.
    pub(super) fn number<T: FromStr>(self, name: &'static str) -> Result<T, RecordError> {
        match self.get(name).ok_or(RecordError::Missing(name))? {
            AttributeValue::N(digits) => digits.parse().map_err(|_| RecordError::Invalid(name)),
            _ => Err(RecordError::Invalid(name)),
        }
    }
}
