//! The members of a provider's JSON body.

use std::borrow::Cow;

use countersign_domain::primitives::canonical_json::{CanonicalError, Members};

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
