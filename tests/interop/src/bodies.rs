//! Webhook bodies with given metadata, and facts about each that a receiver must confirm.

use countersign_domain::app::refused_types::RefusedTypes;
use countersign_domain::app::senders::Recipient;
use countersign_domain::confirmation::carrier::{Carrier, CarrierName};
use countersign_domain::confirmation::webhook::webhook_body;
use countersign_domain::confirmation::{
    Confirmation, Flow, Redactable, State, TextFingerprint, Verified,
};
use countersign_domain::delivery::Delivery;
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::{EncodePublicKey, LineEnding};

/// A verified confirmation whose webhook is pending.
pub struct Template(Confirmation);

impl Template {
    /// Creates an ordinary confirmation.
    #[must_use]
    pub fn new() -> Self {
        let now = Timestamp::from_millis(1_767_323_045_678);
        let callback = CallbackUrl::parse("https://example.com/hook", &CallbackPolicy::deployed());
        let phone_number = PhoneNumber::parse_e164("+12025550100").expect("a possible number");
        Self(Confirmation {
            id: ConfirmationId::from_bytes([0xa5; 16]),
            app: "demo".parse::<AppId>().expect("an app id"),
            flow: Flow::Acquisition,
            callback: callback.ok(),
            metadata: Redactable::Redacted,
            send_to: "+12025550123".parse::<Recipient>().expect("a recipient"),
            whatsapp: None,
            created_at: now,
            expires_at: now,
            idempotency: None,
            state: State::Verified(Box::new(Verified {
                phone_number: Redactable::Present(phone_number),
                carrier: Carrier::Undecided,
                at: now,
                text: TextFingerprint::new("generic", "1"),
                origin: None,
                second_sender: None,
                delivery: Some(Delivery::pending(now)),
            })),
            test: false,
            refused_types: RefusedTypes::default(),
            webhook_details: false,
            client: None,
            openid: None,
            redacted_at: None,
            purge_at: now,
        })
    }

    /// Returns the webhook's body with this metadata and this carrier.
    pub fn body(&mut self, metadata: CanonicalObject, carrier: &str) -> CanonicalObject {
        self.0.metadata = Redactable::Present(metadata);
        if let State::Verified(verified) = &mut self.0.state {
            verified.carrier = Carrier::Decided(CarrierName::from_text(carrier));
        }
        webhook_body(&self.0).expect("a verified confirmation has a body")
    }
}

impl Default for Template {
    fn default() -> Self {
        Self::new()
    }
}

/// A signing key that is the same in every run.
pub struct Key(SigningKey);

impl Key {
    #[must_use]
    pub fn new() -> Self {
        Self(SigningKey::from_slice(&[7; 32]).expect("32 small bytes are a scalar"))
    }

    /// Returns the DER signature over the SHA-256 of `body`.
    #[must_use]
    pub fn sign(&self, body: &str) -> Vec<u8> {
        let signature: DerSignature = self.0.sign(body.as_bytes());
        signature.as_bytes().to_vec()
    }

    /// Returns the public key as SPKI in PEM.
    #[must_use]
    pub fn public_pem(&self) -> String {
        self.0
            .verifying_key()
            .to_public_key_pem(LineEnding::LF)
            .expect("a P-256 key has an SPKI")
    }
}

impl Default for Key {
    fn default() -> Self {
        Self::new()
    }
}

/// Features of a canonical text that some languages are known to serialize differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peculiarities {
    /// Contains a fraction or an exponent: Python prints `1e-07`.
    pub fraction: bool,
    /// Contains a key that consists only of digits: Go sorts it among the others.
    pub numeric_key: bool,
    /// Contains U+2028 or U+2029: Go always escapes them.
    pub separator: bool,
}

impl Peculiarities {
    /// Returns the peculiarities of `canonical`, found without a JSON parser.
    #[must_use]
    pub fn from_text(canonical: &str) -> Self {
        let mut found = Self {
            separator: canonical.contains(['\u{2028}', '\u{2029}']),
            ..Self::default()
        };
        let mut rest = canonical;
        while let Some((outside, from_string)) = rest.split_once('"') {
            found.look_outside_strings(outside);
            let end = end_of_string(from_string);
            let string = &from_string[..end];
            rest = &from_string[end + 1..];
            let digits = !string.is_empty() && string.bytes().all(|byte| byte.is_ascii_digit());
            found.numeric_key |= digits && rest.starts_with(':');
        }
        found.look_outside_strings(rest);
        found
    }

    fn look_outside_strings(&mut self, text: &str) {
        // ECMAScript writes every exponent with a sign, which distinguishes it from the `e` in `true` and
        // `false`.
        self.fraction |= text.contains('.') || text.contains("e+") || text.contains("e-");
    }
}

/// Returns the position of the quote that closes the string at the beginning of `text`.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    end.expect("every string is closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_found_only_outside_strings() {
        let plain = r#"{"a.e+":[true,"12","\\\"1.5"],"b":1e,"c12":100}"#;
        assert_eq!(Peculiarities::from_text(plain), Peculiarities::default());
        for text in [
            r#"{"a":1.5}"#,
            r#"{"a":"\\","b":[1e-7]}"#,
            r#"{"a":"\"","b":1e+21}"#,
        ] {
            assert!(Peculiarities::from_text(text).fraction, "{text}");
        }
        assert!(Peculiarities::from_text(r#"{"a":{"12":0}}"#).numeric_key);
        assert!(Peculiarities::from_text("{\"a\":\"\u{2029}\"}").separator);
    }
}
