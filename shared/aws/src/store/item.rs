//! Items as DynamoDB has them, and attributes read out of them with their types.

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

/// Why a stored item cannot be used. No variant repeats what the item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum RecordError {
    /// A later release wrote it.
    #[error("a stored item has version {0}, and this release knows {FORMAT} at most")]
    Newer(u32),
    /// An attribute is not there.
    #[error("a stored item has no attribute `{0}`")]
    Missing(&'static str),
    /// An attribute's value is none that the domain allows.
    #[error("a stored item's attribute `{0}` is invalid")]
    Invalid(&'static str),
}

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
    /// Those of an item whose version this release knows.
    pub(super) fn of(item: &'a Item) -> Result<Self, RecordError> {
        let attributes = Self(item);
        match attributes.number(VERSION)? {
            newer if newer > FORMAT => Err(RecordError::Newer(newer)),
            _ => Ok(attributes),
        }
    }

    /// Those of a map within an item.
    pub(super) const fn within(map: &'a Item) -> Self {
        Self(map)
    }

    /// An attribute of whatever type, if it is there.
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

    /// The attributes of a map, if it is there.
    pub(super) fn map_if(self, name: &'static str) -> Result<Option<Self>, RecordError> {
        self.get(name)
            .map(|value| value.as_m().map(Self::within))
            .transpose()
            .map_err(|_| RecordError::Invalid(name))
    }

    pub(super) fn map(self, name: &'static str) -> Result<Self, RecordError> {
        self.map_if(name)?.ok_or(RecordError::Missing(name))
    }

    /// A yes or no; no where it is not there.
    pub(super) fn flag(self, name: &'static str) -> Result<bool, RecordError> {
        match self.get(name) {
            None => Ok(false),
            Some(AttributeValue::Bool(flag)) => Ok(*flag),
            Some(_) => Err(RecordError::Invalid(name)),
        }
    }

    /// The strings of a set; none where there is no such attribute.
    pub(super) fn set(self, name: &'static str) -> Result<&'a [String], RecordError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(AttributeValue::Ss(set)) => Ok(set),
            Some(_) => Err(RecordError::Invalid(name)),
        }
    }
}
