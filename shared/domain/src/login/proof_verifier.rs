//! The port that checks what association keys sign.

use super::association_key::{AssociationKey, KeyId, KeyPoint};
use super::context::Context;
use super::phone_payload::{PhonePayload, Proof};
use super::user::ClaimedUserId;
use super::verified::PayDigest;
use crate::app::AppKey;
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::web::origin::WebOrigin;

/// The facts of a confirmation that its proof must agree with.
#[derive(Clone, Copy, Debug)]
pub struct ProofFacts<'a> {
    /// The public key of the app.
    pub app: &'a AppKey,
    /// Origin of the page that created the login.
    pub origin: &'a WebOrigin,
    pub login: LoginId,
    /// The text that the person approves, if any.
    pub context: Option<&'a Context>,
    /// The payload with its salt.
    pub payload: &'a PhonePayload,
    /// The time of the confirmation.
    pub now: Timestamp,
}

/// Those whom a proof names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub key: KeyId,
    pub user: Option<ClaimedUserId>,
}

/// Checks the signatures of association keys.
///
/// Every implementation MUST accept only what docs/logins.md describes, and MUST do no IO.
pub trait ProofVerifier: Send + Sync {
    /// Parses the public half of a key: a P-256 `SubjectPublicKeyInfo` with an uncompressed point on
    /// the curve, DER, in standard Base64 with padding.
    fn parse_key(&self, text: &str) -> Option<KeyPoint>;

    /// Returns whether the signature shows that the holder of the key registers it for this user of
    /// this app.
    fn shows_possession(
        &self,
        key: &KeyPoint,
        app: &AppKey,
        user: &ClaimedUserId,
        signature: &str,
    ) -> bool;

    /// Checks what can be checked without the key: the proof's form, its header, and that each claim
    /// agrees with the facts. `None` if the proof cannot be valid, whatever its key.
    fn check(&self, proof: &Proof, facts: &ProofFacts<'_>) -> Option<Named>;

    /// Verifies that this active key signed the proof, and that the proof agrees with the facts and
    /// with the key's owner. Returns the hash of payload and salt that the proof contains; a sealed
    /// payload cannot be compared with it. `None` if the proof is not valid.
    fn verify(
        &self,
        proof: &Proof,
        key: &AssociationKey,
        facts: &ProofFacts<'_>,
    ) -> Option<PayDigest>;
}
