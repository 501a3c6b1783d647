//! Signing proofs.

mod by_passkey;

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::app::AppKey;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use p256::ecdsa::Signature;
use p256::ecdsa::signature::Signer as _;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::digest::{SALT_BYTES, context_digest, payload_digest};
use crate::header::{self, Form};
use crate::key::{AssociationPrivateKey, AssociationPublicKey};
use crate::signature::{self, WrongSignature};
use crate::verify::SIGNATURE_TEXT;
use crate::{ACTION, LIFETIME_SECONDS, MAX_JWT};

/// Claims of a proof. `Debug` hides payload, salt and user.
#[derive(Clone, Copy)]
pub struct ProofClaims<'a> {
    /// The app that the phone belongs to (`app`).
    pub app: &'a AppKey,
    /// The page that logs the user in (`aud`).
    pub origin: &'a WebOrigin,
    /// The login (`jti`).
    pub login: LoginId,
    /// The user that the phone specified when it initiated the login (`sub`).
    pub user: Option<&'a ClaimedUserId>,
    /// The context that the user approved (`ctx`).
    pub context: Option<&'a str>,
    /// The payload, before encryption (`pay`).
    pub payload: &'a str,
    /// The payload's salt: 16 random bytes (`pay`).
    pub salt: &'a [u8; SALT_BYTES],
    /// The phone's time, corrected by the service's `serverTime` (`iat`).
    pub at: Timestamp,
}

/// The error for claims that would make a proof longer than [`MAX_JWT`], or than [`MAX_PROOF`](crate::MAX_PROOF) from a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the proof would be too long, because the user id and the origin are")]
pub struct ProofTooLong;

impl AssociationPrivateKey {
    /// Signs a proof: a JWT in compact form.
    ///
    /// # Errors
    ///
    /// Fails if the proof would be longer than [`MAX_JWT`]. User ids whose JSON in UTF-8 has at
    /// most 800 bytes always fit.
    pub fn sign_proof(&self, claims: &ProofClaims<'_>) -> Result<String, ProofTooLong> {
        let unsigned = claims.unsigned(&self.public_key())?;
        let signature: Signature = self.signing().sign(unsigned.input.as_bytes());
        Ok(unsigned.join(&signature))
    }
}

/// A proof without its signature, for keys that only their store can use. `Debug` hides it.
pub struct UnsignedProof {
    /// Header and claims, the signing input of RFC 7515.
    input: String,
    key: AssociationPublicKey,
}

impl UnsignedProof {
    /// Returns the bytes to sign: ECDSA over P-256 with SHA-256.
    #[must_use]
    pub fn signing_input(&self) -> &[u8] {
        self.input.as_bytes()
    }

    /// Completes the proof with a signature in DER, as Android's `SHA256withECDSA` returns it.
    ///
    /// # Errors
    ///
    /// Fails if the signature is malformed, or was not made by the proof's key over the signing
    /// input.
    pub fn assemble(self, der: &[u8]) -> Result<String, WrongSignature> {
        let signature = signature::checked(self.key.verifying(), self.signing_input(), der)?;
        Ok(self.join(&signature))
    }

    fn join(self, signature: &Signature) -> String {
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes());
        format!("{}.{signature}", self.input)
    }
}

impl fmt::Debug for UnsignedProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnsignedProof(…)")
    }
}

impl ProofClaims<'_> {
    /// Returns a proof for this key without its signature.
    ///
    /// # Errors
    ///
    /// Fails if the proof would be longer than [`MAX_JWT`].
    pub fn unsigned(&self, key: &AssociationPublicKey) -> Result<UnsignedProof, ProofTooLong> {
        let input = self.signing_input(key, Form::JWT);
        if input.len() + 1 + SIGNATURE_TEXT > MAX_JWT {
            return Err(ProofTooLong);
        }
        let key = key.clone();
        Ok(UnsignedProof { input, key })
    }

    /// Returns header and claims with a dot between them.
    fn signing_input(&self, key: &AssociationPublicKey, form: Form) -> String {
        let header = header::write(key.key_id(), form);
        let claims = BASE64_URL_SAFE_NO_PAD.encode(self.to_json().to_string());
        format!("{header}.{claims}")
    }

    fn to_json(self) -> Value {
        let issued_at = self.at.as_secs();
        let mut claims = Map::new();
        let mut add = |name: &str, value: Value| claims.insert(name.to_owned(), value);
        add("act", ACTION.into());
        add("app", self.app.as_str().into());
        add("aud", self.origin.as_str().into());
        if let Some(context) = self.context {
            add("ctx", context_digest(context).into());
        }
        add("exp", (issued_at + LIFETIME_SECONDS).into());
        add("iat", issued_at.into());
        add("jti", self.login.to_string().into());
        add("pay", payload_digest(self.payload, self.salt).into());
        if let Some(user) = self.user {
            add("sub", user.as_str().into());
        }
        Value::Object(claims)
    }
}

impl fmt::Debug for ProofClaims<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProofClaims")
            .field("app", self.app)
            .field("origin", self.origin)
            .field("login", &self.login)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

pub use by_passkey::UnsignedPasskeyProof;

#[cfg(test)]
mod tests;
