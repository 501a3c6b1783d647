//! API keys: the secret of an app's server, header `x-api-key`.

use std::fmt;
use std::str::FromStr;

use base16ct::lower;
use sha2::{Digest, Sha256};
use thiserror::Error;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::primitives::base62;
use crate::primitives::entropy::Entropy;
use crate::primitives::ids::MalformedId;
use crate::primitives::time::Timestamp;

const PREFIX: &str = "cs_live_";
const SECRET_DIGITS: usize = 43;
const CHECK_DIGITS: usize = 6;

/// How many keys of one app may be active at once: the current one and its successor, so that a
/// key can be replaced without a gap.
pub const MAX_ACTIVE_KEYS: usize = 2;

/// An API key as its holder presents it: `cs_live_`, 32 random bytes in base 62, and a checksum
/// that tells a typing error from a wrong key without asking the store.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct PresentedApiKey(String);

/// A text that is no API key: its prefix, its length or its checksum is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a well-formed API key")]
pub struct MalformedApiKey;

impl PresentedApiKey {
    /// A new random key.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut secret = [0; 32];
        entropy.fill(&mut secret);
        let digits = base62::encode(&secret, SECRET_DIGITS);
        secret.zeroize();
        let check = checksum(&digits);
        Self(format!("{PREFIX}{digits}{check}"))
    }

    /// What is stored of the key.
    #[must_use]
    pub fn hash(&self) -> ApiKeyHash {
        ApiKeyHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The key itself: to show it once when it is issued, and to derive codes.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for PresentedApiKey {
    type Err = MalformedApiKey;

    /// Reads a presented key.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix(PREFIX).ok_or(MalformedApiKey)?;
        if rest.len() != SECRET_DIGITS + CHECK_DIGITS || !base62::is_base62(rest) {
            return Err(MalformedApiKey);
        }
        let (digits, check) = rest.split_at(SECRET_DIGITS);
        if checksum(digits) != check {
            return Err(MalformedApiKey);
        }
        Ok(Self(text.to_owned()))
    }
}

fn checksum(digits: &str) -> String {
    base62::encode(
        &crc32fast::hash(digits.as_bytes()).to_be_bytes(),
        CHECK_DIGITS,
    )
}

impl fmt::Debug for PresentedApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PresentedApiKey(…)")
    }
}

/// SHA-256 of an API key. The key has 256 random bits, so a plain hash is enough, and looking it
/// up by its hash compares no secret byte by byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiKeyHash([u8; 32]);

impl ApiKeyHash {
    /// A hash read back from a store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The public name of the key.
    #[must_use]
    pub fn id(&self) -> ApiKeyId {
        ApiKeyId(format!("key_{}", lower::encode_string(&self.0[..8])))
    }
}

impl fmt::Debug for ApiKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKeyHash({})", self.id().as_str())
    }
}

/// Names an API key without giving it away: `key_` and 16 hexadecimal digits of its hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiKeyId(String);

impl ApiKeyId {
    /// The written form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ApiKeyId {
    type Err = MalformedId;

    /// Reads the written form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("key_").ok_or(MalformedId)?;
        let hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        if digits.len() == 16 && digits.bytes().all(hex) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedId)
        }
    }
}

/// What is kept of an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRecord {
    /// By which a presented key is found.
    pub hash: ApiKeyHash,
    /// When it was issued.
    pub issued_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

impl ApiKeyRecord {
    /// Whether requests with this key are answered.
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
    fn a_new_key_reads_back() {
        let key = PresentedApiKey::generate(&FixedEntropy(0x5a));
        assert_eq!(key.reveal().len(), 57);
        assert_eq!(key.reveal().parse::<PresentedApiKey>(), Ok(key.clone()));
        assert_eq!(
            key.hash().id().as_str().parse::<ApiKeyId>(),
            Ok(key.hash().id())
        );
    }

    #[test]
    fn any_one_wrong_character_is_noticed() {
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
    fn debug_hides_it() {
        let key = PresentedApiKey::generate(&FixedEntropy(1));
        assert_eq!(format!("{key:?}"), "PresentedApiKey(…)");
    }
}
