//! The use cases of association keys: `/association-keys`.

use thiserror::Error;

use crate::app::App;
use crate::app::quota::{Allowance, QuotaExceeded};
use crate::login::association_key::transitions::{RegisterOutcome, RevokeOutcome};
use crate::login::proof_verifier::ProofVerifier;
use crate::login::{AssociationKey, ClaimedUserId, KeyId, MAX_KEYS};
use crate::primitives::ids::AppId;
use crate::primitives::time::Clock;
use crate::primitives::unavailable::Unavailable;
use crate::store::Store;

/// The ports of these use cases.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Keeps association keys.
    pub store: &'a Store,
    /// Checks keys and signatures.
    pub proofs: &'a dyn ProofVerifier,
    /// Wall clock.
    pub clock: &'a dyn Clock,
}

/// A request to register a key.
#[derive(Clone, Copy, Debug)]
pub struct RegisterRequest<'a> {
    pub app: &'a App,
    /// The user to whom it belongs.
    pub owner: &'a ClaimedUserId,
    /// The public half of the key, as text.
    pub public_key: &'a str,
    /// The signature that shows possession of the key, if there is one.
    pub signature: Option<&'a str>,
    /// The app's quota.
    pub allowance: Allowance,
}

/// The reason why a key was not registered.
#[derive(Debug, Error)]
pub enum RegisterError {
    /// Keys of nobody in particular cannot be registered.
    #[error("a key of ANON cannot be registered, because it would name nobody")]
    Anonymous,
    /// The text is not a public key.
    #[error(
        "a public key is a P-256 SubjectPublicKeyInfo with an uncompressed point, DER, in standard \
         Base64 with padding"
    )]
    MalformedKey,
    /// The app requires proofs, so registrations must show possession of the key.
    #[error("the app requires proofs, so the registration needs the key's signature")]
    SignatureMissing,
    /// The signature is not the key's, or is about something else.
    #[error("the signature is not the key's over app key and public user id")]
    SignatureFalse,
    /// The key belongs to another user of the app.
    #[error("the key belongs to another user")]
    OwnedByAnother,
    #[error("the key was revoked and cannot be registered again")]
    Revoked,
    #[error("the user already has {MAX_KEYS} keys; revoke one first")]
    TooMany,
    #[error("the app has as many keys as its quota allows, revoked ones included")]
    AppFull,
    /// The app's quota is used up.
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Registers a key for a user of an app. Repeating this changes nothing and succeeds again.
///
/// # Errors
///
/// Fails if the key cannot belong to this user, if its possession is not shown, or if the store
/// fails.
pub async fn register(
    ports: Ports<'_>,
    request: RegisterRequest<'_>,
) -> Result<KeyId, RegisterError> {
    let RegisterRequest { app, owner, .. } = request;
    if owner.is_anonymous() {
        return Err(RegisterError::Anonymous);
    }
    let point = ports.proofs.parse_key(request.public_key);
    let point = point.ok_or(RegisterError::MalformedKey)?;
    match request.signature {
        None if app.login.require_proof => return Err(RegisterError::SignatureMissing),
        None => {}
        Some(signature) => {
            let app_key = &app.app_key;
            let shown = ports
                .proofs
                .shows_possession(&point, app_key, owner, signature);
            if !shown {
                return Err(RegisterError::SignatureFalse);
            }
        }
    }
    let now = ports.clock.now();
    let key = AssociationKey::new(app.id.clone(), point, owner.clone(), now);
    let registered = ports
        .store
        .register_association_key(key, request.allowance, now);
    match registered.await? {
        RegisterOutcome::Registered | RegisterOutcome::Repeated => Ok(point.key_id()),
        RegisterOutcome::OwnedByAnother => Err(RegisterError::OwnedByAnother),
        RegisterOutcome::Revoked => Err(RegisterError::Revoked),
        RegisterOutcome::TooMany => Err(RegisterError::TooMany),
        RegisterOutcome::AppFull => Err(RegisterError::AppFull),
        RegisterOutcome::Exceeded(exceeded) => Err(exceeded.into()),
    }
}

/// The reason why a key was not revoked.
#[derive(Debug, Error)]
pub enum RevokeError {
    #[error("the app has no such key")]
    Unknown,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Revokes a key of an app, at once and for ever. Repeating this succeeds again.
///
/// # Errors
///
/// Fails if the app has no such key, or if the store fails.
pub async fn revoke(ports: Ports<'_>, app: &AppId, id: KeyId) -> Result<(), RevokeError> {
    let now = ports.clock.now();
    match ports.store.revoke_association_key(app, id, now).await? {
        RevokeOutcome::Revoked | RevokeOutcome::AlreadyRevoked => Ok(()),
        RevokeOutcome::Unknown => Err(RevokeError::Unknown),
    }
}
