//! The right answer to each request about a login that did not change meanwhile.

use countersign_domain::login::risk::RiskStatus;
use countersign_domain::login::{
    BlockReason, BrowserToken, ClaimedUserId, DenyReason, DeviceToken, Login, MobileToken,
    PhonePayload, ReceiptHash, Redeemed, State, Status,
};
use countersign_domain::primitives::time::Timestamp;

use super::proofs::Judgement;
use crate::logins::{LoginAnswer, LoginRequest};
use crate::oracle::Promise;

/// A login that did not change while a request was answered.
pub(super) struct Steady<'a> {
    pub(super) item: &'a Login,
    pub(super) status: Status,
    /// The payload with which it was confirmed, and the end of its time.
    pub(super) confirmed: Option<&'a (PhonePayload, Timestamp)>,
    /// What may have been found out about the proof, if the request confirms.
    pub(super) judgements: Vec<Judgement>,
    /// The times between which the request was answered.
    pub(super) between: (Timestamp, Timestamp),
}

impl Steady<'_> {
    /// Returns whether the answer is right. A request that must have changed the login has no right answer.
    pub(super) fn allows(&self, request: &LoginRequest, answer: &LoginAnswer) -> bool {
        match request {
            LoginRequest::Create { token, origin, .. } => {
                let is_own = self.is_of(token) && self.item.origin.as_str() == *origin;
                match answer {
                    LoginAnswer::NotAllowed => true,
                    LoginAnswer::Taken => !is_own,
                    LoginAnswer::Login(_) => is_own && self.status.is_live(),
                    answer => is_own && !self.status.is_live() && self.is_over(answer),
                }
            }
            LoginRequest::Status(token) | LoginRequest::Watch(token, _) => {
                if self.sees(token) {
                    *answer == LoginAnswer::Is(self.status)
                } else {
                    *answer == LoginAnswer::Unknown
                }
            }
            LoginRequest::Redeem { token, .. } | LoginRequest::Cancel(token)
                if !self.is_of(token) =>
            {
                *answer == LoginAnswer::Unknown
            }
            LoginRequest::Redeem { receipt, .. } => self.redeem(&receipt.hash(), answer),
            LoginRequest::Cancel(_) => self.is_refused(answer) && !self.status.is_live(),
            LoginRequest::Initiate { token, user } => self.initiate(token, user.as_ref(), answer),
            LoginRequest::Confirm { token, .. } | LoginRequest::Deny { token, .. }
                if !self.is_opened_by(token) =>
            {
                *answer == LoginAnswer::Unknown
            }
            LoginRequest::Confirm { payload, .. } => self.confirm(payload, answer),
            LoginRequest::Deny { reason, .. } => self.deny(*reason, answer),
        }
    }

    /// Returns the promise that a wrong answer breaks.
    pub(super) fn broken_by(&self, request: &LoginRequest, answer: &LoginAnswer) -> Promise {
        match request {
            _ if self.status == Status::Expired => Promise::NotAfterItsEnd,
            LoginRequest::Create { .. } if matches!(answer, LoginAnswer::Login(_)) => {
                Promise::EndKept
            }
            LoginRequest::Redeem { token, .. } | LoginRequest::Cancel(token)
                if !self.is_of(token) =>
            {
                Promise::CreatorOnly
            }
            LoginRequest::Status(token) | LoginRequest::Watch(token, _) if !self.sees(token) => {
                Promise::CreatorOnly
            }
            LoginRequest::Redeem { .. } => Promise::PayloadKept,
            LoginRequest::Confirm { .. } if is_about_proof(answer) => Promise::VerifiedUser,
            LoginRequest::Initiate { .. } if matches!(answer, LoginAnswer::Login(_)) => {
                Promise::OnePhone
            }
            LoginRequest::Confirm { token, .. } | LoginRequest::Deny { token, .. }
                if !self.is_opened_by(token) =>
            {
                Promise::OnePhone
            }
            _ => Promise::SameAnswerAgain,
        }
    }

    fn is_of(&self, token: &BrowserToken) -> bool {
        self.item.browser_token == token.hash()
    }

    fn is_opened_by(&self, token: &MobileToken) -> bool {
        let phone = self.item.phone();
        phone.is_some_and(|phone| phone.token == token.hash())
    }

    fn sees(&self, token: &DeviceToken) -> bool {
        let (hash, phone) = (token.hash(), self.item.phone());
        self.item.browser_token == hash.browser
            || phone.is_some_and(|phone| phone.token == hash.phone)
    }

    fn is_over(&self, answer: &LoginAnswer) -> bool {
        *answer == LoginAnswer::Ended(self.status)
    }

    /// Returns whether the answer refuses a request because of the state.
    fn is_refused(&self, answer: &LoginAnswer) -> bool {
        match self.status {
            Status::Expired => *answer == LoginAnswer::Expired,
            _ => self.is_over(answer),
        }
    }

    fn redeem(&self, receipt: &ReceiptHash, answer: &LoginAnswer) -> bool {
        match &self.item.state {
            State::Consumed {
                redeemed:
                    Redeemed::Sealed {
                        receipt: first,
                        until,
                        ..
                    },
                ..
            } if first == receipt => {
                let (from, to) = self.between;
                match answer {
                    LoginAnswer::Payload(_) => from < *until,
                    answer => *answer == LoginAnswer::Redeemed && *until <= to,
                }
            }
            State::Consumed { .. } => *answer == LoginAnswer::Redeemed,
            // A payload that waits must be answered, which changes the login.
            _ => self.is_refused(answer) && self.status != Status::Confirmed,
        }
    }

    fn initiate(
        &self,
        token: &MobileToken,
        user: Option<&ClaimedUserId>,
        answer: &LoginAnswer,
    ) -> bool {
        let is_own = self.is_opened_by(token);
        match self.status {
            Status::Expired if is_own => *answer == LoginAnswer::Expired,
            Status::Expired => *answer == LoginAnswer::Unknown,
            Status::Created => false,
            Status::Scanned => {
                let first = self.item.phone().and_then(|phone| phone.user.as_ref());
                match answer {
                    LoginAnswer::Login(_) => is_own && first == user,
                    LoginAnswer::Different => is_own && first != user,
                    _ => false,
                }
            }
            _ => self.is_over(answer),
        }
    }

    fn confirm(&self, payload: &PhonePayload, answer: &LoginAnswer) -> bool {
        let risk = self.item.phone().map(|phone| phone.risk.status());
        let is_same = self.confirmed.is_some_and(|(first, _)| first == payload);
        match &self.item.state {
            _ if self.status == Status::Expired => *answer == LoginAnswer::Expired,
            State::Scanned { .. } => {
                let suits = self.item.encryption.suits(payload.payload());
                let of_store =
                    (risk != Some(RiskStatus::Deny) && !suits).then_some(&LoginAnswer::Unsuitable);
                let unproven = match risk {
                    Some(RiskStatus::Deny) => None,
                    _ if suits => Some(&LoginAnswer::ProofRequired),
                    _ => of_store,
                };
                let requires_proof = self.item.requires_proof;
                self.judgements.iter().any(|judgement| {
                    let expected = match judgement {
                        Judgement::NoProof if requires_proof => unproven,
                        Judgement::UnknownKey if requires_proof => Some(&LoginAnswer::ProofInvalid),
                        Judgement::RevokedKey | Judgement::False => {
                            Some(&LoginAnswer::ProofInvalid)
                        }
                        Judgement::AnotherUser => Some(&LoginAnswer::ProofMismatch),
                        Judgement::NoProof | Judgement::UnknownKey | Judgement::Verified(_) => {
                            of_store
                        }
                    };
                    expected == Some(answer)
                })
            }
            State::Confirmed { .. } | State::Consumed { .. } if is_same => {
                *answer == LoginAnswer::Done
            }
            State::Blocked {
                reason: BlockReason::Risk,
                ..
            } => *answer == LoginAnswer::Forbidden,
            _ => self.is_over(answer),
        }
    }

    fn deny(&self, reason: Option<DenyReason>, answer: &LoginAnswer) -> bool {
        match (&self.item.state, reason) {
            _ if self.status == Status::Expired => *answer == LoginAnswer::Expired,
            (State::Scanned { .. }, _) => false,
            (State::Denied { .. }, None)
            | (
                State::Blocked {
                    reason: BlockReason::KeyMismatch(_),
                    ..
                },
                Some(_),
            ) => *answer == LoginAnswer::Done,
            _ => self.is_over(answer),
        }
    }
}

const fn is_about_proof(answer: &LoginAnswer) -> bool {
    matches!(
        answer,
        LoginAnswer::ProofRequired | LoginAnswer::ProofInvalid | LoginAnswer::ProofMismatch
    )
}
