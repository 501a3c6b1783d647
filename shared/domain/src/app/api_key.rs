//! API keys: the secrets of apps' servers, sent in the header `x-api-key`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, serde_as};
use sha2::{Digest, Sha256};
use thiserror::Error;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::app::key_label::KeyLabel;
use crate::app::secret_text;
use crate::primitives::base64url::Base64Url;
use crate::primitives::entropy::Entropy;
use crate::primitives::ids::MalformedId;
use crate::primitives::time::Timestamp;

const LIVE_PREFIX: &str = "cs_live_";
const TEST_PREFIX: &str = "cs_test_";
const ID_PREFIX: &str = "key_";

/// Maximum number of active keys per app and mode: the current one and its successor, so that a key can be
/// replaced without downtime.
pub const MAX_ACTIVE_KEYS: usize = 2;

/// The purpose of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyMode {
    #[default]
    Live,
    /// Starts confirmations that only simulated texts can complete, and test logins.
    Test,
}

impl KeyMode {
    /// Returns whether this is the mode of live keys, which are stored without a mode.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    fn is_live(&self) -> bool {
        *self == Self::Live
    }
}

/// An API key in plain text: `cs_live_` or `cs_test_`, 32 random bytes in base 62, and a checksum that detects
/// typing errors without a store lookup.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct PresentedApiKey(String);

/// The error for an API key with a wrong prefix, length or checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a well-formed API key")]
pub struct MalformedApiKey;

impl PresentedApiKey {
    /// Creates a random live key.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        Self::generate_for(KeyMode::Live, entropy)
    }

    /// Creates a random key.
    #[must_use]
    pub fn generate_for(mode: KeyMode, entropy: &dyn Entropy) -> Self {
        let prefix = match mode {
            KeyMode::Live => LIVE_PREFIX,
            KeyMode::Test => TEST_PREFIX,
        };
        Self(secret_text::generate(prefix, entropy))
    }

    /// Returns the mode of the key, which its prefix gives.
    #[must_use]
    pub fn mode(&self) -> KeyMode {
        if self.0.starts_with(TEST_PREFIX) {
            KeyMode::Test
        } else {
            KeyMode::Live
        }
    }

    /// Returns the hash of the key. Only the hash is stored.
    #[must_use]
    pub fn hash(&self) -> ApiKeyHash {
        ApiKeyHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Returns the secret text, for showing it once when it is issued and for deriving codes.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for PresentedApiKey {
    type Err = MalformedApiKey;

    /// Parses a key and verifies its checksum.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text
            .strip_prefix(LIVE_PREFIX)
            .or_else(|| text.strip_prefix(TEST_PREFIX))
            .ok_or(MalformedApiKey)?;
        if secret_text::is_well_formed(rest) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedApiKey)
        }
    }
}

impl fmt::Debug for PresentedApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PresentedApiKey(…)")
    }
}

/// SHA-256 of an API key. A plain hash is enough for 256 random bits, and looking up a key by its
/// hash involves no byte-by-byte comparison of secrets.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ApiKeyHash(#[serde_as(as = "Base64Url")] [u8; 32]);

impl ApiKeyHash {
    /// Restores a hash from its bytes, for stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the public id of the key.
    #[must_use]
    pub fn id(&self) -> ApiKeyId {
        ApiKeyId(secret_text::id(ID_PREFIX, &self.0))
    }
}

impl fmt::Debug for ApiKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKeyHash({})", self.id().as_str())
    }
}

/// The public id of an API key, which does not reveal the key: `key_` and 16 hexadecimal digits of
/// its hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct ApiKeyId(String);

impl ApiKeyId {
    /// Returns the text form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ApiKeyId {
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

/// The stored form of an API key.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKeyRecord {
    /// Hash for looking up a presented key.
    pub hash: ApiKeyHash,
    /// Time at which the key was issued.
    pub issued_at: Timestamp,
    /// Time at which the key was revoked; `None` while it is active.
    pub revoked_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "KeyMode::is_live")]
    pub mode: KeyMode,
    /// The operator's name for the key; `None` if it has none.
    pub label: Option<KeyLabel>,
}

impl ApiKeyRecord {
    /// Returns whether the key is accepted.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.revoked_at.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn generated_key_round_trips_through_text() {
        let key = PresentedApiKey::generate(&FixedEntropy(0x5a));
        assert_eq!(key.reveal().len(), 57);
        assert_eq!(key.reveal().parse::<PresentedApiKey>(), Ok(key.clone()));
        assert_eq!(
            key.hash().id().as_str().parse::<ApiKeyId>(),
            Ok(key.hash().id())
        );
    }

    #[test]
    fn key_says_what_it_is_for() {
        let test = PresentedApiKey::generate_for(KeyMode::Test, &FixedEntropy(0x5a));
        let live = PresentedApiKey::generate(&FixedEntropy(0x5a));
        assert_eq!(test.reveal()[8..], live.reveal()[8..]);
        assert_ne!(test.hash(), live.hash());
        assert_eq!((test.mode(), live.mode()), (KeyMode::Test, KeyMode::Live));
        assert_eq!(test.reveal().parse::<PresentedApiKey>(), Ok(test.clone()));
    }

    #[test]
    fn any_single_wrong_character_is_refused() {
        let key = PresentedApiKey::generate(&FixedEntropy(0x5a));
        for at in 0..key.reveal().len() {
            let mut bytes = key.reveal().as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(
                text.parse::<PresentedApiKey>(),
                Err(MalformedApiKey),
                "{at}"
            );
        }
        for text in ["", "cs_live_", "cs_live_é", "Bearer x"] {
            assert_eq!(
                text.parse::<PresentedApiKey>(),
                Err(MalformedApiKey),
                "{text}"
            );
        }
    }

    #[test]
    fn debug_hides_the_key() {
        let key = PresentedApiKey::generate(&FixedEntropy(1));
        assert_eq!(format!("{key:?}"), "PresentedApiKey(…)");
    }
}
