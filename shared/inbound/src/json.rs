//! JSON bodies of providers: the members of an object, and nested documents.

use std::borrow::Cow;

use countersign_domain::primitives::canonical_json::{CanonicalError, Members};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::damage;
use crate::error::MalformedText;

/// Returns a string member that may be missing or `null`.
pub(crate) fn optional_text(
    members: &Members<'_>,
    name: &'static str,
) -> Result<Option<String>, MalformedText> {
    match members.text(name) {
        Ok(text) => Ok(text.map(Cow::into_owned)),
        Err(CanonicalError::NotAString { .. }) => Err(MalformedText::NotAString(name)),
        Err(error) => Err(MalformedText::Json(error)),
    }
}

pub(crate) fn required_text(
    members: &Members<'_>,
    name: &'static str,
) -> Result<String, MalformedText> {
    optional_text(members, name)?.ok_or(MalformedText::Missing(name))
}

/// A body, or a document in a body, with U+FFFD in place of [invalid Unicode](damage).
pub(crate) struct Json<'a>(Cow<'a, [u8]>);

impl<'a> Json<'a> {
    /// Reads bytes that were authenticated or that contain their own signature.
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(damage::repaired(bytes))
    }

    /// Parses the document. Ignores unknown members; a known member that occurs twice is an error.
    pub(crate) fn parse<'b, T: Deserialize<'b>>(&'b self) -> Result<T, MalformedText> {
        serde_json::from_slice(&self.0).map_err(|error| MalformedText::Shape {
            line: error.line(),
            column: error.column(),
        })
    }

    /// Parses a document with one event. Returns `None` if the JSON does not have the documented format: a
    /// retry would bring the same event.
    pub(crate) fn event<'b, T: Deserialize<'b>>(&'b self) -> Result<Option<T>, MalformedText> {
        match self.parse() {
            Ok(event) => Ok(Some(event)),
            Err(_) => self.parse::<IgnoredAny>().map(|_| None),
        }
    }

    /// Returns the members of a document that is one object.
    pub(crate) fn members(&self) -> Result<Members<'_>, MalformedText> {
        Members::parse(&self.0).map_err(MalformedText::Json)
    }
}

/// Parses one of several events in a body, independently of the others. Returns `None` if it does
/// not have the documented format.
pub(crate) fn event<'a, T: Deserialize<'a>>(event: &'a RawValue) -> Option<T> {
    serde_json::from_str(event.get()).ok()
}

/// Returns the text of a message from its body or its subject, where some phones put it. Returns `None` if there is
/// neither.
pub(crate) fn written(body: Option<String>, subject: Option<String>) -> Option<String> {
    let parts: Vec<_> = [body, subject].into_iter().flatten().collect();
    let full = parts.iter().filter(|part| !part.is_empty()).cloned();
    (!parts.is_empty()).then(|| full.collect::<Vec<_>>().join("\n"))
}
