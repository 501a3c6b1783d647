//! Secrets and signatures of the Standard Webhooks scheme (<https://www.standardwebhooks.com>), used
//! for the texts that the generic provider sends us and for the webhooks that we send.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::entropy::Entropy;
use super::time::Timestamp;

const PREFIX: &str = "whsec_";

/// Allowed lengths of a secret, in bytes (Standard Webhooks, "Symmetric").
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// Length of a new secret, in bytes, equal to the hash's.
const NEW_LENGTH: usize = 32;

/// Version of the scheme, before each signature.
const VERSION: &str = "v1,";

/// Maximum number of signatures to check. Senders send more than one signature while a secret is being
/// replaced.
const MAX_SIGNATURES: usize = 16;

/// A secret that sender and receiver share: `whsec_` and the Base64 of 24 to 64 bytes.
///
/// `Debug` hides the secret.
#[derive(Clone, ZeroizeOnDrop)]
pub struct WebhookSecret(Vec<u8>);

/// The error for a text that is not a secret of the Standard Webhooks scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a secret must be whsec_ and the Base64 of 24 to 64 bytes")]
pub struct MalformedSecret;

impl WebhookSecret {
    /// Generates a random secret.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = vec![0; NEW_LENGTH];
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// Returns the secret as text, for the signer.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{PREFIX}{}", BASE64_STANDARD.encode(&self.0)))
    }

    /// Signs a webhook. Returns one entry of the header `webhook-signature`.
    #[must_use]
    pub fn sign(&self, id: &str, sent_at: Timestamp, body: &[u8]) -> String {
        let mac = self.mac(id, &sent_at.as_secs().to_string(), body);
        format!("{VERSION}{}", BASE64_STANDARD.encode(mac))
    }

    /// Returns whether the header `webhook-signature` contains a signature by this secret. `timestamp` is the
    /// value of the header `webhook-timestamp`, whose age the caller checks.
    #[must_use]
    pub fn has_signed(&self, signatures: &str, id: &str, timestamp: &str, body: &[u8]) -> bool {
        let expected = self.mac(id, timestamp, body);
        signatures
            .split(' ')
            .take(MAX_SIGNATURES)
            .filter_map(|signature| signature.strip_prefix(VERSION))
            .filter_map(|encoded| BASE64_STANDARD.decode(encoded).ok())
            .any(|given| expected.as_slice().ct_eq(&given).into())
    }

    /// Computes HMAC-SHA256 over `id.timestamp.body`.
    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> [u8; 32] {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            unreachable!("HMAC takes a key of any length (RFC 2104)")
        };
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Creates a secret of the same length as the hash.
impl From<[u8; 32]> for WebhookSecret {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes.to_vec())
    }
}

impl FromStr for WebhookSecret {
    type Err = MalformedSecret;

    fn from_str(text: &str) -> Result<Self, MalformedSecret> {
        let encoded = text.strip_prefix(PREFIX).ok_or(MalformedSecret)?;
        let bytes = BASE64_STANDARD
            .decode(encoded)
            .map_err(|_| MalformedSecret)?;
        if LENGTHS.contains(&bytes.len()) {
            Ok(Self(bytes))
        } else {
            Err(MalformedSecret)
        }
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(self.0);
        }
    }

    #[test]
    fn new_secret_round_trips() {
        let secret = WebhookSecret::generate(&Fixed(7));
        let read = secret.reveal().parse::<WebhookSecret>().unwrap();
        assert_eq!(read.0, secret.0);
        assert_eq!(read.0, [7; 32]);
    }

    #[test]
    fn secret_outside_the_allowed_lengths_is_refused() {
        let of = |length| format!("whsec_{}", BASE64_STANDARD.encode(vec![1; length]));
        for (length, fits) in [(23, false), (24, true), (64, true), (65, false)] {
            assert_eq!(
                of(length).parse::<WebhookSecret>().is_ok(),
                fits,
                "{length}"
            );
        }
    }

    #[test]
    fn other_spellings_are_refused() {
        let good = WebhookSecret::generate(&Fixed(7)).reveal();
        let digits = good.strip_prefix("whsec_").unwrap();
        for bad in [
            "",
            "whsec_",
            digits,
            &format!("WHSEC_{digits}"),
            &format!("{} ", *good),
            good.trim_end_matches('='),
            &good.replace('B', "-"),
        ] {
            assert_eq!(
                bad.parse::<WebhookSecret>().map(|_| ()),
                Err(MalformedSecret),
                "{bad}"
            );
        }
    }

    #[test]
    fn debug_hides_the_secret() {
        let secret = WebhookSecret::generate(&Fixed(7));
        assert_eq!(format!("{secret:?}"), "WebhookSecret(…)");
    }

    /// The example in the scheme's own description.
    #[test]
    fn signature_is_that_of_the_scheme() {
        let secret: WebhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
        let (id, sent_at) = (
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            Timestamp::from_millis(1_614_265_330_000),
        );
        let body = br#"{"test": 2432232314}"#;
        let signature = secret.sign(id, sent_at, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let two = format!("v1a,AAAA v1,AAAA {signature}");
        assert!(secret.has_signed(&two, id, "1614265330", body));
        for (id, timestamp, body) in [
            ("msg_other", "1614265330", &body[..]),
            (id, "1614265331", &body[..]),
            (id, "1614265330", &body[1..]),
        ] {
            assert!(!secret.has_signed(&two, id, timestamp, body));
        }
    }
}
