//! The headers `Accept` and `Accept-Encoding`: the formats that the caller accepts (RFC 9110, section 12.5).

use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{HeaderMap, HeaderName};

/// Returns whether the caller explicitly accepts HTML, as browsers do when they open an address.
pub(crate) fn html(headers: &HeaderMap) -> bool {
    names(headers, &ACCEPT, "text/html")
}

/// Returns whether the caller explicitly accepts gzip.
pub(crate) fn gzip(headers: &HeaderMap) -> bool {
    names(headers, &ACCEPT_ENCODING, "gzip")
}

/// Returns whether a header lists a format with a weight other than zero.
fn names(headers: &HeaderMap, header: &HeaderName, form: &str) -> bool {
    let values = headers.get_all(header).iter();
    let members = values.filter_map(|value| value.to_str().ok());
    members.flat_map(|value| value.split(',')).any(|member| {
        let mut parts = member.split(';').map(str::trim);
        let named = parts.next().unwrap_or_default();
        let refused = parts.any(|part| {
            let weight = part.strip_prefix("q=").or(part.strip_prefix("Q="));
            weight.is_some_and(|weight| weight.parse() == Ok(0.0_f32))
        });
        named.eq_ignore_ascii_case(form) && !refused
    })
}
