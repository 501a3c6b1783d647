//! Verification of a confirmation's proof against registered keys.

use super::{LoginError, LoginPorts};
use crate::app::App;
use crate::login::proof_verifier::ProofFacts;
use crate::login::{ClaimedUserId, Login, PhonePayload, Refusal, Status, VerifiedUser};
use crate::primitives::time::Timestamp;

/// Returns the user that the proof of a confirmation verifies with a key that the app registered.
/// `None` if there is no proof, if its key is unknown but everything else is valid, or if the login
/// is already decided: then the store determines whether this is a repetition.
///
/// The key is read at this moment, so a revocation takes effect immediately.
pub(super) async fn verified_user(
    ports: LoginPorts<'_>,
    login: &Login,
    app: &App,
    payload: &PhonePayload,
    now: Timestamp,
) -> Result<Option<VerifiedUser>, LoginError> {
    let (Some(proof), Some(phone)) = (payload.proof(), login.phone()) else {
        return Ok(None);
    };
    if login.status(now) != Status::Scanned {
        return Ok(None);
    }
    let facts = ProofFacts {
        app: &app.app_key,
        origin: &login.origin,
        login: login.id,
        context: login.context(),
        payload,
        now,
    };
    let named = ports
        .proofs
        .check(proof, &facts)
        .ok_or(Refusal::ProofInvalid)?;
    let is_another = |user: &ClaimedUserId| {
        let mut owners = phone.user.iter().chain(login.expected_user());
        owners.any(|owner| owner != user)
    };
    // A test's key proves nothing in real logins, nor a real key in tests.
    let found = if login.test {
        let keys = [named.key];
        ports.store.find_test_key(&login.app, &keys, now).await?
    } else {
        let found = ports.store.find_association_key(&login.app, named.key);
        found.await?
    };
    let Some(key) = found else {
        return match named.user {
            _ if login.requires_proof || app.login.require_proof => {
                Err(Refusal::ProofInvalid.into())
            }
            Some(user) if is_another(&user) => Err(Refusal::ProofMismatch.into()),
            _ => Ok(None),
        };
    };
    if key
        .kind()
        .is_some_and(|kind| !kind.is_accepted_by(&app.login))
    {
        return Err(Refusal::ProofInvalid.into());
    }
    let owner = key.owner().ok_or(Refusal::ProofInvalid)?;
    let pay = ports.proofs.verify(proof, &key, &facts);
    let pay = pay.ok_or(Refusal::ProofInvalid)?;
    if is_another(owner) {
        return Err(Refusal::ProofMismatch.into());
    }
    Ok(Some(VerifiedUser {
        user: owner.clone(),
        pay,
    }))
}
