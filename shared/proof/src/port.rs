//! The implementation of the domain's port.

use countersign_domain::app::AppKey;
use countersign_domain::login::proof_verifier::{
    PasskeyIdentification, PasskeyRegistration, ProofFacts, ProofIdentity, ProofVerifier,
};
use countersign_domain::login::{
    AssociationKey, ClaimedUserId, Context, KeyId, KeyPoint, KeyState, Passkey, PasskeyAssertion,
    PayDigest, Proof,
};

use crate::key::AssociationPublicKey;
use crate::passkey;
use crate::registration;
use crate::verify::{self, Expected, ExpectedPayload, ExpectedUser, KnownKey};

/// Verifies proofs and registrations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Proofs;

impl ProofVerifier for Proofs {
    fn parse_key(&self, text: &str) -> Option<KeyPoint> {
        let key = text.parse::<AssociationPublicKey>().ok()?;
        Some(key.point())
    }

    fn shows_possession(
        &self,
        key: &KeyPoint,
        app: &AppKey,
        user: &ClaimedUserId,
        signature: &str,
    ) -> bool {
        let key = AssociationPublicKey::from_point(key);
        key.is_ok_and(|key| registration::verify(&key, app, user, signature))
    }

    fn check(&self, proof: &Proof, facts: &ProofFacts<'_>) -> Option<ProofIdentity> {
        verify::check(proof.as_str(), &expected(facts)?).ok()
    }

    fn verify(
        &self,
        proof: &Proof,
        key: &AssociationKey,
        facts: &ProofFacts<'_>,
    ) -> Option<PayDigest> {
        let KeyState::Active {
            point, owner, kind, ..
        } = &key.state
        else {
            return None;
        };
        let public = AssociationPublicKey::from_point(point).ok()?;
        let find = |id: &KeyId| {
            (*id == key.id).then(|| KnownKey {
                key: public,
                owner: Some(owner.clone()),
                passkey: kind.passkey().cloned(),
            })
        };
        let verified = verify::verify(proof.as_str(), &expected(facts)?, find).ok()?;
        Some(verified.pay())
    }

    fn verify_registration(
        &self,
        key: &KeyPoint,
        registration: &PasskeyRegistration<'_>,
        assertion: &PasskeyAssertion,
    ) -> Option<Passkey> {
        let PasskeyRegistration {
            host,
            registration,
            app,
            user,
        } = *registration;
        let key = AssociationPublicKey::from_point(key).ok()?;
        let passkey = Passkey::of_host(host, false)?;
        let challenge = passkey::registration_challenge(registration, app, user);
        let checked = passkey::verify(assertion, &challenge, &key, &passkey).ok()?;
        Some(Passkey {
            synced: checked.is_synced(),
            ..passkey
        })
    }

    fn recover_keys(
        &self,
        identification: &PasskeyIdentification<'_>,
        assertion: &PasskeyAssertion,
    ) -> Vec<KeyPoint> {
        let PasskeyIdentification { host, app, at } = *identification;
        let challenge = passkey::identification_challenge(app, at);
        Passkey::of_host(host, false).map_or_else(Vec::new, |passkey| {
            passkey::recover_keys(assertion, &challenge, &passkey)
        })
    }
}

/// Returns the facts that a proof is compared with; `None` if no proof can belong to the payload.
fn expected<'a>(facts: &ProofFacts<'a>) -> Option<Expected<'a>> {
    let payload = match (facts.payload.is_encrypted(), facts.payload.salt()) {
        (true, _) => ExpectedPayload::Sealed,
        (false, Some(salt)) => ExpectedPayload::Is {
            payload: facts.payload.payload().as_str(),
            salt: salt.as_bytes(),
        },
        (false, None) => return None,
    };
    Some(Expected {
        app: facts.app,
        origin: facts.origin,
        login: facts.login,
        user: ExpectedUser::Owner,
        context: facts.context.map(Context::as_str),
        payload,
        now: facts.now,
    })
}
