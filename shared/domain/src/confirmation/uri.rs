//! `confirmationUri`: links that open a text message that is ready to send.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::senders::Recipient;
use crate::app::whatsapp::WhatsAppNumber;

/// All characters except the unreserved ones of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The URIs of a confirmation (phone number API, section 2; `sms` follows RFC 5724). Each URI
/// contains the secret message.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfirmationUri {
    /// For a QR code: `smsto:<recipient>:<message>`, with the message unencoded, because readers do
    /// not decode it.
    pub qr: String,
    /// For a link on iOS: `sms:<recipient>&body=<message>`.
    pub ios: String,
    /// For a link on Android: `smsto:<recipient>:<message>`.
    pub android: String,
    /// For a link on Android's default messenger, which only reads `?body=`:
    /// `sms:<recipient>?body=<message>`. The messenger decodes the link before it looks for `&`, and
    /// the message once more, so `%`, `&` and `+` are encoded twice.
    pub sms: String,
    /// For a link or a QR code that opens WhatsApp, if the confirmation has a number there:
    /// `https://wa.me/<digits>?text=<message>`, WhatsApp's "click to chat".
    pub whatsapp: Option<String>,
}

impl ConfirmationUri {
    /// Creates the URIs for a message to one of our numbers, and to our number on WhatsApp if there
    /// is one.
    #[must_use]
    pub fn new(recipient: &Recipient, whatsapp: Option<&WhatsAppNumber>, message: &str) -> Self {
        let encoded = utf8_percent_encode(message, RESERVED).to_string();
        let twice = ["%25", "%26", "%2B"]
            .into_iter()
            .fold(encoded.clone(), |twice, once| {
                twice.replace(once, &once.replacen('%', "%25", 1))
            });
        let whatsapp = whatsapp.map(WhatsAppNumber::digits);
        Self {
            qr: format!("smsto:{recipient}:{message}"),
            ios: format!("sms:{recipient}&body={encoded}"),
            android: format!("smsto:{recipient}:{encoded}"),
            sms: format!("sms:{recipient}?body={twice}"),
            whatsapp: whatsapp.map(|digits| format!("https://wa.me/{digits}?text={encoded}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;
    use url::Url;

    use super::*;

    #[test]
    fn uris_have_the_specified_form() {
        let recipient = "+12025550199".parse::<Recipient>().unwrap();
        let uri = ConfirmationUri::new(&recipient, None, "Shop: CS-01ABCDEFGHJKMNPQ");
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
        assert_eq!(uri.whatsapp, None);
    }

    #[test]
    fn whatsapp_link_holds_the_exact_message() {
        let recipient = "12345".parse::<Recipient>().unwrap();
        let number = "+12025550177".parse::<WhatsAppNumber>().unwrap();
        let message = "Größe 1+1=2 & 50% #1?/\\\n\u{1f511}: CS-01ABCDEFGHJKMNPQ";
        let link = ConfirmationUri::new(&recipient, Some(&number), message).whatsapp;
        let link = Url::parse(&link.unwrap()).unwrap();
        assert_eq!(
            (link.scheme(), link.host_str(), link.path(), link.fragment()),
            ("https", Some("wa.me"), "/12025550177", None)
        );
        // Readers that treat a plus as a space and those that do not must get the same text.
        assert!(!link.query().unwrap().contains('+'));
        let pairs: Vec<_> = link.query_pairs().collect();
        assert_eq!(pairs, [("text".into(), message.into())]);
    }

    /// Mimics `getBody` of the messages app in the Android Open Source Project.
    fn body_on_android(link: &str) -> String {
        let opaque = percent_decode_str(link.strip_prefix("sms:").unwrap());
        let opaque = opaque.decode_utf8().unwrap().into_owned();
        let (_, query) = opaque.split_once('?').unwrap();
        let body = query.split('&').find_map(|pair| pair.strip_prefix("body="));
        let body = body.unwrap().replace('+', " ");
        percent_decode_str(&body)
            .decode_utf8()
            .unwrap()
            .into_owned()
    }

    #[test]
    fn links_hold_any_message() {
        let recipient = "+12025550199".parse::<Recipient>().unwrap();
        for message in [
            "Shop: CS-01ABCDEFGHJKMNPQ",
            "100% & 1+1? /#\\¿。%26%2B%25 body=x&body=y CS-01ABCDEFGHJKMNPQ",
        ] {
            let uri = ConfirmationUri::new(&recipient, None, message);
            assert_eq!(body_on_android(&uri.sms), message);
            let (_, ios) = uri.ios.split_once("&body=").unwrap();
            assert_eq!(percent_decode_str(ios).decode_utf8().unwrap(), message);
        }
    }

    #[test]
    fn bare_code_needs_no_encoding() {
        let recipient = "12345".parse::<Recipient>().unwrap();
        let uri = ConfirmationUri::new(&recipient, None, "CS-01ABCDEFGHJKMNPQ");
        assert_eq!(uri.qr, uri.android);
    }
}
