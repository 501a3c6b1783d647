//! The webhook secrets of apps, which all derive from one secret of the deployment. The store holds none, so
//! that who reads it can forge no webhook.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::app::{App, AppKey};
use crate::primitives::entropy::Entropy;
use crate::primitives::framing::framed;
use crate::primitives::webhook_secret::WebhookSecret;

/// Separates these uses of the master secret from all others.
const LABEL: &[u8] = b"countersign/webhook-secret/1";

/// Least length of a master secret, in bytes.
const MIN_LENGTH: usize = 32;

/// The secret of a deployment from which the webhook secrets of its apps derive: visible ASCII characters, at
/// least 32 of them, chosen at random. `Debug` hides it.
#[derive(Clone)]
pub struct MasterSecret(Zeroizing<String>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the secret for webhooks must be at least 32 visible ASCII characters")]
pub struct MalformedMasterSecret;

impl MasterSecret {
    /// Generates a random secret.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new([0; MIN_LENGTH]);
        entropy.fill(bytes.as_mut());
        Self(Zeroizing::new(BASE64_URL_SAFE_NO_PAD.encode(&bytes)))
    }

    /// Returns the secret as text, for the place where it is kept.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the secrets that sign an app's webhooks, the newest first.
    pub fn of_app(&self, app: &App) -> impl Iterator<Item = WebhookSecret> {
        let numbers = app.webhook_secrets.numbers();
        numbers.map(|number| self.derive(&app.app_key, number))
    }

    /// Derives from the app's public key, which no later app of the same name has.
    fn derive(&self, app: &AppKey, number: u32) -> WebhookSecret {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()) else {
            unreachable!("HMAC takes a key of any length (RFC 2104)")
        };
        let parts = [LABEL, app.as_str().as_bytes(), &number.to_be_bytes()];
        mac.update(&framed(&parts));
        <[u8; 32]>::from(mac.finalize().into_bytes()).into()
    }
}

impl FromStr for MasterSecret {
    type Err = MalformedMasterSecret;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() >= MIN_LENGTH && text.bytes().all(|c| c.is_ascii_graphic()) {
            Ok(Self(Zeroizing::new(text.to_owned())))
        } else {
            Err(MalformedMasterSecret)
        }
    }
}

impl fmt::Debug for MasterSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn master(seed: char) -> MasterSecret {
        seed.to_string().repeat(32).parse().unwrap()
    }

    fn key(digit: char) -> AppKey {
        format!("cs_app_{}", digit.to_string().repeat(22))
            .parse()
            .unwrap()
    }

    #[test]
    fn each_app_and_each_number_has_a_secret_of_its_own() {
        let text = |secret: WebhookSecret| secret.reveal().to_string();
        let first = text(master('a').derive(&key('a'), 0));
        // Receivers are configured with it, so it must not change.
        assert_eq!(first, "whsec_g8VHxbu9We+JIDdcbZTaDN7gSFfcZT90qJbX5SBq9Gw=");
        let others = [
            master('b').derive(&key('a'), 0),
            master('a').derive(&key('b'), 0),
            master('a').derive(&key('a'), 1),
        ];
        assert!(others.map(text).iter().all(|other| *other != first));
    }

    #[test]
    fn short_secret_is_refused() {
        let parse = |text: &str| text.parse::<MasterSecret>().map(|_| ());
        assert_eq!(parse(&"a".repeat(31)), Err(MalformedMasterSecret));
        assert_eq!(parse(&" ".repeat(32)), Err(MalformedMasterSecret));
        assert_eq!(format!("{:?}", master('a')), "MasterSecret(…)");
    }
}
