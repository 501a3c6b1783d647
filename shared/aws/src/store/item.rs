//! DynamoDB items, and typed access to their attributes.

use std::collections::HashMap;
use std::str::FromStr;

pub(super) use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::form::FormError;

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

/// Encodes a time in milliseconds since the epoch.
pub(super) fn instant(at: Timestamp) -> AttributeValue {
    number(at.as_millis())
}

/// Encodes a time for `ttl`: in whole seconds, rounded up.
pub(super) fn seconds(at: Timestamp) -> AttributeValue {
    number(at.as_millis().div_ceil(1000))
}

/// The attributes of an item, by name.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a>(pub(super) &'a Item);

impl<'a> Attributes<'a> {
    pub(super) fn text(self, name: &str) -> Result<&'a str, FormError> {
        match self.0.get(name).ok_or(FormError::Malformed)? {
            AttributeValue::S(text) => Ok(text),
            _ => Err(FormError::Malformed),
        }
    }

    pub(super) fn number<T: FromStr>(self, name: &str) -> Result<T, FormError> {
        match self.0.get(name).ok_or(FormError::Malformed)? {
            AttributeValue::N(digits) => digits.parse().map_err(|_| FormError::Malformed),
            _ => Err(FormError::Malformed),
        }
    }
}
