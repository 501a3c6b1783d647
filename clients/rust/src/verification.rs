//! Verification of webhooks.

use crate::error::Error;
use crate::options;

/// The way in which webhooks are verified.
pub(crate) enum Verification {
    /// Not specified by the options.
    Unset,
    Secrets(Vec<Vec<u8>>),
    PublishedKeys,
}

impl Verification {
    pub(crate) fn new(secrets: Option<Vec<String>>, published_keys: bool) -> Result<Self, Error> {
        match secrets {
            Some(_) if published_keys => Err(Error::invalid(
                "webhook_secret and published_webhook_keys exclude each other",
            )),
            Some(secrets) if secrets.is_empty() => {
                Err(Error::invalid("webhook_secrets has no secret"))
            }
            Some(secrets) => {
                let decoded = secrets.iter().map(|secret| options::webhook_secret(secret));
                decoded.collect::<Result<_, _>>().map(Self::Secrets)
            }
            None if published_keys => Ok(Self::PublishedKeys),
            None => Ok(Self::Unset),
        }
    }

    /// Fails if the options do not specify how webhooks are verified.
    pub(crate) fn require(&self) -> Result<(), Error> {
        match self {
            Self::Unset => Err(Error::invalid(
                "webhooks cannot be verified: set webhook_secret, or published_webhook_keys, which takes those of \
                 other apps, too",
            )),
            Self::Secrets(_) | Self::PublishedKeys => Ok(()),
        }
    }
}
