//! The oracle's own assessment of proofs: it knows what was signed, and by whom.

use countersign_domain::login::{ClaimedUserId, KeyId, Login, Phone, PhonePayload, Proof, State};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;

use super::{Exchange, Finding};
use crate::logins::LoginRequest;
use crate::oracle::association_keys::Seen;
use crate::oracle::{Oracle, Promise};

/// Number of seconds before the time of a proof at which it becomes valid.
const EARLY: u64 = 60;
/// Number of seconds after the time of a proof at which it expires.
const LATE: u64 = 360;

/// The claims of a signed proof.
#[derive(Clone, Debug)]
pub struct Signed {
    /// The key id in the proof.
    pub key: KeyId,
    /// True if that key signed it.
    pub is_by_the_key: bool,
    pub login: LoginId,
    /// The page that created the login.
    pub page: &'static str,
    /// The user id that the phone sent.
    pub user: Option<ClaimedUserId>,
    /// The payload before encryption.
    pub payload: String,
    /// The payload's salt.
    pub salt: [u8; 16],
    /// The time on the phone's clock.
    pub at: Timestamp,
}

/// Possible findings of the service about the proof of a confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProofVerdict {
    NoProof,
    /// The proof matches the login, but its key is not registered.
    UnknownKey,
    RevokedKey,
    False,
    /// The user in the proof or of its key is not the one that the phone named.
    AnotherUser,
    /// The proof is true and signed with this user's key.
    Verified(ClaimedUserId),
}

impl Signed {
    /// Returns whether a proof matches a confirmation, apart from its key, its user and its time.
    fn agrees(&self, item: &Login, payload: &PhonePayload) -> bool {
        let salt = payload
            .salt()
            .map(countersign_domain::login::Salt::as_bytes);
        let is_of_payload = payload.is_encrypted()
            || (payload.payload().as_str() == self.payload && salt == Some(&self.salt));
        self.login == item.id && self.page == item.origin.as_str() && is_of_payload
    }

    /// Returns whether this user's key signed the proof.
    fn is_by(&self, owner: &ClaimedUserId) -> bool {
        self.is_by_the_key && self.user.as_ref().is_none_or(|user| user == owner)
    }

    /// Returns whether the proof is valid at some time during an exchange, and whether it is valid all
    /// the time.
    fn in_time(&self, exchange: Exchange) -> (bool, bool) {
        let (from, to) = (exchange.asked_at.as_secs(), exchange.answered_at.as_secs());
        let at = self.at.as_secs();
        let (first, end) = (at - EARLY, at + LATE);
        (first <= to && from < end, first <= from && to < end)
    }
}

impl Oracle {
    /// Records that a phone signs a proof.
    pub fn proof_signed(&mut self, proof: &Proof, signed: Signed) {
        self.proofs.insert(proof.as_str().to_owned(), signed);
    }

    /// Returns every finding about a confirmation's proof that the service may reach during this
    /// exchange.
    pub(super) fn proof_verdicts(
        &self,
        item: &Login,
        phone: &Phone,
        payload: &PhonePayload,
        exchange: Exchange,
    ) -> Vec<ProofVerdict> {
        let Some(proof) = payload.proof() else {
            return vec![ProofVerdict::NoProof];
        };
        let Some(signed) = self.proofs.get(proof.as_str()) else {
            return vec![ProofVerdict::False];
        };
        let (sometimes, always) = signed.in_time(exchange);
        let agrees = signed.agrees(item, payload);
        let is_another = |user: &ClaimedUserId| phone.user.as_ref().is_some_and(|it| it != user);
        let mut found = Vec::new();
        if !agrees || !always {
            found.push(ProofVerdict::False);
        }
        if !agrees || !sometimes {
            return found;
        }
        for seen in self.key_during(signed.key, exchange) {
            let owner = match seen {
                Seen::Absent => {
                    let named = signed.user.as_ref();
                    let is_another = !item.requires_proof && named.is_some_and(is_another);
                    found.push(if is_another {
                        ProofVerdict::AnotherUser
                    } else {
                        ProofVerdict::UnknownKey
                    });
                    continue;
                }
                Seen::Revoked => {
                    found.push(ProofVerdict::RevokedKey);
                    continue;
                }
                Seen::Active(owner) => owner,
            };
            found.push(if !signed.is_by(owner) {
                ProofVerdict::False
            } else if is_another(owner) {
                ProofVerdict::AnotherUser
            } else {
                ProofVerdict::Verified(owner.clone())
            });
        }
        found
    }

    /// Checks that a state change needs no proof, or has the proof that it needs.
    pub(super) fn proven(
        &self,
        before: Option<&Login>,
        after: &Login,
        now: Timestamp,
    ) -> Option<Finding> {
        let required = before.map_or(self.requires_proof, |before| before.requires_proof);
        if required != after.requires_proof {
            let what = format!("requires a proof: {}", after.requires_proof);
            return Some((Promise::ProofRequired, what));
        }
        let before = before?;
        match (&before.state, &after.state) {
            (State::Scanned { .. }, State::Confirmed { phone, payload, .. }) => {
                self.confirmation_proven(after, phone, payload, now)
            }
            (State::Confirmed { .. }, State::Cancelled { .. }) => None,
            _ => {
                let (was, is) = (before.verified_user(), after.verified_user());
                let what = format!("{was:?} becomes {is:?}");
                (was != is).then_some((Promise::VerifiedUser, what))
            }
        }
    }

    fn confirmation_proven(
        &self,
        item: &Login,
        phone: &Phone,
        payload: &PhonePayload,
        now: Timestamp,
    ) -> Option<Finding> {
        let asked = &self.logins.get(&item.id)?.asked;
        let mut asked = asked.iter().filter(|(request, _)| match request {
            LoginRequest::Confirm {
                token,
                payload: sent,
            } => token.hash() == phone.token && sent == payload,
            _ => false,
        });
        let exchange = Exchange {
            asked_at: asked.next()?.1,
            answered_at: now.plus(self.skew),
        };
        let proof_verdicts = self.proof_verdicts(item, phone, payload, exchange);
        let is_right = proof_verdicts.iter().any(|judgement| match judgement {
            ProofVerdict::NoProof | ProofVerdict::UnknownKey => {
                phone.verified.is_none() && !item.requires_proof
            }
            ProofVerdict::Verified(user) => {
                phone.verified.as_ref().map(|verified| &verified.user) == Some(user)
            }
            ProofVerdict::RevokedKey | ProofVerdict::False | ProofVerdict::AnotherUser => false,
        });
        let promise = broken_by(
            &proof_verdicts,
            item.requires_proof && phone.verified.is_none(),
        );
        let what = format!("{:?} is verified, while {proof_verdicts:?}", phone.verified);
        (!is_right).then_some((promise, what))
    }
}

/// Returns the promise that a confirmation breaks if none of these judgements allows it. `unproven` means
/// that the confirmation needed a proof and had none.
pub(super) fn broken_by(proof_verdicts: &[ProofVerdict], unproven: bool) -> Promise {
    let any = |is: fn(&ProofVerdict) -> bool| proof_verdicts.iter().any(is);
    if any(|it| matches!(it, ProofVerdict::Verified(_))) {
        Promise::VerifiedUser
    } else if any(|it| matches!(it, ProofVerdict::False | ProofVerdict::AnotherUser)) {
        Promise::ProofTrue
    } else if any(|it| *it == ProofVerdict::RevokedKey) {
        Promise::RevokedAtOnce
    } else if unproven {
        Promise::ProofRequired
    } else {
        Promise::VerifiedUser
    }
}
