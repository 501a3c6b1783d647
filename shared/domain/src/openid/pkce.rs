//! PKCE (RFC 7636), with the method `S256` only: `plain` does not protect the verifier.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

/// The only method that the provider accepts.
pub const METHOD: &str = "S256";

/// SHA-256 of a client's verifier.
#[derive(Clone, Copy, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub struct Challenge([u8; 32]);

/// The error for a text that is not a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not 32 bytes in base64url without padding")]
pub struct MalformedChallenge;

impl Challenge {
    /// Returns whether a verifier belongs to the challenge. A verifier has 43 to 128 unreserved characters (RFC 7636,
    /// section 4.1).
    #[must_use]
    pub fn fits(&self, verifier: &str) -> bool {
        let unreserved = |c: u8| c.is_ascii_alphanumeric() || b"-._~".contains(&c);
        let well_formed = (43..=128).contains(&verifier.len()) && verifier.bytes().all(unreserved);
        let digest: [u8; 32] = Sha256::digest(verifier.as_bytes()).into();
        well_formed && bool::from(digest.ct_eq(&self.0))
    }
}

impl FromStr for Challenge {
    type Err = MalformedChallenge;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(32) => Ok(Self(bytes)),
            _ => Err(MalformedChallenge),
        }
    }
}

impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Challenge(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636, appendix B.
    #[test]
    fn verifier_of_the_standard_fits_its_challenge() {
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let parsed = challenge.parse::<Challenge>().unwrap();
        assert_eq!(parsed.to_string(), challenge);
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert!(parsed.fits(verifier));
        for other in ["", challenge, &verifier[1..], &format!("{verifier}x")] {
            assert!(!parsed.fits(other), "{other}");
        }
    }

    #[test]
    fn verifier_must_have_the_form_of_one() {
        for (verifier, is_one) in [
            ("a".repeat(42), false),
            ("a".repeat(43), true),
            ("~".repeat(128), true),
            ("a".repeat(129), false),
            (" ".repeat(43), false),
        ] {
            let challenge = Challenge(Sha256::digest(verifier.as_bytes()).into());
            assert_eq!(challenge.fits(&verifier), is_one, "{verifier}");
        }
    }

    #[test]
    fn challenge_has_one_form() {
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        for bad in [
            "",
            "short",
            &format!("{challenge}="),
            &challenge[1..],
            &challenge.replace('-', "+"),
        ] {
            assert!(bad.parse::<Challenge>().is_err(), "{bad}");
        }
    }
}
