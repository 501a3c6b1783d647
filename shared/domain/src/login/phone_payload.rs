//! The phone's confirmation as the browser gets it: the payload with its salt and proof.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, serde_as};
use thiserror::Error;

use super::payload::Payload;
use crate::primitives::base64url::Base64Url;

/// Maximum length of a proof, in bytes: of one by a passkey.
pub const MAX_PROOF_BYTES: usize = 2_560;

/// Maximum length of a proof by a key of another kind, in bytes.
pub const MAX_JWT_BYTES: usize = 2 * 1024;

/// The salt for the hash of the payload in a proof: 16 random bytes, written as base64url without
/// padding. `Debug` hides the salt.
#[serde_as]
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Salt(#[serde_as(as = "Base64Url")] [u8; 16]);

/// The error for a malformed salt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a salt is 16 bytes in base64url without padding")]
pub struct MalformedSalt;

impl Salt {
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl FromStr for Salt {
    type Err = MalformedSalt;

    /// Parses the text form. Each salt has only one text form: padding and surplus bits are
    /// refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The decoder's upper bound for 22 characters.
        let mut bytes = [0; 18];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(16) => {
                let mut salt = [0; 16];
                salt.copy_from_slice(&bytes[..16]);
                Ok(Self(salt))
            }
            _ => Err(MalformedSalt),
        }
    }
}

impl fmt::Display for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(…)")
    }
}

/// A proof of who confirmed a login: a JWT in compact form (RFC 7519, section 3.1), of three parts and at most
/// [`MAX_JWT_BYTES`], or a passkey's proof, of five parts and at most [`MAX_PROOF_BYTES`]. This type checks only the
/// form, not the signature. `Debug` hides the proof, because the key that signed it identifies a person.
#[derive(Clone, PartialEq, Eq, Serialize, DeserializeFromStr)]
pub struct Proof(String);

/// The error for a malformed proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a proof is a JWT in compact form, of at most {MAX_JWT_BYTES} bytes, or a passkey's proof of five parts and at most \
     {MAX_PROOF_BYTES} bytes"
)]
pub struct MalformedProof;

impl Proof {
    /// Returns the proof as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Proof {
    type Err = MalformedProof;

    /// Parses three or five parts of base64url, separated by dots.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_base64url = |part: &str| {
            let is_digit = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
            !part.is_empty() && part.bytes().all(is_digit)
        };
        if text.len() > MAX_PROOF_BYTES {
            return Err(MalformedProof);
        }
        let fits = match text.split('.').count() {
            3 => text.len() <= MAX_JWT_BYTES,
            5 => true,
            _ => false,
        };
        if fits && text.split('.').all(is_base64url) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedProof)
        }
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proof(…)")
    }
}

/// The data of a confirmation. The salt of a readable payload is separate; a sealed payload
/// contains its salt.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhonePayload {
    payload: Payload,
    salt: Option<Salt>,
    proof: Option<Proof>,
}

/// The reason why payload, salt and proof do not fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PhonePayloadError {
    /// A readable payload with a proof has no separate salt.
    #[error("a proof of a readable payload needs the salt beside it")]
    SaltMissing,
    /// A sealed payload has a separate salt, which would be readable.
    #[error("the salt of a sealed payload belongs inside it")]
    SaltExposed,
}

impl PhonePayload {
    /// Combines the payload, salt and proof that the phone sent.
    ///
    /// # Errors
    ///
    /// Fails if a sealed payload has a separate salt, or a readable one with a proof has none.
    pub fn new(
        payload: Payload,
        salt: Option<Salt>,
        proof: Option<Proof>,
    ) -> Result<Self, PhonePayloadError> {
        match (payload.is_encrypted(), salt, &proof) {
            (true, Some(_), _) => Err(PhonePayloadError::SaltExposed),
            (false, None, Some(_)) => Err(PhonePayloadError::SaltMissing),
            _ => Ok(Self {
                payload,
                salt,
                proof,
            }),
        }
    }

    /// Creates the data of a confirmation that consists only of a payload.
    #[must_use]
    pub const fn bare(payload: Payload) -> Self {
        Self {
            payload,
            salt: None,
            proof: None,
        }
    }

    #[must_use]
    pub const fn payload(&self) -> &Payload {
        &self.payload
    }

    /// Returns the separate salt of a readable payload.
    #[must_use]
    pub const fn salt(&self) -> Option<&Salt> {
        self.salt.as_ref()
    }

    #[must_use]
    pub const fn proof(&self) -> Option<&Proof> {
        self.proof.as_ref()
    }

    /// Returns whether only the browser can read the payload.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        self.payload.is_encrypted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof() -> Proof {
        "eyJ9.eyJ9.c2ln".parse::<Proof>().unwrap()
    }

    #[test]
    fn salt_round_trips_and_has_one_spelling() {
        let salt = Salt::from_bytes([0xa7; 16]);
        let text = salt.to_string();
        assert_eq!(text.len(), 22);
        assert_eq!(text.parse::<Salt>(), Ok(salt));
        let short = BASE64_URL_SAFE_NO_PAD.encode([1; 15]);
        let long = BASE64_URL_SAFE_NO_PAD.encode([1; 17]);
        let padded = format!("{text}==");
        let other_bits = format!("{}{}", &text[..21], 'x');
        for bad in ["", &short, &long, &padded, &other_bits, &"A".repeat(99)] {
            assert_eq!(bad.parse::<Salt>(), Err(MalformedSalt), "{bad}");
        }
    }

    #[test]
    fn proof_is_three_or_five_bounded_parts_of_base64url() {
        assert_eq!(proof().as_str(), "eyJ9.eyJ9.c2ln");
        let jwt = format!("a.b.{}", "c".repeat(MAX_JWT_BYTES - 4));
        let by_passkey = format!("a.b.c.d.{}", "e".repeat(MAX_PROOF_BYTES - 8));
        for longest in [&jwt, &by_passkey] {
            assert!(longest.parse::<Proof>().is_ok());
        }
        let (long_jwt, long) = (format!("{jwt}c"), format!("{by_passkey}e"));
        for bad in [
            "",
            "a",
            "a.b",
            "a.b.",
            ".b.c",
            "a.b.c.d",
            "a.b.c=",
            "a.b.ä",
            "a b.c.d",
            "a.b.c.d.",
            "a.b..d.e",
            "a.b.c.d.e.f",
            &long_jwt,
            &long,
        ] {
            assert_eq!(bad.parse::<Proof>(), Err(MalformedProof), "{bad}");
        }
    }

    #[test]
    fn salt_stands_beside_readable_payloads_only() {
        let clear = || Payload::clear("yes".to_owned()).unwrap();
        let sealed = || Payload::encrypted(BASE64_URL_SAFE_NO_PAD.encode([4; 90])).unwrap();
        let salt = Some(Salt::from_bytes([1; 16]));
        for (payload, salt, proof, error) in [
            (clear(), None, None, None),
            (clear(), salt, None, None),
            (clear(), salt, Some(proof()), None),
            (
                clear(),
                None,
                Some(proof()),
                Some(PhonePayloadError::SaltMissing),
            ),
            (sealed(), None, None, None),
            (sealed(), None, Some(proof()), None),
            (sealed(), salt, None, Some(PhonePayloadError::SaltExposed)),
            (
                sealed(),
                salt,
                Some(proof()),
                Some(PhonePayloadError::SaltExposed),
            ),
        ] {
            assert_eq!(PhonePayload::new(payload, salt, proof).err(), error);
        }
    }

    #[test]
    fn debug_hides_salt_and_proof() {
        let payload = Payload::clear("secret".to_owned()).unwrap();
        let salt = Salt::from_bytes([1; 16]);
        let said = PhonePayload::new(payload, Some(salt), Some(proof())).unwrap();
        let text = format!("{said:?}");
        for secret in ["secret", "eyJ9", &salt.to_string()] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}
