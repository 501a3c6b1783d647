//! The port that verifies signatures of association keys.

use super::association_key::{AssociationKey, KeyId, KeyPoint, Passkey};
use super::context::Context;
use super::passkey_assertion::PasskeyAssertion;
use super::phone_payload::{PhonePayload, Proof};
use super::user::ClaimedUserId;
use super::verified::PayDigest;
use crate::app::AppKey;
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::web::link_host::LinkHost;
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

/// The facts about the registration of a passkey that its assertion must match.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyRegistration<'a> {
    /// The host of the page that made the passkey.
    pub host: &'a LinkHost,
    /// The id of the phone's registration.
    pub registration: &'a str,
    /// The public key of the app.
    pub app: &'a AppKey,
    /// The user for whom the passkey is registered.
    pub user: &'a ClaimedUserId,
}

/// The facts about the question whose passkey a phone has that an assertion must match.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyIdentification<'a> {
    /// The host of the page that asks.
    pub host: &'a LinkHost,
    /// The public key of the app.
    pub app: &'a AppKey,
    /// The time that the phone sent.
    pub at: Timestamp,
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

    /// Verifies that this key, as a passkey of the page, signed its registration for this user of this app.
    /// Returns the passkey; `None` if the assertion is invalid, or if the host can have no passkeys.
    fn verify_registration(
        &self,
        key: &KeyPoint,
        registration: &PasskeyRegistration<'_>,
        assertion: &PasskeyAssertion,
    ) -> Option<Passkey>;

    /// Computes the keys that can have made an assertion, from its signature: at most four, in no particular order.
    /// For each of them the assertion is valid, but at most one exists. An invalid assertion has none.
    fn recover_keys(
        &self,
        identification: &PasskeyIdentification<'_>,
        assertion: &PasskeyAssertion,
    ) -> Vec<KeyPoint>;
}
