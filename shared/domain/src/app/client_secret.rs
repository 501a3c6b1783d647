//! Client secrets: what an app's server presents to the token endpoint of the OpenID provider.
//!
//! They are separate from API keys, because operators type them into other vendors' dashboards: a client secret starts
//! no confirmation and reads nothing.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, serde_as};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::api_key::ApiKeyHash;
use super::key_label::KeyLabel;
use super::secret_text;
use crate::primitives::base64url::Base64Url;
use crate::primitives::entropy::Entropy;
use crate::primitives::ids::MalformedId;
use crate::primitives::time::Timestamp;

const PREFIX: &str = "cs_oidc_";
const ID_PREFIX: &str = "sec_";

/// Maximum number of active secrets per app: the current one and its successor, so that a secret can be replaced without
/// downtime.
pub const MAX_ACTIVE_SECRETS: usize = 2;

/// A client secret in plain text: `cs_oidc_`, 32 random bytes in base 62, and a checksum that detects typing errors
/// without a store lookup.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct PresentedClientSecret(String);

/// The error for a client secret with a wrong prefix, length or checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a well-formed client secret")]
pub struct MalformedClientSecret;

impl PresentedClientSecret {
    /// Creates a random secret.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        Self(secret_text::generate(PREFIX, entropy))
    }

    /// Returns the hash of the secret. Only the hash is stored.
    #[must_use]
    pub fn hash(&self) -> ClientSecretHash {
        ClientSecretHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Returns the text, for showing it once when it is issued.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for PresentedClientSecret {
    type Err = MalformedClientSecret;

    /// Parses a secret and verifies its checksum.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix(PREFIX).ok_or(MalformedClientSecret)?;
        if secret_text::is_well_formed(rest) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedClientSecret)
        }
    }
}

impl fmt::Debug for PresentedClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PresentedClientSecret(…)")
    }
}

/// SHA-256 of a client secret, which is enough for 256 random bits. Hashes are compared in constant time.
#[serde_as]
#[derive(Clone, Copy, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClientSecretHash(#[serde_as(as = "Base64Url")] [u8; 32]);

impl ClientSecretHash {
    /// Restores a hash from its bytes, for tests of stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the public id of the secret.
    #[must_use]
    pub fn id(&self) -> ClientSecretId {
        ClientSecretId(secret_text::id(ID_PREFIX, &self.0))
    }

    /// Returns the key under which the secret's last use is stored, beside the last uses of API keys.
    pub(crate) const fn of_use(self) -> ApiKeyHash {
        ApiKeyHash::from_bytes(self.0)
    }
}

impl PartialEq for ClientSecretHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for ClientSecretHash {}

impl fmt::Debug for ClientSecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClientSecretHash({})", self.id().as_str())
    }
}

/// The public id of a client secret, which does not reveal the secret: `sec_` and 16 hexadecimal digits of its hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct ClientSecretId(String);

impl ClientSecretId {
    /// Returns the text form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ClientSecretId {
    type Err = MalformedId;

    /// Parses the text form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if secret_text::is_id(ID_PREFIX, text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedId)
        }
    }
}

/// The stored form of a client secret.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientSecretRecord {
    /// Hash for comparing with a presented secret.
    pub hash: ClientSecretHash,
    /// Time at which the secret was issued.
    pub issued_at: Timestamp,
    /// Time at which the secret was revoked; `None` while it is active.
    pub revoked_at: Option<Timestamp>,
    /// The operator's name for the secret; `None` if it has none.
    pub label: Option<KeyLabel>,
}

impl ClientSecretRecord {
    /// Returns whether the secret is accepted.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.revoked_at.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::api_key::PresentedApiKey;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn generated_secret_round_trips_through_text() {
        let secret = PresentedClientSecret::generate(&FixedEntropy(0x5a));
        let read = secret.reveal().parse::<PresentedClientSecret>();
        assert_eq!(read, Ok(secret.clone()));
        let id = secret.hash().id();
        assert_eq!(id.as_str().parse::<ClientSecretId>(), Ok(id));
        assert_eq!(format!("{secret:?}"), "PresentedClientSecret(…)");
    }

    #[test]
    fn other_texts_are_refused() {
        let secret = PresentedClientSecret::generate(&FixedEntropy(0x5a));
        for at in 0..secret.reveal().len() {
            let mut bytes = secret.reveal().as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.parse::<PresentedClientSecret>().is_err(), "{at}");
        }
        let key = PresentedApiKey::generate(&FixedEntropy(0x5a));
        for text in ["", "cs_oidc_", "cs_oidc_é", key.reveal()] {
            assert!(text.parse::<PresentedClientSecret>().is_err(), "{text}");
        }
        assert!(secret.reveal().parse::<PresentedApiKey>().is_err());
    }
}
