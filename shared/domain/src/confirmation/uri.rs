//! `confirmationUri`: links that open a text message that is ready to send.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::senders::Recipient;

/// All characters except the unreserved ones of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The four URIs of a confirmation (phone number API, section 2; `sms` follows RFC 5724). Each
/// contains the secret message.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfirmationUri {
    /// For a QR code: `smsto:<recipient>:<message>`, with the message unencoded, since readers do
    /// not decode it.
    pub qr: String,
    /// For a link on iOS: `sms:<recipient>&body=<message>`.
    pub ios: String,
    /// For a link on Android: `smsto:<recipient>:<message>`.
    pub android: String,
    /// For a link on Android's default messenger, which only reads `?body=`:
    /// `sms:<recipient>?body=<message>`.
    pub sms: String,
}

impl ConfirmationUri {
    /// Creates the URIs for a message to one of our numbers.
    #[must_use]
    pub fn new(recipient: &Recipient, message: &str) -> Self {
        let encoded = utf8_percent_encode(message, RESERVED);
        Self {
            qr: format!("smsto:{recipient}:{message}"),
            ios: format!("sms:{recipient}&body={encoded}"),
            android: format!("smsto:{recipient}:{encoded}"),
            sms: format!("sms:{recipient}?body={encoded}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_have_the_specified_form() {
        let recipient = "+12025550199".parse::<Recipient>().unwrap();
        let uri = ConfirmationUri::new(&recipient, "Shop: CS-01ABCDEFGHJKMNPQ");
        assert_eq!(uri.qr, "smsto:+12025550199:Shop: CS-01ABCDEFGHJKMNPQ");
        assert_eq!(
            uri.ios,
            "sms:+12025550199&body=Shop%3A%20CS-01ABCDEFGHJKMNPQ"
        );
        assert_eq!(
            uri.android,
            "smsto:+12025550199:Shop%3A%20CS-01ABCDEFGHJKMNPQ"
        );
        assert_eq!(
            uri.sms,
            "sms:+12025550199?body=Shop%3A%20CS-01ABCDEFGHJKMNPQ"
        );
    }

    #[test]
    fn bare_code_needs_no_encoding() {
        let recipient = "12345".parse::<Recipient>().unwrap();
        let uri = ConfirmationUri::new(&recipient, "CS-01ABCDEFGHJKMNPQ");
        assert_eq!(uri.qr, uri.android);
    }
}
