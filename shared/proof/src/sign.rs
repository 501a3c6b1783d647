//! Signing proofs.

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
use crate::key::AssociationPrivateKey;
use crate::{ACTION, LIFETIME_SECONDS, MAX_PROOF, header};

/// What a proof says. `Debug` hides payload, salt and user.
#[derive(Clone, Copy)]
pub struct ProofClaims<'a> {
    /// The app that the phone belongs to (`app`).
    pub app: &'a AppKey,
    /// The page that logs somebody in (`aud`).
    pub origin: &'a WebOrigin,
    /// The login (`jti`).
    pub login: LoginId,
    /// The user whom the phone named when it initiated the login (`sub`).
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

/// The error for claims of which the proof would be longer than [`MAX_PROOF`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the proof would be longer than {MAX_PROOF} bytes: the user id and the origin are too long"
)]
pub struct ProofTooLong;

impl AssociationPrivateKey {
    /// Signs a proof: a JWT in compact form.
    ///
    /// # Errors
    ///
    /// Fails if the proof would be longer than [`MAX_PROOF`]. Every user id fits whose JSON in UTF-8
    /// has at most 800 bytes.
    pub fn sign_proof(&self, claims: &ProofClaims<'_>) -> Result<String, ProofTooLong> {
        let header = header::write(self.public_key().key_id());
        let payload = BASE64_URL_SAFE_NO_PAD.encode(claims.to_json().to_string());
        let input = format!("{header}.{payload}");
        let signature: Signature = self.signing().sign(input.as_bytes());
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes());
        let proof = format!("{input}.{signature}");
        if proof.len() > MAX_PROOF {
            return Err(ProofTooLong);
        }
        Ok(proof)
    }
}

impl ProofClaims<'_> {
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
