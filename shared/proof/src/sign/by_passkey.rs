//! Proofs that a passkey signs.

use std::fmt;

use countersign_domain::login::{Passkey, PasskeyAssertion};

use super::{ProofClaims, ProofTooLong};
use crate::MAX_PROOF;
use crate::error::ProofError;
use crate::header::Form;
use crate::key::AssociationPublicKey;
use crate::passkey::{self, Challenge};

/// The shortest assertion in base64url, with its three dots: 37 bytes of authenticator data, client data without an
/// origin, and the shortest signature.
const MIN_ASSERTION: usize = 3 + 50 + 128 + 11;

/// A proof without its assertion. `Debug` hides it.
pub struct UnsignedPasskeyProof {
    /// Header and claims.
    input: String,
    key: AssociationPublicKey,
}

impl ProofClaims<'_> {
    /// Returns a proof for this passkey without its assertion.
    ///
    /// # Errors
    ///
    /// Fails if the proof would be longer than [`MAX_PROOF`] with any assertion.
    pub fn unsigned_by_passkey(
        &self,
        key: &AssociationPublicKey,
    ) -> Result<UnsignedPasskeyProof, ProofTooLong> {
        let input = self.signing_input(key, Form::PASSKEY);
        if input.len() + MIN_ASSERTION > MAX_PROOF {
            return Err(ProofTooLong);
        }
        let key = key.clone();
        Ok(UnsignedPasskeyProof { input, key })
    }
}

impl UnsignedPasskeyProof {
    /// Returns header and claims with a dot between them, whose hash is the challenge.
    #[must_use]
    pub fn signing_input(&self) -> &str {
        &self.input
    }

    /// Returns the challenge for the passkey.
    #[must_use]
    pub fn challenge(&self) -> Challenge {
        passkey::proof_challenge(&self.input)
    }

    /// Completes the proof with the passkey's assertion over the challenge.
    ///
    /// # Errors
    ///
    /// Fails with the first rule that the proof would break.
    pub fn assemble(
        self,
        passkey: &Passkey,
        assertion: &PasskeyAssertion,
    ) -> Result<String, ProofError> {
        passkey::verify(assertion, &self.challenge(), &self.key, passkey)?;
        let [data, client, signature] = assertion.to_base64url();
        let proof = format!("{}.{data}.{client}.{signature}", self.input);
        if proof.len() > MAX_PROOF {
            return Err(ProofError::TooLong);
        }
        Ok(proof)
    }
}

impl fmt::Debug for UnsignedPasskeyProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnsignedPasskeyProof(…)")
    }
}
