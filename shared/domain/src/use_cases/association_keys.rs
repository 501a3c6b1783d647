//! The use cases of association keys: `/association-keys`.

use thiserror::Error;

use crate::app::App;
use crate::app::api_key::KeyMode;
use crate::app::quota::Allowance;
use crate::app::scope::Scope;
use crate::login::association_key::transitions::{RegisterRefusal, RevokeOutcome};
use crate::login::proof_verifier::ProofVerifier;
use crate::login::{AssociationKey, ClaimedUserId, KeyId, KeyKind};
use crate::primitives::time::Clock;
use crate::primitives::unavailable::Unavailable;
use crate::store::Store;

/// The ports of these use cases.
#[derive(Clone, Copy)]
pub struct AssociationKeyPorts<'a> {
    /// Store of association keys.
    pub store: &'a Store,
    /// Verifier of keys and signatures.
    pub proofs: &'a dyn ProofVerifier,
    /// Wall clock.
    pub clock: &'a dyn Clock,
}

/// A request to register a key.
#[derive(Clone, Copy, Debug)]
pub struct RegisterRequest<'a> {
    pub app: &'a App,
    /// The mode of the caller's key. Keys that test keys register are valid only for tests.
    pub mode: KeyMode,
    /// The user to whom the key belongs.
    pub owner: &'a ClaimedUserId,
    /// The public half of the key, as text.
    pub public_key: &'a str,
    /// The signature that proves possession of the key, if any.
    pub signature: Option<&'a str>,
    /// The app's quota.
    pub allowance: Allowance,
}

/// The reason why a request to register a key failed.
#[derive(Debug, Error)]
pub enum RegisterError {
    #[error(transparent)]
    Refused(#[from] RegisterRefusal),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Registers a key for a user of an app. Repeating this succeeds again and changes nothing.
///
/// # Errors
///
/// Fails if the key cannot belong to this user, if possession of it is not proved, or if the store
/// fails.
pub async fn register(
    ports: AssociationKeyPorts<'_>,
    request: RegisterRequest<'_>,
) -> Result<KeyId, RegisterError> {
    let RegisterRequest { app, owner, .. } = request;
    if owner.is_anonymous() {
        return Err(RegisterRefusal::Anonymous.into());
    }
    let point = ports.proofs.parse_key(request.public_key);
    let point = point.ok_or(RegisterRefusal::MalformedKey)?;
    match request.signature {
        None if app.login.require_proof => return Err(RegisterRefusal::SignatureMissing.into()),
        None => {}
        Some(signature) => {
            let app_key = &app.app_key;
            let shown = ports
                .proofs
                .shows_possession(&point, app_key, owner, signature);
            if !shown {
                return Err(RegisterRefusal::SignatureFalse.into());
            }
        }
    }
    let now = ports.clock.now();
    let owner = owner.clone();
    let key = AssociationKey::new(app.id.clone(), point, owner, now, KeyKind::App, None);
    let (store, allowance) = (ports.store, request.allowance);
    match request.mode {
        KeyMode::Live => {
            store
                .register_association_key(key, allowance, now)
                .await??
        }
        KeyMode::Test => store.register_test_key(key, allowance, now).await??,
    };
    Ok(point.key_id())
}

/// Returns the active keys of a user of an app, oldest first.
///
/// # Errors
///
/// Fails if the store fails.
pub async fn of_user(
    ports: AssociationKeyPorts<'_>,
    scope: Scope<'_>,
    owner: &ClaimedUserId,
) -> Result<Vec<AssociationKey>, Unavailable> {
    match scope.mode {
        KeyMode::Live => ports.store.association_keys_of(scope.app, owner).await,
        KeyMode::Test => {
            let now = ports.clock.now();
            ports.store.test_keys_of(scope.app, owner, now).await
        }
    }
}

/// Revokes a key of an app, immediately and forever. Repeating this succeeds again.
///
/// # Errors
///
/// Fails if the store fails.
pub async fn revoke(
    ports: AssociationKeyPorts<'_>,
    scope: Scope<'_>,
    id: KeyId,
) -> Result<RevokeOutcome, Unavailable> {
    let now = ports.clock.now();
    match scope.mode {
        KeyMode::Live => ports.store.revoke_association_key(scope.app, id, now).await,
        KeyMode::Test => ports.store.revoke_test_key(scope.app, id, now).await,
    }
}
