//! The keys that a server publishes, and the verification of webhooks with them.

use std::fmt;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use countersign_domain::delivery::signing::PublicKey;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::pkcs8::{DecodePublicKey as _, EncodePublicKey as _};
use serde::Deserialize;
use thiserror::Error;

/// Public keys and their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublishedKeys(Vec<(String, VerifyingKey)>);

/// Why a text contains no keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum NoKeys {
    /// The text is not a key set (RFC 7517) with a P-256 key.
    #[error("not a key set with a P-256 key in it")]
    Jwks,
    /// The text is not a P-256 public key in PEM.
    #[error("not a P-256 public key in PEM (-----BEGIN PUBLIC KEY-----)")]
    Pem,
}

/// The verdict on a body and its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A published key signed exactly these bytes.
    Valid { key_id: String },
    /// The signature is not well-formed.
    Malformed,
    /// The signature's key is not published.
    UnknownKey,
    /// No published key signed these bytes.
    Invalid,
}

impl Verdict {
    /// Returns whether the body can be trusted.
    pub(crate) const fn is_valid(&self) -> bool {
        matches!(self, Self::Valid { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid { key_id } => write!(f, "valid (key {key_id})"),
            Self::Malformed => {
                f.write_str("NOT valid: x-signature is not the Base64 of an ECDSA signature in DER")
            }
            Self::UnknownKey => f.write_str("NOT valid: the server publishes no such key"),
            Self::Invalid => f.write_str("NOT valid: no published key signed these bytes"),
        }
    }
}

#[derive(Deserialize)]
struct Jwks {
    keys: Vec<Jwk>,
}

#[derive(Deserialize)]
struct Jwk {
    kid: Option<String>,
    #[serde(default)]
    crv: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
}

impl PublishedKeys {
    /// Reads the P-256 keys from a key set, as returned by `GET /.well-known/jwks.json`.
    pub(crate) fn from_jwks(text: &str) -> Result<Self, NoKeys> {
        let jwks: Jwks = serde_json::from_str(text).map_err(|_| NoKeys::Jwks)?;
        let keys = jwks.keys.iter().filter_map(|jwk| {
            let (thumbprint, key) = named(read_jwk(jwk)?);
            Some((jwk.kid.clone().unwrap_or(thumbprint), key))
        });
        let keys: Vec<_> = keys.collect();
        if keys.is_empty() {
            Err(NoKeys::Jwks)
        } else {
            Ok(Self(keys))
        }
    }

    /// Reads the only key in a PEM file, as returned by `GET /public-key`.
    pub(crate) fn from_pem(text: &str) -> Result<Self, NoKeys> {
        let key = VerifyingKey::from_public_key_pem(text).map_err(|_| NoKeys::Pem)?;
        Ok(Self(vec![named(key)]))
    }

    /// Returns whether there is a key with this id.
    pub(crate) fn contain(&self, key_id: &str) -> bool {
        self.0.iter().any(|(id, _)| id == key_id)
    }

    /// Verifies a signature (Base64 of DER) over a body with the key whose id is given, or with all
    /// keys. The id only saves work: it is not signed.
    pub(crate) fn verify(&self, body: &[u8], signature: &str, named: Option<&str>) -> Verdict {
        let Some(signature) = read_signature(signature) else {
            return Verdict::Malformed;
        };
        if named.is_some_and(|id| !self.contain(id)) {
            return Verdict::UnknownKey;
        }
        let signer = self
            .0
            .iter()
            .filter(|(id, _)| named.is_none_or(|named| named == id))
            .find(|(_, key)| key.verify(body, &signature).is_ok());
        match signer {
            Some((key_id, _)) => Verdict::Valid {
                key_id: key_id.clone(),
            },
            None => Verdict::Invalid,
        }
    }
}

fn read_jwk(jwk: &Jwk) -> Option<VerifyingKey> {
    if jwk.crv != "P-256" {
        return None;
    }
    let coordinate = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).ok();
    let point = [vec![4], coordinate(&jwk.x)?, coordinate(&jwk.y)?].concat();
    VerifyingKey::from_sec1_bytes(&point).ok()
}

fn read_signature(text: &str) -> Option<Signature> {
    let der = BASE64_STANDARD.decode(text.trim()).ok()?;
    Signature::from_der(&der).ok()
}

/// Pairs a key with its id, the RFC 7638 thumbprint.
fn named(key: VerifyingKey) -> (String, VerifyingKey) {
    let thumbprint = key
        .to_public_key_der()
        .ok()
        .and_then(|der| PublicKey::from_spki_der(der.as_bytes()).ok())
        .map(|key| key.key_id().to_string());
    (thumbprint.unwrap_or_default(), key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use p256::ecdsa::SigningKey;
    use p256::ecdsa::signature::Signer as _;

    fn signing_key(seed: u8) -> SigningKey {
        SigningKey::from_slice(&[seed; 32]).unwrap()
    }

    fn public(key: &SigningKey) -> PublicKey {
        let der = key.verifying_key().to_public_key_der().unwrap();
        PublicKey::from_spki_der(der.as_bytes()).unwrap()
    }

    fn jwks(keys: &[PublicKey]) -> String {
        let jwk = |key: &PublicKey| {
            serde_json::json!({
                "kty": "EC", "crv": "P-256", "x": key.x_base64url(), "y": key.y_base64url(),
            })
        };
        serde_json::json!({ "keys": keys.iter().map(jwk).collect::<Vec<_>>() }).to_string()
    }

    fn sign(key: &SigningKey, body: &[u8]) -> String {
        let signature: Signature = key.sign(body);
        BASE64_STANDARD.encode(signature.to_der().as_bytes())
    }

    #[test]
    fn signing_key_is_found_in_jwks_and_pem() {
        let (one, other) = (signing_key(1), signing_key(2));
        let id = public(&other).key_id().to_string();
        let valid = Verdict::Valid { key_id: id.clone() };
        let signature = sign(&other, b"body");

        let set = PublishedKeys::from_jwks(&jwks(&[public(&one), public(&other)])).unwrap();
        assert_eq!(set.verify(b"body", &signature, None), valid);
        assert_eq!(set.verify(b"body", &signature, Some(&id)), valid);
        let pem = PublishedKeys::from_pem(&public(&other).to_pem()).unwrap();
        assert_eq!(pem.verify(b"body", &signature, None), valid);
    }

    #[test]
    fn other_bodies_signatures_and_keys_are_invalid() {
        let (one, other) = (signing_key(1), signing_key(2));
        let set = PublishedKeys::from_jwks(&jwks(&[public(&one)])).unwrap();
        let signature = sign(&one, b"body");
        assert_eq!(set.verify(b"body ", &signature, None), Verdict::Invalid);
        assert_eq!(
            set.verify(b"body", &sign(&other, b"body"), None),
            Verdict::Invalid
        );
        assert_eq!(
            set.verify(b"body", &signature, Some("other")),
            Verdict::UnknownKey
        );
        assert_eq!(set.verify(b"body", "", None), Verdict::Malformed);
        assert_eq!(set.verify(b"body", "bm8=", None), Verdict::Malformed);
    }

    #[test]
    fn text_without_keys_is_refused() {
        assert_eq!(PublishedKeys::from_jwks("{}").err(), Some(NoKeys::Jwks));
        assert_eq!(
            PublishedKeys::from_jwks(r#"{"keys":[]}"#).err(),
            Some(NoKeys::Jwks)
        );
        let rsa = r#"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#;
        assert_eq!(PublishedKeys::from_jwks(rsa).err(), Some(NoKeys::Jwks));
        let off_curve = r#"{"keys":[{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}]}"#;
        assert_eq!(
            PublishedKeys::from_jwks(off_curve).err(),
            Some(NoKeys::Jwks)
        );
        assert_eq!(PublishedKeys::from_pem("hello").err(), Some(NoKeys::Pem));
    }
}
