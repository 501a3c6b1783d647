//! Verifying proofs.

mod claims;
mod expected;
mod parts;

use countersign_domain::login::proof_verifier::ProofIdentity;
use countersign_domain::login::{ClaimedUserId, KeyId, PayDigest};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;

use crate::error::ProofError;
use parts::Parts;

pub use expected::{Expected, ExpectedPayload, ExpectedUser, KnownKey};

/// Length of an ES256 signature in base64url, in characters: 64 bytes.
pub(crate) const SIGNATURE_TEXT: usize = 86;

/// A proof that [`verify`] accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedProof {
    key_id: KeyId,
    user: Option<ClaimedUserId>,
    login: LoginId,
    pay: PayDigest,
    issued_at: Timestamp,
}

impl VerifiedProof {
    /// Returns the id of the key that signed it.
    #[must_use]
    pub const fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Returns the key's owner, who confirmed the login; `None` if the lookup returned no owner.
    #[must_use]
    pub const fn user(&self) -> Option<&ClaimedUserId> {
        self.user.as_ref()
    }

    /// Returns the confirmed login. A server must accept each login only once.
    #[must_use]
    pub const fn login(&self) -> LoginId {
        self.login
    }

    /// Returns the claim `pay`, which matches only one payload and salt.
    #[must_use]
    pub const fn pay(&self) -> PayDigest {
        self.pay
    }

    /// Returns the claim `iat`: the time of the confirmation, in whole seconds.
    #[must_use]
    pub const fn issued_at(&self) -> Timestamp {
        self.issued_at
    }
}

/// Returns the id of a proof's key, for a lookup before [`verify`]. No part of the proof has been
/// verified at this point.
///
/// # Errors
///
/// Fails if the proof or its header is malformed.
pub fn key_id(proof: &str) -> Result<KeyId, ProofError> {
    Parts::split(proof)?.key_id()
}

/// Checks a proof without its key: format, header, every claim, and time. Neither the signature nor
/// the owner of the key is checked, so this can show that a proof is invalid, but never that it is
/// valid.
///
/// # Errors
///
/// Fails with the first rule that the proof breaks.
pub fn check(proof: &str, expected: &Expected<'_>) -> Result<ProofIdentity, ProofError> {
    let parts = Parts::split(proof)?;
    let key = parts.key_id()?;
    parts.check()?;
    let claims = claims::read(parts.claims, expected)?;
    let user = claims.user.map(|user| user.parse::<ClaimedUserId>());
    let user = user.transpose().map_err(|_| ProofError::User)?;
    Ok(ProofIdentity { key, user })
}

/// Verifies a proof of who confirmed a login: format, signature, every claim, and time. `find`
/// returns the known key with an id. A passkey's proof is accepted only from a key that is known as this passkey, and a JWT
/// only from one that is not a passkey.
///
/// A proof must be accepted only once. The caller must therefore refuse a login that it has already
/// accepted.
///
/// # Errors
///
/// Fails with the first rule that the proof breaks.
pub fn verify(
    proof: &str,
    expected: &Expected<'_>,
    find: impl FnOnce(&KeyId) -> Option<KnownKey>,
) -> Result<VerifiedProof, ProofError> {
    let parts = Parts::split(proof)?;
    let key_id = parts.key_id()?;
    let known = find(&key_id).ok_or(ProofError::UnknownKey)?;
    // The lookup may be wrong, so the id is computed again.
    if known.key.key_id() != key_id {
        return Err(ProofError::UnknownKey);
    }
    parts.verify(&known)?;
    let claims = claims::read(parts.claims, expected)?;
    let owner = known.owner.as_ref().map(ClaimedUserId::as_str);
    if claims.user.is_some() && claims.user.as_deref() != owner {
        return Err(ProofError::Owner);
    }
    Ok(VerifiedProof {
        key_id,
        user: known.owner,
        login: expected.login,
        pay: claims.pay,
        issued_at: claims.issued_at,
    })
}
