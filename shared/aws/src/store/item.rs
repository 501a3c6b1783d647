//! Items as DynamoDB has them, and attributes read out of them with their types.

use std::collections::HashMap;
use std::str::FromStr;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::primitives::time::Timestamp;
use countersign_records::{RecordError, check_version};

/// The attribute with the version that a reader has to know, a number.
pub(super) const VERSION: &str = "v";

/// An item, or a map within one.
pub(super) type Item = HashMap<String, AttributeValue>;

/// A string.
pub(super) fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// A number.
pub(super) fn number(value: impl Into<u64>) -> AttributeValue {
    AttributeValue::N(value.into().to_string())
}

/// A number that may be below zero.
pub(super) fn integer(value: i32) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// An instant, in milliseconds since the epoch.
pub(super) fn instant(at: Timestamp) -> AttributeValue {
    number(at.as_millis())
}

/// An instant as a `ttl` has it: whole seconds, never before the instant.
pub(super) fn seconds(at: Timestamp) -> AttributeValue {
    number(at.as_millis().div_ceil(1000))
}

/// Bytes.
pub(super) fn bytes(value: impl Into<Vec<u8>>) -> AttributeValue {
    AttributeValue::B(Blob::new(value))
}

/// The attributes of an item, by name.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a>(&'a Item);

impl<'a> Attributes<'a> {
    /// Returns those of an item whose version this release reads.
    pub(super) fn of(item: &'a Item) -> Result<Self, RecordError> {
        let attributes = Self(item);
        check_version(attributes.number(VERSION)?)?;
        Ok(attributes)
    }

    /// Returns those of an entry of an index, which has no version.
    pub(super) const fn of_entry(entry: &'a Item) -> Self {
        Self(entry)
    }

    /// Returns an attribute of whatever type, if it is there.
    pub(super) fn get(self, name: &str) -> Option<&'a AttributeValue> {
        self.0.get(name)
    }

    /// Returns a string.
    pub(super) fn text(self, name: &'static str) -> Result<&'a str, RecordError> {
        let value = self.get(name).ok_or(RecordError::Missing(name))?;
        let text = value.as_s().map_err(|_| RecordError::Invalid(name))?;
        Ok(text)
    }

    /// Returns a number.
    pub(super) fn number<T: FromStr>(self, name: &'static str) -> Result<T, RecordError> {
        let value = self.get(name).ok_or(RecordError::Missing(name))?;
        let digits = value.as_n().ok().and_then(|digits| digits.parse().ok());
        digits.ok_or(RecordError::Invalid(name))
    }
}
