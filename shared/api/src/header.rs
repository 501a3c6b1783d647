//! Helpers for request headers that must be unique and for answer headers that hold lists.

use http::header::VARY;
use http::{HeaderMap, HeaderValue};

/// A header that is only used if it is sent exactly once.
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

/// Adds a header to the list of headers that the answer depends on (RFC 9110, section 12.5.5), in one list.
pub(crate) fn vary(headers: &mut HeaderMap, on: &'static str) {
    let before = headers.get(VARY).and_then(|value| value.to_str().ok());
    let list = match before {
        Some(before) if before.split(", ").any(|one| one == on) => return,
        Some(before) => HeaderValue::try_from(format!("{before}, {on}")).ok(),
        None => Some(HeaderValue::from_static(on)),
    };
    if let Some(list) = list {
        headers.insert(VARY, list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vary_is_one_list_without_repetitions() {
        let mut headers = HeaderMap::new();
        for on in ["Accept-Language", "Origin", "Origin", "Accept-Language"] {
            vary(&mut headers, on);
        }
        let values: Vec<_> = headers.get_all(VARY).iter().collect();
        assert_eq!(values, ["Accept-Language, Origin"]);
    }
}
