//! DynamoDB items, and typed access to their attributes.

use std::collections::HashMap;
use std::str::FromStr;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::primitives::time::Timestamp;
use thiserror::Error;

/// Attribute: the version of the item's format.
pub(super) const VERSION: &str = "v";

/// An item, or a map within one.
pub(super) type Item = HashMap<String, AttributeValue>;

/// The version that this release writes and the newest that it reads. It is raised when the
/// meaning of an item changes, not when an attribute is added: readers ignore attributes that they
/// do not know, and writers leave them alone.
pub(super) const FORMAT: u32 = 1;

/// A stored item cannot be decoded. No variant holds a value of the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum RecordError {
    /// A later release wrote it.
    #[error("a stored item has version {0}, this release reads {FORMAT} at most")]
    Newer(u32),
    /// An attribute is missing.
    #[error("a stored item has no attribute `{0}`")]
    Missing(&'static str),
    /// The domain does not allow an attribute's value.
    #[error("a stored item's attribute `{0}` is invalid")]
    Invalid(&'static str),
}

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
    /// Reads an item, if this release knows its version.
    pub(super) fn of(item: &'a Item) -> Result<Self, RecordError> {
        let attributes = Self(item);
        match attributes.number(VERSION)? {
            newer if newer > FORMAT => Err(RecordError::Newer(newer)),
            _ => Ok(attributes),
        }
    }

    /// Reads a map inside an item.
    pub(super) const fn within(map: &'a Item) -> Self {
        Self(map)
    }

    /// Returns an attribute of any type.
    pub(super) fn get(self, name: &str) -> Option<&'a AttributeValue> {
        self.0.get(name)
    }

    pub(super) fn text_if(self, name: &'static str) -> Result<Option<&'a str>, RecordError> {
        self.get(name)
            .map(|value| value.as_s().map(String::as_str))
            .transpose()
            .map_err(|_| RecordError::Invalid(name))
    }

    pub(super) fn text(self, name: &'static str) -> Result<&'a str, RecordError> {
        self.text_if(name)?.ok_or(RecordError::Missing(name))
    }

    pub(super) fn number_if<T: FromStr>(
        self,
        name: &'static str,
    ) -> Result<Option<T>, RecordError> {
        let digits = |value: &'a AttributeValue| value.as_n().ok()?.parse().ok();
        self.get(name)
            .map(|value| digits(value).ok_or(RecordError::Invalid(name)))
            .transpose()
    }

    pub(super) fn number<T: FromStr>(self, name: &'static str) -> Result<T, RecordError> {
        self.number_if(name)?.ok_or(RecordError::Missing(name))
    }

    pub(super) fn instant_if(self, name: &'static str) -> Result<Option<Timestamp>, RecordError> {
        Ok(self.number_if(name)?.map(Timestamp::from_millis))
    }

    pub(super) fn instant(self, name: &'static str) -> Result<Timestamp, RecordError> {
        self.number(name).map(Timestamp::from_millis)
    }

    pub(super) fn bytes_if(self, name: &'static str) -> Result<Option<&'a [u8]>, RecordError> {
        self.get(name)
            .map(|value| value.as_b().map(AsRef::as_ref))
            .transpose()
            .map_err(|_| RecordError::Invalid(name))
    }

    pub(super) fn bytes(self, name: &'static str) -> Result<&'a [u8], RecordError> {
        self.bytes_if(name)?.ok_or(RecordError::Missing(name))
    }

    pub(super) fn fixed<const N: usize>(self, name: &'static str) -> Result<[u8; N], RecordError> {
        let bytes = self.bytes(name)?;
        bytes.try_into().map_err(|_| RecordError::Invalid(name))
    }

    pub(super) fn list(self, name: &'static str) -> Result<&'a [AttributeValue], RecordError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(AttributeValue::L(list)) => Ok(list),
            Some(_) => Err(RecordError::Invalid(name)),
        }
    }

    /// Returns the attributes of a map, or `None` if it is missing.
    pub(super) fn map_if(self, name: &'static str) -> Result<Option<Self>, RecordError> {
        self.get(name)
            .map(|value| value.as_m().map(Self::within))
            .transpose()
            .map_err(|_| RecordError::Invalid(name))
    }

    pub(super) fn map(self, name: &'static str) -> Result<Self, RecordError> {
        self.map_if(name)?.ok_or(RecordError::Missing(name))
    }

    /// Returns a flag; a missing one is `false`.
    pub(super) fn flag(self, name: &'static str) -> Result<bool, RecordError> {
        match self.get(name) {
            None => Ok(false),
            Some(AttributeValue::Bool(flag)) => Ok(*flag),
            Some(_) => Err(RecordError::Invalid(name)),
        }
    }

    /// Returns the strings of a set; a missing one is empty.
    pub(super) fn set(self, name: &'static str) -> Result<&'a [String], RecordError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(AttributeValue::Ss(set)) => Ok(set),
            Some(_) => Err(RecordError::Invalid(name)),
        }
    }
}
