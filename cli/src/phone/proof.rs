//! The proof that the simulated phone sends when its user confirms a login.

use countersign_domain::app::AppKey;
use countersign_domain::login::phone_payload::MalformedProof;
use countersign_domain::login::{ClaimedUserId, Proof, Salt};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;
use countersign_proof::{AssociationPrivateKey, ProofClaims, ProofTooLong};
use thiserror::Error;

use super::association_keys::{AssociationKeyError, AssociationKeys};
use crate::args::ANONYMOUS;

/// A confirmation to sign. The salt must be the one that goes with the payload.
pub(crate) struct Confirmation<'a> {
    /// The phone's app.
    pub(crate) app: &'a AppKey,
    /// The page.
    pub(crate) origin: &'a WebOrigin,
    /// The login.
    pub(crate) login: LoginId,
    /// The user whom the phone named when it initiated the login.
    pub(crate) user: Option<&'a ClaimedUserId>,
    /// The context that the user saw.
    pub(crate) context: Option<&'a str>,
    /// The payload before encryption.
    pub(crate) payload: &'a str,
    /// The payload's salt.
    pub(crate) salt: &'a Salt,
    /// The phone's time, corrected by the service's.
    pub(crate) at: Timestamp,
}

/// Why a confirmation is not signed. It must then not be sent without a proof either.
#[derive(Debug, Error)]
pub(crate) enum ProofFailure {
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] AssociationKeyError),
    /// The claims are too long.
    #[error(transparent)]
    TooLong(#[from] ProofTooLong),
    /// The proof does not have the form of one, which no input can cause.
    #[error(transparent)]
    Malformed(#[from] MalformedProof),
}

/// Signs a confirmation with the key of its user, or with the anonymous key if it names none. Returns
/// `None` if the phone has no such key.
pub(crate) fn sign(
    keys: &AssociationKeys,
    confirmation: &Confirmation<'_>,
) -> Result<Option<Proof>, ProofFailure> {
    let found = match confirmation.user {
        Some(user) => keys.find(user)?,
        None => match ANONYMOUS.parse::<ClaimedUserId>() {
            Ok(anonymous) => keys.find(&anonymous)?,
            Err(_) => None,
        },
    };
    let Some(found) = found else {
        return Ok(None);
    };
    sign_with(&found.key, confirmation).map(Some)
}

/// Signs a confirmation with this key.
pub(crate) fn sign_with(
    key: &AssociationPrivateKey,
    confirmation: &Confirmation<'_>,
) -> Result<Proof, ProofFailure> {
    let proof = key.sign_proof(&ProofClaims {
        app: confirmation.app,
        origin: confirmation.origin,
        login: confirmation.login,
        user: confirmation.user,
        context: confirmation.context,
        payload: confirmation.payload,
        salt: confirmation.salt.as_bytes(),
        at: confirmation.at,
    })?;
    Ok(proof.parse::<Proof>()?)
}

#[cfg(test)]
mod tests {
    use countersign_proof::{Expected, ExpectedPayload, ExpectedUser, KnownKey, verify};
    use countersign_system::entropy::OsEntropy;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    /// Confirms with the keys in a directory, and returns the owner of the key; `None` without a
    /// proof.
    fn confirm(keys: &AssociationKeys, user: Option<&str>) -> Option<String> {
        let app: AppKey = "cs_app_0123456789abcdefABCDEF".parse().unwrap();
        let origin: WebOrigin = "https://shop.example".parse().unwrap();
        let login: LoginId = "qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e".parse().unwrap();
        let user = user.map(|id| id.parse::<ClaimedUserId>().unwrap());
        let salt = Salt::from_bytes([7; 16]);
        let confirmation = Confirmation {
            app: &app,
            origin: &origin,
            login,
            user: user.as_ref(),
            context: Some("Pay 20 EUR"),
            payload: "a token",
            salt: &salt,
            at: NOW,
        };
        let proof = sign(keys, &confirmation).unwrap()?;
        let expected = Expected {
            app: &app,
            origin: &origin,
            login,
            user: ExpectedUser::Exactly(user.as_ref()),
            context: Some("Pay 20 EUR"),
            payload: ExpectedPayload::Is {
                payload: "a token",
                salt: salt.as_bytes(),
            },
            now: NOW,
        };
        let find = |id: &_| {
            let known = keys.list().unwrap().into_iter();
            let known = known.map(|it| (it.key.public_key(), it.user));
            let found = known.into_iter().find(|(key, _)| key.key_id() == *id);
            found.map(|(key, owner)| KnownKey {
                key,
                owner: Some(owner),
            })
        };
        let verified = verify(proof.as_str(), &expected, find).unwrap();
        verified.user().map(|user| user.as_str().to_owned())
    }

    #[test]
    fn confirmation_is_signed_with_the_key_of_its_user() {
        let phone = tempfile::tempdir().unwrap();
        let keys = AssociationKeys::at(phone.path());
        for id in ["zoe", ANONYMOUS] {
            keys.create(&id.parse().unwrap(), false, &OsEntropy)
                .unwrap();
        }
        assert_eq!(confirm(&keys, Some("zoe")), Some("zoe".to_owned()));
        assert_eq!(confirm(&keys, None), Some(ANONYMOUS.to_owned()));
        assert_eq!(
            confirm(&keys, Some("mallory")),
            None,
            "no other key is used"
        );
    }

    #[test]
    fn phone_without_keys_makes_no_proof() {
        let phone = tempfile::tempdir().unwrap();
        let keys = AssociationKeys::at(phone.path());
        assert_eq!(confirm(&keys, Some("zoe")), None);
        assert_eq!(confirm(&keys, None), None);
    }
}
