//! Phone numbers as providers and phones write them.

use countersign_domain::primitives::phone::{Country, PhoneNumber};

/// Removes the `+` for providers that write numbers without it.
pub(crate) fn bare(number: &str) -> &str {
    number.strip_prefix('+').unwrap_or(number)
}

/// Returns a WhatsApp sender: the given text if it is a number, otherwise the account's number if the provider sends
/// it beside the id.
pub(crate) fn sender_on_whatsapp<'a>(from: &'a str, account: Option<&'a str>) -> &'a str {
    let is_number = |text: &&str| {
        let digits = bare(text);
        !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
    };
    if is_number(&from) {
        return from;
    }
    account.filter(is_number).unwrap_or(from)
}

/// Returns the sender of a text in international form, if the phone or modem that wrote it or the country of its SIM
/// determines it. Names are never completed with a country code, and digits that are not a number of this country
/// are returned as text that is no valid number, even if another country has that number.
#[must_use]
pub fn sender_within(written: &str, country: Country) -> String {
    international(written, country).unwrap_or_else(|| {
        let is_digits = !written.is_empty() && written.bytes().all(|c| c.is_ascii_digit());
        if is_digits {
            format!("{written} in {country}")
        } else {
            written.to_owned()
        }
    })
}

/// Returns a number in international form, if the phone or modem that wrote it or the country of its SIM
/// determines it. Returns `None` for digits that are not a number of the country, even if another country
/// has that number.
pub(crate) fn international(written: &str, country: Country) -> Option<String> {
    match PhoneNumber::parse_within(written, country) {
        Ok(number) => Some(number.as_str().to_owned()),
        Err(_) => written.starts_with('+').then(|| written.to_owned()),
    }
}
