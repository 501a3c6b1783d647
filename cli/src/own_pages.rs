//! The parts that the playground and the console share: their files, and how their pages are kept apart from others.

pub(crate) mod files;
pub(crate) mod headers;

use axum::http::{HeaderMap, HeaderName};

/// Returns a header's value if the header occurs exactly once.
pub(crate) fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
