//! Verifiers that skip a step: which promises each breaks, and within how many seeds.

use std::time::Duration;

use countersign_conformance::samples::before;
use countersign_domain::app::AppKey;
use countersign_domain::login::proof_verifier::{Named, ProofFacts, ProofVerifier};
use countersign_domain::login::{
    AssociationKey, ClaimedUserId, KeyId, KeyPoint, KeyState, PayDigest, Payload, PhonePayload,
    Proof,
};
use countersign_domain::web::origin::WebOrigin;
use countersign_proof::{Proofs, key_id};
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
    (Fault::NoProofIsTrue, &[VerifiedUser, ProofTrue], 100),
    (Fault::ForgetsTheLogin, &[ProofTrue], 1_000),
    (Fault::ForgetsThePage, &[ProofTrue], 1_000),
    (Fault::ForgetsThePayload, &[ProofTrue], 2_000),
    (Fault::ForgetsTheTime, &[ProofTrue], 1_000),
    (Fault::ForgetsThePossession, &[PossessionShown], 200),
    (
        Fault::NamesNoKey,
        &[VerifiedUser, RevokedAtOnce, ProofTrue],
        100,
    ),
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

    fn check(&self, proof: &Proof, facts: &ProofFacts<'_>) -> Option<Named> {
        let named = match self.0 {
            Fault::EveryProofIsTrue => Some(Named {
                key: key_id(proof.as_str()).ok()?,
                user: None,
            }),
            fault => fault.relaxes(*facts, |facts| Proofs.check(proof, &facts)),
        };
        match self.0 {
            Fault::NamesNoKey => named.map(|named| Named {
                key: KeyId::from_bytes([0; 32]),
                ..named
            }),
            _ => named,
        }
    }

    fn verify(
        &self,
        proof: &Proof,
        key: &AssociationKey,
        facts: &ProofFacts<'_>,
    ) -> Option<PayDigest> {
        match self.0 {
            Fault::EveryProofIsTrue => {
                let is_active = matches!(key.state, KeyState::Active { .. });
                is_active.then_some(PayDigest::from_bytes([0; 32]))
            }
            Fault::NoProofIsTrue => None,
            fault => fault.relaxes(*facts, |facts| Proofs.verify(proof, key, &facts)),
        }
    }
}

impl Fault {
    /// Checks a proof with the facts, or with those that the fault takes for as good.
    fn relaxes<T>(
        self,
        facts: ProofFacts<'_>,
        check: impl Fn(ProofFacts<'_>) -> Option<T>,
    ) -> Option<T> {
        match self {
            Self::ForgetsTheLogin => {
                let login = EARLIER_LOGIN;
                check(facts).or_else(|| check(ProofFacts { login, ..facts }))
            }
            Self::ForgetsThePage => {
                let page = "http://localhost:3000".parse::<WebOrigin>().ok()?;
                let origin = &page;
                check(facts).or_else(|| check(ProofFacts { origin, ..facts }))
            }
            Self::ForgetsThePayload => {
                // That of a sealed payload is not compared.
                let sealed = Payload::encrypted("BA".repeat(60)).map(PhonePayload::bare);
                let payload = &sealed.ok()?;
                check(ProofFacts { payload, ..facts })
            }
            Self::ForgetsTheTime => {
                let early = before(facts.now, Duration::from_mins(10));
                let late = facts.now.plus(Duration::from_mins(2));
                let mut times = [early, facts.now, late].into_iter();
                times.find_map(|now| check(ProofFacts { now, ..facts }))
            }
            _ => check(facts),
        }
    }
}
