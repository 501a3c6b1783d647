//! The parts of a proof's text.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::{KeyId, Passkey, PasskeyAssertion};
use p256::ecdsa::Signature;
use p256::ecdsa::signature::Verifier as _;

use super::{KnownKey, SIGNATURE_TEXT};
use crate::error::ProofError;
use crate::header::{self, Form, HeaderError};
use crate::passkey::{self, proof_challenge};
use crate::{MAX_JWT, MAX_PROOF};

/// A proof whose parts are not decoded yet.
pub(super) struct Parts<'a> {
    header: &'a str,
    pub(super) claims: &'a str,
    /// Header and claims with the dot between them.
    signing_input: &'a str,
    evidence: Evidence<'a>,
}

/// Shows who made a proof.
enum Evidence<'a> {
    /// The signature of a JWT.
    Signature(&'a str),
    /// The parts of a passkey's assertion.
    Assertion([&'a str; 3]),
}

impl<'a> Parts<'a> {
    /// Splits a proof before any part of it is decoded.
    pub(super) fn split(proof: &'a str) -> Result<Self, ProofError> {
        if proof.len() > MAX_PROOF {
            return Err(ProofError::TooLong);
        }
        let parts: Vec<_> = proof.split('.').take(6).collect();
        let (header, claims, evidence) = match parts[..] {
            [_, _, _] if proof.len() > MAX_JWT => return Err(ProofError::TooLong),
            [header, claims, signature] => (header, claims, Evidence::Signature(signature)),
            [header, claims, data, client, signature] => (
                header,
                claims,
                Evidence::Assertion([data, client, signature]),
            ),
            _ => return Err(ProofError::Malformed),
        };
        Ok(Self {
            header,
            claims,
            signing_input: &proof[..header.len() + 1 + claims.len()],
            evidence,
        })
    }

    /// Returns the id of the key in the header, which must be that of the proof's form.
    pub(super) fn key_id(&self) -> Result<KeyId, ProofError> {
        let form = match self.evidence {
            Evidence::Signature(_) => Form::JWT,
            Evidence::Assertion(_) => Form::PASSKEY,
        };
        header::read(self.header, form).map_err(|error| match error {
            HeaderError::Malformed => ProofError::Malformed,
            HeaderError::Algorithm => ProofError::Algorithm,
            HeaderError::Type => ProofError::Type,
            HeaderError::KeyId => ProofError::UnknownKey,
            HeaderError::Surplus => ProofError::SurplusHeader,
        })
    }

    /// Checks the signature's form and, for a passkey, everything else that it signed, without the key and its page.
    pub(super) fn check(&self) -> Result<(), ProofError> {
        match self.evidence {
            Evidence::Signature(text) => read_signature(text).map(drop),
            Evidence::Assertion(parts) => {
                let challenge = proof_challenge(self.signing_input);
                passkey::check(&read_assertion(parts)?, &challenge, None).map(drop)
            }
        }
    }

    /// Verifies that this key made the proof, in the form of its kind.
    pub(super) fn verify(&self, known: &KnownKey) -> Result<(), ProofError> {
        match (&self.evidence, &known.passkey) {
            (Evidence::Signature(text), None) => {
                let signature = read_signature(text)?;
                let key = known.key.verifying();
                let valid = key.verify(self.signing_input.as_bytes(), &signature);
                valid.map_err(|_| ProofError::Signature)
            }
            (Evidence::Assertion(parts), Some(passkey)) => {
                self.verify_assertion(*parts, known, passkey)
            }
            _ => Err(ProofError::KeyKind),
        }
    }

    fn verify_assertion(
        &self,
        parts: [&str; 3],
        known: &KnownKey,
        passkey: &Passkey,
    ) -> Result<(), ProofError> {
        let assertion = read_assertion(parts)?;
        let challenge = proof_challenge(self.signing_input);
        passkey::verify(&assertion, &challenge, &known.key, passkey).map(drop)
    }
}

fn read_signature(text: &str) -> Result<Signature, ProofError> {
    if text.len() != SIGNATURE_TEXT {
        return Err(ProofError::Signature);
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
    let bytes = bytes.map_err(|_| ProofError::Signature)?;
    Signature::from_slice(&bytes).map_err(|_| ProofError::Signature)
}

fn read_assertion([data, client, signature]: [&str; 3]) -> Result<PasskeyAssertion, ProofError> {
    let assertion = PasskeyAssertion::from_base64url(data, client, signature);
    assertion.map_err(|_| ProofError::Malformed)
}
