//! The webhook secrets of apps, all derived from one secret of the deployment. The deployment's secret is not in the
//! store, so that a reader of the store cannot forge webhooks. While the deployment's secret is being replaced, two are
//! in force, and an app's webhooks are signed with secrets derived from both.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::app::webhook_secrets::{SecretRefusal, SecretsInForce};
use crate::app::{App, AppKey};
use crate::primitives::entropy::Entropy;
use crate::primitives::framing::framed;
use crate::primitives::webhook_secret::WebhookSecret;

/// Separates this use of the master secret from all others.
const LABEL: &[u8] = b"countersign/webhook-secret/1";

/// Minimum length of a master secret, in bytes.
const MIN_LENGTH: usize = 32;

/// The secret of a deployment from which the webhook secrets of its apps are derived: at least 32 visible
/// ASCII characters, chosen at random. `Debug` hides the secret.
#[derive(Clone)]
pub struct MasterSecret(Zeroizing<String>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the secret for webhooks must be at least 32 visible ASCII characters, or two such secrets on two lines"
)]
pub struct MalformedMasterSecret;

impl MasterSecret {
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

    /// Derives a secret from the app's public key, which no later app of the same name gets.
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

/// The master secrets in force, from which the webhook secrets of apps are derived. The text form has one secret
/// per line, newest first. `Debug` hides the secrets.
#[derive(Clone, Debug)]
pub struct MasterSecrets {
    newest: MasterSecret,
    /// The secret that is being replaced.
    former: Option<MasterSecret>,
}

impl MasterSecrets {
    /// Returns the secrets that sign an app's webhooks, newest first.
    pub fn of_app(&self, app: &App) -> impl Iterator<Item = WebhookSecret> {
        self.derive(&app.app_key, app.webhook_secrets)
    }

    fn derive(
        &self,
        app: &AppKey,
        in_force: SecretsInForce,
    ) -> impl Iterator<Item = WebhookSecret> {
        let masters = std::iter::once(&self.newest).chain(&self.former);
        masters.flat_map(move |master| {
            let numbers = in_force.numbers();
            numbers.map(move |number| master.derive(app, number))
        })
    }

    /// Returns the number of secrets in force.
    #[must_use]
    pub fn count(&self) -> usize {
        1 + usize::from(self.former.is_some())
    }

    /// Adds a new secret; the current one continues to sign.
    ///
    /// # Errors
    /// Fails if two secrets are in force.
    pub fn replaced(self, new: MasterSecret) -> Result<Self, SecretRefusal> {
        if self.former.is_some() {
            return Err(SecretRefusal::TwoInForce);
        }
        Ok(Self {
            newest: new,
            former: Some(self.newest),
        })
    }

    /// Removes all secrets but the newest.
    ///
    /// # Errors
    /// Fails if only one secret is in force.
    pub fn retired(self) -> Result<Self, SecretRefusal> {
        match self.former {
            None => Err(SecretRefusal::OneInForce),
            Some(_) => Ok(self.newest.into()),
        }
    }

    /// Returns the text form, for storing it.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::new());
        for secret in std::iter::once(&self.newest).chain(&self.former) {
            text.push_str(secret.reveal());
            text.push('\n');
        }
        text
    }
}

impl From<MasterSecret> for MasterSecrets {
    fn from(only: MasterSecret) -> Self {
        Self {
            newest: only,
            former: None,
        }
    }
}

impl FromStr for MasterSecrets {
    type Err = MalformedMasterSecret;

    /// Parses one or two secrets, one per line. Ignores white space around the secrets.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let newest = lines.next().ok_or(MalformedMasterSecret)?.parse()?;
        let former = lines.next().map(str::parse).transpose()?;
        match lines.next() {
            None => Ok(Self { newest, former }),
            Some(_) => Err(MalformedMasterSecret),
        }
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
        // Receivers are configured with this secret, so it must not change.
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

    /// An app may have fetched the secret of each number in force before or after the replacement.
    #[test]
    fn both_secrets_sign_until_the_former_is_retired() {
        let secrets = |masters: &MasterSecrets| {
            let in_force = SecretsInForce::default().rotated().unwrap();
            let key = key('a');
            let derived = masters.derive(&key, in_force);
            derived
                .map(|one| one.reveal().to_string())
                .collect::<Vec<_>>()
        };
        let [before, other] = ['a', 'b'].map(|seed| MasterSecrets::from(master(seed)));
        let both = before.clone().replaced(master('b')).unwrap();
        let after = both.clone().retired().unwrap();
        assert_eq!(secrets(&both), [secrets(&other), secrets(&before)].concat());
        assert_eq!(secrets(&after), secrets(&other));
        let again = both.replaced(master('c')).map(|_| ());
        assert_eq!(again, Err(SecretRefusal::TwoInForce));
        let again = after.retired().map(|_| ());
        assert_eq!(again, Err(SecretRefusal::OneInForce));
    }

    #[test]
    fn secrets_are_one_or_two_lines() {
        let (one, two) = ("a".repeat(32), "b".repeat(40));
        for (text, expected) in [
            (one.clone(), format!("{one}\n")),
            (format!(" {one}\n\n"), format!("{one}\n")),
            (format!("{two}\r\n{one}"), format!("{two}\n{one}\n")),
        ] {
            let read = text.parse::<MasterSecrets>().unwrap();
            assert_eq!(*read.reveal(), expected, "{text:?}");
            assert!(!format!("{read:?}").contains(&one), "{read:?}");
        }
        for text in [
            String::new(),
            "\n".to_owned(),
            format!("{one}\nshort"),
            format!("{one}\n{one}\n{one}"),
        ] {
            assert!(text.parse::<MasterSecrets>().is_err(), "{text:?}");
        }
    }
}
