//! The public halves of association keys.

use std::fmt;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::id::KeyId;
use crate::primitives::base64url::Base64Url;
use crate::primitives::spki;

/// The public half of an association key: an uncompressed P-256 point (SEC 1, section 2.3.3), 65
/// bytes. Code that accepts or uses the point must check that it is on the curve.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyPoint(#[serde_as(as = "Base64Url")] [u8; 65]);

/// The error for bytes that are not an uncompressed point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a key is an uncompressed P-256 point of 65 bytes")]
pub struct MalformedPoint;

impl KeyPoint {
    /// Creates a key from its bytes.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not marked as an uncompressed point.
    pub const fn from_bytes(bytes: [u8; 65]) -> Result<Self, MalformedPoint> {
        if bytes[0] == 4 {
            Ok(Self(bytes))
        } else {
            Err(MalformedPoint)
        }
    }

    /// Creates a key from its two coordinates, 32 bytes each, big-endian.
    #[must_use]
    pub fn from_coordinates(coordinates: &[u8; 64]) -> Self {
        let mut bytes = [4; 65];
        bytes[1..].copy_from_slice(coordinates);
        Self(bytes)
    }

    /// Returns the 65 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 65] {
        &self.0
    }

    /// Returns the key in the form for registration: an X.509 `SubjectPublicKeyInfo` in DER, in standard Base64 with
    /// padding.
    #[must_use]
    pub fn spki(&self) -> String {
        BASE64_STANDARD.encode([spki::P256_HEAD.as_slice(), &self.0[1..]].concat())
    }

    /// Returns the key's id: SHA-256 of its JWK with the members that RFC 7638 requires.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        let coordinates = [&self.0[1..33], &self.0[33..]];
        let [x, y] = coordinates.map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
        let jwk = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        KeyId::from_bytes(Sha256::digest(jwk.as_bytes()).into())
    }
}

impl fmt::Debug for KeyPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyPoint({})", self.key_id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_uncompressed_points_are_accepted() {
        assert!(KeyPoint::from_bytes([4; 65]).is_ok());
        for first in [0, 2, 3, 5, 255] {
            assert_eq!(KeyPoint::from_bytes([first; 65]), Err(MalformedPoint));
        }
    }

    #[test]
    fn id_is_the_thumbprint_of_the_key() {
        // The key of RFC 7517, appendix A.1, with a thumbprint computed by a different
        // implementation.
        let [x, y] = [
            "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        ]
        .map(|text| BASE64_URL_SAFE_NO_PAD.decode(text).unwrap());
        let mut bytes = [4; 65];
        bytes[1..33].copy_from_slice(&x);
        bytes[33..].copy_from_slice(&y);
        let point = KeyPoint::from_bytes(bytes).unwrap();
        let id = "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s";
        assert_eq!(point.key_id().to_string(), id);
        assert_eq!(point.as_bytes(), &bytes);
    }
}
