//! The provider's secret.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::confirmation::subject::SubjectKey;
use crate::primitives::entropy::Entropy;
use crate::primitives::framing::framed;
use crate::primitives::ids::AppId;
use crate::primitives::phone::PhoneNumber;

/// Minimum length, in bytes.
const MIN_LENGTH: usize = 32;

/// The secret of a deployment's `OpenID` provider: at least 32 visible ASCII characters, chosen at random. It seals the
/// requests that pages carry, and keys the hashes of phone numbers. A new secret would give everyone a new subject, so
/// it is never replaced. `Debug` hides it.
#[derive(Clone)]
pub struct OpenIdSecret(Zeroizing<String>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the secret of the OpenID provider must be at least 32 visible ASCII characters")]
pub struct MalformedOpenIdSecret;

impl OpenIdSecret {
    /// Generates a random secret.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new([0; MIN_LENGTH]);
        entropy.fill(bytes.as_mut());
        Self(Zeroizing::new(BASE64_URL_SAFE_NO_PAD.encode(&bytes)))
    }

    /// Returns the secret as text, for storing it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the key under which the subject of a number at an app is stored.
    #[must_use]
    pub fn subject_key(&self, app: &AppId, number: &PhoneNumber) -> SubjectKey {
        let label = b"countersign/openid/subject/1";
        let parts: [&[u8]; 2] = [app.as_str().as_bytes(), number.as_str().as_bytes()];
        SubjectKey::from_bytes(self.authenticate(label, &parts))
    }

    /// Computes HMAC-SHA-256 over a label, which separates the uses of the secret, and parts shorter than 64 KiB.
    pub(super) fn authenticate(&self, label: &[u8], parts: &[&[u8]]) -> [u8; 32] {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()) else {
            unreachable!("HMAC takes a key of any length (RFC 2104)")
        };
        mac.update(&framed(&[&[label], parts].concat()));
        mac.finalize().into_bytes().into()
    }
}

impl FromStr for OpenIdSecret {
    type Err = MalformedOpenIdSecret;

    /// Parses a secret. Ignores white space around it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.len() >= MIN_LENGTH && text.bytes().all(|c| c.is_ascii_graphic()) {
            Ok(Self(Zeroizing::new(text.to_owned())))
        } else {
            Err(MalformedOpenIdSecret)
        }
    }
}

impl fmt::Debug for OpenIdSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenIdSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn secret_round_trips_and_is_hidden() {
        let secret = OpenIdSecret::generate(&FixedEntropy(7));
        let read = format!("{}\n", secret.reveal()).parse::<OpenIdSecret>();
        assert_eq!(read.unwrap().reveal(), secret.reveal());
        assert_eq!(format!("{secret:?}"), "OpenIdSecret(…)");
        for bad in ["", "short", &" ".repeat(40), &"ä".repeat(40)] {
            assert!(bad.parse::<OpenIdSecret>().is_err(), "{bad}");
        }
    }

    #[test]
    fn key_of_a_subject_depends_on_secret_app_and_number() {
        let [one, two] = [1, 2].map(|n| OpenIdSecret::generate(&FixedEntropy(n)));
        let app = |name: &str| name.parse::<AppId>().unwrap();
        let number = |text| PhoneNumber::parse_e164(text).unwrap();
        let key = one.subject_key(&app("shop"), &number("+12025550100"));
        assert_eq!(key, one.subject_key(&app("shop"), &number("+12025550100")));
        for other in [
            two.subject_key(&app("shop"), &number("+12025550100")),
            one.subject_key(&app("bank"), &number("+12025550100")),
            one.subject_key(&app("shop"), &number("+12025550101")),
        ] {
            assert_ne!(other, key);
        }
        assert_eq!(format!("{key:?}"), "SubjectKey(…)");
    }
}
