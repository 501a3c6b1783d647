//! Verifiers that skip a step: which promises each breaks, and within how many seeds.

use std::time::Duration;

use countersign_conformance::samples::before;
use countersign_domain::app::AppKey;
use countersign_domain::login::proof_verifier::{ProofFacts, ProofVerifier};
use countersign_domain::login::{
    AssociationKey, ClaimedUserId, KeyId, KeyPoint, KeyState, Payload, PhonePayload, Proof,
};
use countersign_domain::web::origin::WebOrigin;
use countersign_proof::Proofs;
use countersign_simulation::oracle::Promise::{self, *};
use countersign_simulation::people::EARLIER_LOGIN;

/// A fault of a verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Neither signature nor claims are checked.
    EveryProofIsTrue,
    NoProofIsTrue,
    ForgetsTheLogin,
    ForgetsThePage,
    ForgetsThePayload,
    ForgetsTheTime,
    ForgetsThePossession,
    /// No proof names a key.
    NamesNoKey,
}

/// Each fault, the promises that it may break first, and the number of seeds within which it must.
pub(super) const FAULTS: &[(Fault, &[Promise], u64)] = &[
    (Fault::EveryProofIsTrue, &[ProofTrue], 100),
    (Fault::NoProofIsTrue, &[VerifiedUser], 100),
    (Fault::ForgetsTheLogin, &[ProofTrue], 1_000),
    (Fault::ForgetsThePage, &[ProofTrue], 1_000),
    (Fault::ForgetsThePayload, &[ProofTrue], 2_000),
    (Fault::ForgetsTheTime, &[ProofTrue], 1_000),
    (Fault::ForgetsThePossession, &[PossessionShown], 50),
    (Fault::NamesNoKey, &[VerifiedUser, RevokedAtOnce], 100),
];

/// A verifier with a fault.
pub(super) struct Broken(pub(super) Fault);

impl ProofVerifier for Broken {
    fn parse_key(&self, text: &str) -> Option<KeyPoint> {
        Proofs.parse_key(text)
    }

    fn shows_possession(
        &self,
        key: &KeyPoint,
        app: &AppKey,
        user: &ClaimedUserId,
        signature: &str,
    ) -> bool {
        self.0 == Fault::ForgetsThePossession || Proofs.shows_possession(key, app, user, signature)
    }

    fn key_id(&self, proof: &Proof) -> Option<KeyId> {
        Proofs.key_id(proof).filter(|_| self.0 != Fault::NamesNoKey)
    }

    fn is_valid(&self, proof: &Proof, key: &AssociationKey, facts: &ProofFacts<'_>) -> bool {
        let is_valid = |facts: ProofFacts<'_>| Proofs.is_valid(proof, key, &facts);
        let facts = *facts;
        match self.0 {
            Fault::EveryProofIsTrue => matches!(key.state, KeyState::Active { .. }),
            Fault::NoProofIsTrue => false,
            Fault::ForgetsTheLogin => {
                let login = EARLIER_LOGIN;
                is_valid(facts) || is_valid(ProofFacts { login, ..facts })
            }
            Fault::ForgetsThePage => {
                let page = "http://localhost:3000".parse::<WebOrigin>();
                is_valid(facts)
                    || page.is_ok_and(|origin| {
                        is_valid(ProofFacts {
                            origin: &origin,
                            ..facts
                        })
                    })
            }
            Fault::ForgetsThePayload => {
                // That of a sealed payload is not compared.
                let sealed = Payload::encrypted("BA".repeat(60)).map(PhonePayload::bare);
                sealed.is_ok_and(|payload| {
                    is_valid(ProofFacts {
                        payload: &payload,
                        ..facts
                    })
                })
            }
            Fault::ForgetsTheTime => {
                let early = before(facts.now, Duration::from_mins(10));
                let late = facts.now.plus(Duration::from_mins(2));
                let mut times = [early, facts.now, late].into_iter();
                times.any(|now| is_valid(ProofFacts { now, ..facts }))
            }
            Fault::ForgetsThePossession | Fault::NamesNoKey => is_valid(facts),
        }
    }
}
