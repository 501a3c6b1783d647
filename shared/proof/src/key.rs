//! Association keys.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::spki;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use thiserror::Error;
use zeroize::{Zeroize as _, Zeroizing};

use crate::reserved::{ReservedData, is_reserved};
use crate::signature::{self, WrongSignature};
use countersign_domain::login::{KeyId, KeyPoint};

/// Length of a public key in Base64, in characters: 91 bytes, padded.
const PUBLIC_TEXT: usize = 124;

/// The error for text or bytes that are not an association key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MalformedKey {
    /// The text is not a public key in the expected format.
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
/// The text form is the X.509 `SubjectPublicKeyInfo` in DER, in standard Base64 with padding, as
/// returned by `getAssociationKey` of the mobile SDK, and by `PublicKey.getEncoded()` on Android
/// before Base64. The point is uncompressed, so each key has one spelling.
#[derive(Clone, PartialEq, Eq)]
pub struct AssociationPublicKey(VerifyingKey);

impl AssociationPrivateKey {
    /// Generates a random key.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        loop {
            // The bytes are almost always below the curve's order. Other values are drawn again,
            // which keeps the distribution uniform.
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
        // The curve library also accepts fewer bytes.
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

    /// Signs data that the app chose, like the mobile SDK's `generateUserSignature`: ECDSA with
    /// SHA-256 over the data in UTF-8, DER, in standard Base64 with padding.
    ///
    /// # Errors
    ///
    /// Refuses data that could be the signing input of a [proof](crate): proofs are only made by
    /// confirming a login.
    pub fn generate_user_signature(&self, data: &str) -> Result<String, ReservedData> {
        if is_reserved(data) {
            return Err(ReservedData);
        }
        Ok(signature::sign(&self.0, data))
    }

    /// Signs any bytes, for key stores: ECDSA with SHA-256, in DER. The caller must know what it
    /// signs, since the bytes can be those of a proof.
    #[must_use]
    pub fn sign_der(&self, data: &[u8]) -> Vec<u8> {
        let signature: Signature = self.0.sign(data);
        signature.to_der().as_bytes().to_vec()
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
        self.point().key_id()
    }

    /// Returns whether the signature is a [`generate_user_signature`] result for this data by this
    /// key.
    ///
    /// [`generate_user_signature`]: AssociationPrivateKey::generate_user_signature
    #[must_use]
    pub fn verify_user_signature(&self, data: &str, signature: &str) -> bool {
        signature::is_valid(&self.0, data, signature)
    }

    /// Converts a signature over data, which a key store made with the private half, to the format
    /// of [`generate_user_signature`].
    ///
    /// [`generate_user_signature`]: AssociationPrivateKey::generate_user_signature
    ///
    /// # Errors
    ///
    /// Fails if the signature is malformed, or was not made over this data by this key.
    pub fn user_signature(&self, data: &str, der: &[u8]) -> Result<String, WrongSignature> {
        let signature = signature::checked(&self.0, data.as_bytes(), der)?;
        Ok(signature::write(&signature))
    }

    /// Parses a `SubjectPublicKeyInfo` in DER, and checks that its point is on the curve.
    ///
    /// # Errors
    ///
    /// Fails unless the key is a P-256 key with an uncompressed point, as Android's
    /// `PublicKey.getEncoded()` returns it.
    pub fn from_der(der: &[u8]) -> Result<Self, MalformedKey> {
        let coordinates = der
            .strip_prefix(&spki::P256_HEAD)
            .ok_or(MalformedKey::Public)?;
        let coordinates = coordinates.try_into().map_err(|_| MalformedKey::Public)?;
        Self::from_point(&KeyPoint::from_coordinates(coordinates))
    }

    /// Returns the `SubjectPublicKeyInfo` in DER.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        [&spki::P256_HEAD, &self.point().as_bytes()[1..]].concat()
    }

    /// Restores a key from its point, for stores.
    ///
    /// # Errors
    ///
    /// Fails if the point is not on the curve.
    pub fn from_point(point: &KeyPoint) -> Result<Self, MalformedKey> {
        let key = VerifyingKey::from_sec1_bytes(point.as_bytes());
        key.map(Self).map_err(|_| MalformedKey::Public)
    }

    /// Returns the uncompressed point.
    #[must_use]
    pub fn point(&self) -> KeyPoint {
        let mut coordinates = [0; 64];
        coordinates.copy_from_slice(&self.0.to_sec1_bytes()[1..]);
        KeyPoint::from_coordinates(&coordinates)
    }

    pub(crate) const fn from_verifying(key: VerifyingKey) -> Self {
        Self(key)
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
        Self::from_der(&der.map_err(|_| MalformedKey::Public)?)
    }
}

impl fmt::Display for AssociationPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_STANDARD.encode(self.to_der()))
    }
}

impl fmt::Debug for AssociationPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AssociationPublicKey({})", self.key_id())
    }
}

#[cfg(test)]
mod tests;
