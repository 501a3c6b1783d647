//! Signatures of webhooks, and the port that creates them.

use std::fmt;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::primitives::spki;
use crate::primitives::unavailable::Unavailable;

/// The RFC 7638 thumbprint of a signing key's public half: `kid` in the JWKS and header
/// `x-signature-key-id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KeyId(String);

impl KeyId {
    /// Restores a key id from its text, for stores.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the thumbprint in base64url.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A P-256 public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey {
    x: [u8; 32],
    y: [u8; 32],
}

/// The error for bytes that are not a P-256 public key in DER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a P-256 SubjectPublicKeyInfo")]
pub struct NotAPublicKey;

impl PublicKey {
    /// Parses the 91 bytes of a P-256 `SubjectPublicKeyInfo` with an uncompressed point, as
    /// returned by KMS's `GetPublicKey`. The signer must ensure that the point is on the curve.
    ///
    /// # Errors
    ///
    /// Fails if the bytes do not have this form.
    pub fn from_spki_der(der: &[u8]) -> Result<Self, NotAPublicKey> {
        let point = der.strip_prefix(&spki::P256_HEAD).ok_or(NotAPublicKey)?;
        let (x, y) = point.split_at_checked(32).ok_or(NotAPublicKey)?;
        Ok(Self {
            x: x.try_into().map_err(|_| NotAPublicKey)?,
            y: y.try_into().map_err(|_| NotAPublicKey)?,
        })
    }

    /// Returns the id of the key: SHA-256 of its JWK with the members that RFC 7638 requires.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        let (x, y) = (self.x_base64url(), self.y_base64url());
        let jwk = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        KeyId(BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(jwk.as_bytes())))
    }

    /// Returns the point's x coordinate in base64url, as in a JWK.
    #[must_use]
    pub fn x_base64url(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.x)
    }

    /// Returns the point's y coordinate in base64url, as in a JWK.
    #[must_use]
    pub fn y_base64url(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.y)
    }

    /// Returns the key in PEM (RFC 7468).
    #[must_use]
    pub fn to_pem(&self) -> String {
        let der = [spki::P256_HEAD.as_slice(), &self.x, &self.y].concat();
        let text = BASE64_STANDARD.encode(der);
        let mut pem = String::from("-----BEGIN PUBLIC KEY-----\n");
        for line in text.as_bytes().chunks(64) {
            pem.extend(line.iter().copied().map(char::from));
            pem.push('\n');
        }
        pem.push_str("-----END PUBLIC KEY-----\n");
        pem
    }
}

/// A signature and the key that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The signature in DER (ASN.1 `SEQUENCE { r, s }`).
    pub der: Vec<u8>,
    pub key_id: KeyId,
}

impl Signature {
    /// Returns the value of the header `x-signature`: standard Base64 of the DER.
    #[must_use]
    pub fn to_header(&self) -> String {
        BASE64_STANDARD.encode(&self.der)
    }
}

/// A signer of webhooks.
///
/// Every implementation MUST sign the given digest itself with ECDSA over P-256 (without hashing it
/// again), return DER, and identify the key by its RFC 7638 thumbprint. `public_keys` MUST return
/// the current key first, then every former one whose signatures may still be in transit.
#[async_trait]
pub trait Signer: Send + Sync {
    /// Signs a SHA-256 digest with the current key.
    async fn sign(&self, digest: &[u8; 32]) -> Result<Signature, Unavailable>;

    /// Returns the current key, then the former ones.
    async fn public_keys(&self) -> Result<Vec<PublicKey>, Unavailable>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumbprint_and_pem_agree_with_other_tools() {
        // P-256's generator point. Thumbprint and PEM were computed with Node's crypto module and
        // the JOSE rules.
        let x = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
        let y = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
        let der = [
            spki::P256_HEAD.to_vec(),
            base16ct::lower::decode_vec(x).unwrap(),
            base16ct::lower::decode_vec(y).unwrap(),
        ]
        .concat();
        let key = PublicKey::from_spki_der(&der).unwrap();
        assert_eq!(
            key.key_id().as_str(),
            "xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M"
        );
        assert_eq!(
            key.to_pem(),
            "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt\n6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==\n-----END PUBLIC KEY-----\n"
        );
    }

    #[test]
    fn bytes_of_another_form_are_refused() {
        assert!(PublicKey::from_spki_der(&[]).is_err());
        assert!(PublicKey::from_spki_der(&spki::P256_HEAD).is_err());
        let long = [spki::P256_HEAD.as_slice(), &[1; 65]].concat();
        assert!(PublicKey::from_spki_der(&long).is_err());
    }
}
