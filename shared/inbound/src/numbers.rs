//! Phone numbers as providers and phones write them.

use countersign_domain::primitives::phone::{Country, PhoneNumber};

/// Removes the `+` for providers that write numbers without it.
pub(crate) fn bare(number: &str) -> &str {
    number.strip_prefix('+').unwrap_or(number)
}

/// Returns a number in international form, as far as the phone or modem that wrote it or the country of its SIM
/// tells it. Digits that the country does not have are none, even if another country has them.
#[must_use]
pub fn international(written: &str, country: Country) -> Option<String> {
    if written.starts_with('+') {
        return Some(written.to_owned());
    }
    if let Some(digits) = written.strip_prefix("00") {
        return Some(format!("+{digits}"));
    }
    let number = PhoneNumber::parse_national(written, country).ok()?;
    Some(number.as_str().to_owned())
}
