//! Checking the proof of a confirmation against registered keys.

use super::Ports;
use crate::login::proof_verifier::ProofFacts;
use crate::login::{MobileToken, PhonePayload, Status, VerifiedUser};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// The reason why a proof does not verify a confirmation.
pub(super) enum Refusal {
    /// The phone has no such login.
    Unknown,
    /// The proof is false, or its key was revoked or is not the app's.
    Invalid,
    /// The key belongs to another user than the one that the phone claimed.
    Mismatch,
    /// A port failed.
    Unavailable(Unavailable),
}

impl From<Unavailable> for Refusal {
    fn from(cause: Unavailable) -> Self {
        Self::Unavailable(cause)
    }
}

/// Returns the user whom the proof of a confirmation shows, by a key that the app registered. `None`
/// if there is no proof, if its key is unknown, or if the login is decided already: then the store
/// decides whether this is a repetition.
///
/// The key is read at this moment, so a revocation counts at once.
pub(super) async fn verified_user(
    ports: Ports<'_>,
    id: LoginId,
    token: &MobileToken,
    payload: &PhonePayload,
    now: Timestamp,
) -> Result<Option<VerifiedUser>, Refusal> {
    let Some(proof) = payload.proof() else {
        return Ok(None);
    };
    let login = ports.logins.find(id, now).await?;
    let login = login.ok_or(Refusal::Unknown)?;
    let token = token.hash();
    let phone = login.phone().filter(|phone| phone.token == token);
    let phone = phone.ok_or(Refusal::Unknown)?;
    if login.status(now) != Status::Scanned {
        return Ok(None);
    }
    let key = match ports.proofs.key_id(proof) {
        Some(key) => ports.keys.find_key(&login.app, key).await?,
        None => None,
    };
    let Some(key) = key else {
        return if login.requires_proof {
            Err(Refusal::Invalid)
        } else {
            Ok(None)
        };
    };
    let app = ports.apps.find_app(&login.app).await?;
    let (Some(app), Some(owner)) = (app, key.owner()) else {
        return Err(Refusal::Invalid);
    };
    let facts = ProofFacts {
        app: &app.app_key,
        origin: &login.origin,
        login: login.id,
        context: login.context(),
        payload,
        now,
    };
    let pay = ports.proofs.verify(proof, &key, &facts);
    let pay = pay.ok_or(Refusal::Invalid)?;
    match &phone.user {
        Some(claimed) if claimed != owner => Err(Refusal::Mismatch),
        _ => Ok(Some(VerifiedUser {
            user: owner.clone(),
            pay,
        })),
    }
}
