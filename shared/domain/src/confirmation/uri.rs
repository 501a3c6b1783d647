//! `confirmationUri`: links that open the text message ready to send.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::senders::Recipient;

/// Everything but the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The four URIs of a session (phone number API, section 2; `sms` is RFC 5724's form). Each holds
/// the secret message.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfirmationUri {
    /// For a QR code: `smsto:<recipient>:<message>`, the message raw, since readers do not decode.
    pub qr: String,
    /// For a link on iOS: `sms:<recipient>&body=<message>`.
    pub ios: String,
    /// For a link on Android: `smsto:<recipient>:<message>`.
    pub android: String,
    /// For a link on Android's default messenger, which reads only `?body=`:
    /// `sms:<recipient>?body=<message>`.
    pub sms: String,
}

impl ConfirmationUri {
    /// The URIs for a message to one of our numbers.
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
    fn the_shapes_are_the_specifications() {
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
    fn a_bare_code_is_the_same_encoded_or_not() {
        let recipient = "12345".parse::<Recipient>().unwrap();
        let uri = ConfirmationUri::new(&recipient, "CS-01ABCDEFGHJKMNPQ");
        assert_eq!(uri.qr, uri.android);
    }
}
