//! Headers that a request may have once.

use http::{HeaderMap, HeaderValue};

/// A header that counts only where it is sent exactly once.
pub(crate) enum Single<'a> {
    /// The request does not have it.
    Absent,
    /// The request has it once.
    Once(&'a HeaderValue),
    /// The request has it several times.
    Repeated,
}

impl<'a> Single<'a> {
    /// Looks the header up by its name.
    pub(crate) fn find(headers: &'a HeaderMap, name: &str) -> Self {
        let mut values = headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (None, _) => Self::Absent,
            (Some(value), None) => Self::Once(value),
            (Some(_), Some(_)) => Self::Repeated,
        }
    }

    /// Returns the value, unless the header is absent or repeated.
    pub(crate) const fn value(self) -> Option<&'a HeaderValue> {
        match self {
            Self::Once(value) => Some(value),
            Self::Absent | Self::Repeated => None,
        }
    }
}

/// Returns the value of a header that is sent exactly once, if it is visible ASCII.
pub(crate) fn single_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    Single::find(headers, name).value()?.to_str().ok()
}
