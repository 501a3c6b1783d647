//! Association keys.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use countersign_domain::primitives::entropy::Entropy;
use p256::ecdsa::{SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use zeroize::{Zeroize as _, Zeroizing};

use crate::key_id::KeyId;
use crate::reserved::{ReservedData, is_reserved};
use crate::signature;

/// The bytes before the point's coordinates in every `SubjectPublicKeyInfo` of P-256 in DER with an
/// uncompressed point (RFC 5480).
const SPKI_HEAD: [u8; 27] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
];

/// Length of a public key in Base64, in characters: 91 bytes, padded.
const PUBLIC_TEXT: usize = 124;

/// The error for something that is not an association key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MalformedKey {
    /// The text is not a public key in the expected form.
    #[error(
        "a public key is a P-256 SubjectPublicKeyInfo with an uncompressed point, DER, in standard \
         Base64 with padding"
    )]
    Public,
    /// The bytes are not a private key of the curve.
    #[error("a private key is 32 bytes, not zero and below the order of P-256")]
    Private,
}

/// The private half of an association key. `Debug` hides it, and dropping it wipes it.
#[derive(Clone)]
pub struct AssociationPrivateKey(SigningKey);

/// The public half of an association key.
///
/// Written as the X.509 `SubjectPublicKeyInfo` in DER, in standard Base64 with padding: what
/// `getAssociationKey` of the mobile SDK returns, and `PublicKey.getEncoded()` on Android before
/// Base64. The point is uncompressed, so each key has one spelling.
#[derive(Clone, PartialEq, Eq)]
pub struct AssociationPublicKey(VerifyingKey);

impl AssociationPrivateKey {
    /// Generates a random key.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        loop {
            // Almost always below the curve's order. Others are drawn again, which keeps the
            // distribution uniform.
            entropy.fill(bytes.as_mut());
            let key = Self::from_bytes(bytes.as_ref());
            bytes.zeroize();
            if let Ok(key) = key {
                return key;
            }
        }
    }

    /// Creates a key from 32 big-endian bytes.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a private key of the curve.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MalformedKey> {
        // The curve library also takes fewer bytes.
        let bytes: &[u8; 32] = bytes.try_into().map_err(|_| MalformedKey::Private)?;
        let key = SigningKey::from_slice(bytes);
        key.map(Self).map_err(|_| MalformedKey::Private)
    }

    /// Returns the 32 big-endian bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.0.to_bytes().into())
    }

    /// Returns the public half.
    #[must_use]
    pub fn public_key(&self) -> AssociationPublicKey {
        AssociationPublicKey(*self.0.verifying_key())
    }

    /// Signs data that the app chose, as the mobile SDK's `generateUserSignature`: ECDSA with
    /// SHA-256 over the data in UTF-8, DER, in standard Base64 with padding.
    ///
    /// # Errors
    ///
    /// Refuses data that could be the signing input of a [proof](crate): only confirming a login
    /// makes proofs.
    pub fn generate_user_signature(&self, data: &str) -> Result<String, ReservedData> {
        if is_reserved(data) {
            return Err(ReservedData);
        }
        Ok(signature::sign(&self.0, data))
    }

    pub(crate) const fn signing(&self) -> &SigningKey {
        &self.0
    }
}

impl fmt::Debug for AssociationPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AssociationPrivateKey(…)")
    }
}

impl AssociationPublicKey {
    /// Returns the key's id: SHA-256 of its JWK with the members that RFC 7638 requires.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        let point = self.point();
        let [x, y] = [&point[1..33], &point[33..]].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
        let jwk = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        KeyId::from_bytes(Sha256::digest(jwk.as_bytes()).into())
    }

    /// Returns whether the signature is [`generate_user_signature`] over this data by this key.
    ///
    /// [`generate_user_signature`]: AssociationPrivateKey::generate_user_signature
    #[must_use]
    pub fn verify_user_signature(&self, data: &str, signature: &str) -> bool {
        signature::is_valid(&self.0, data, signature)
    }

    /// The uncompressed point: 4, then both coordinates.
    fn point(&self) -> [u8; 65] {
        let mut point = [0; 65];
        point.copy_from_slice(&self.0.to_sec1_bytes());
        point
    }

    pub(crate) const fn verifying(&self) -> &VerifyingKey {
        &self.0
    }
}

impl FromStr for AssociationPublicKey {
    type Err = MalformedKey;

    /// Parses the text form and checks that the point is on the curve.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() != PUBLIC_TEXT {
            return Err(MalformedKey::Public);
        }
        let der = BASE64_STANDARD.decode(text);
        let der = der.map_err(|_| MalformedKey::Public)?;
        let coordinates = der.strip_prefix(&SPKI_HEAD).ok_or(MalformedKey::Public)?;
        let point = [&[4], coordinates].concat();
        let key = VerifyingKey::from_sec1_bytes(&point);
        key.map(Self).map_err(|_| MalformedKey::Public)
    }
}

impl fmt::Display for AssociationPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let der = [&SPKI_HEAD, &self.point()[1..]].concat();
        f.write_str(&BASE64_STANDARD.encode(der))
    }
}

impl fmt::Debug for AssociationPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AssociationPublicKey({})", self.key_id())
    }
}

#[cfg(test)]
mod tests;
