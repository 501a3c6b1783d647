//! The port that verifies signatures of association keys.

use super::association_key::{AssociationKey, KeyId, KeyPoint};
use super::context::Context;
use super::phone_payload::{PhonePayload, Proof};
use super::user::ClaimedUserId;
use super::verified::PayDigest;
use crate::app::AppKey;
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::web::origin::WebOrigin;

/// The facts about a confirmation that its proof must match.
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

/// The key and the user that a proof names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofIdentity {
    pub key: KeyId,
    pub user: Option<ClaimedUserId>,
}

/// Verifies signatures of association keys.
///
/// Every implementation MUST accept only proofs that `docs/logins.md` describes, and MUST do no IO.
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

    /// Checks everything that does not require the key: the proof's form, its header, and that each
    /// claim matches the facts. `None` if the proof is invalid whatever its key is.
    fn check(&self, proof: &Proof, facts: &ProofFacts<'_>) -> Option<ProofIdentity>;

    /// Verifies that this active key signed the proof, and that the proof matches the facts and the
    /// key's owner. Returns the proof's hash of payload and salt; the service cannot compare a
    /// sealed payload with it. `None` if the proof is invalid.
    fn verify(
        &self,
        proof: &Proof,
        key: &AssociationKey,
        facts: &ProofFacts<'_>,
    ) -> Option<PayDigest>;
}
