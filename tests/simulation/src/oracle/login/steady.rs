//! The right answer to each request about a login that did not change in the meantime.

use countersign_domain::login::risk::RiskStatus;
use countersign_domain::login::{
    BlockReason, BrowserToken, ClaimedUserId, DenyReason, DeviceToken, Encryption, Login,
    MobileToken, PhonePayload, ReceiptHash, Redeemed, Refusal, State, Status,
};
use countersign_domain::primitives::time::Timestamp;

use super::proofs::{ProofVerdict, broken_by};
use crate::logins::{LoginAnswer, LoginRequest};
use crate::oracle::Promise;

/// A login that did not change while a request was answered.
pub(super) struct Steady<'a> {
    pub(super) item: &'a Login,
    pub(super) status: Status,
    /// The payload of the confirmation, and the time at which the payload expires.
    pub(super) confirmed: Option<&'a (PhonePayload, Timestamp)>,
    /// Possible findings about the proof, if the request confirms.
    pub(super) proof_verdicts: Vec<ProofVerdict>,
    /// The times at which the request was sent and answered.
    pub(super) between: (Timestamp, Timestamp),
}

impl Steady<'_> {
    /// Returns whether the answer is right. If a request must have changed the login, no answer is right.
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
                    *answer == LoginAnswer::Refused(Refusal::Unknown)
                }
            }
            LoginRequest::Redeem { token, .. } | LoginRequest::Cancel(token)
                if !self.is_of(token) =>
            {
                *answer == LoginAnswer::Refused(Refusal::Unknown)
            }
            LoginRequest::Redeem { receipt, .. } => self.redeem(&receipt.hash(), answer),
            LoginRequest::Cancel(_) => self.is_refused(answer) && !self.status.is_live(),
            LoginRequest::Initiate { token, user } => self.initiate(token, user.as_ref(), answer),
            LoginRequest::Confirm { token, .. } | LoginRequest::Deny { token, .. }
                if !self.is_opened_by(token) =>
            {
                *answer == LoginAnswer::Refused(Refusal::Unknown)
            }
            LoginRequest::Confirm { payload, .. } => self.confirm(payload, answer),
            LoginRequest::Deny { reason, .. } => self.deny(*reason, answer),
        }
    }

    /// Returns the promise that a wrong answer breaks.
    pub(super) fn broken_by(&self, request: &LoginRequest, answer: &LoginAnswer) -> Promise {
        match request {
            LoginRequest::Redeem { token, .. } | LoginRequest::Cancel(token)
                if !self.is_of(token) =>
            {
                Promise::CreatorOnly
            }
            LoginRequest::Status(token) | LoginRequest::Watch(token, _) if !self.sees(token) => {
                Promise::CreatorOnly
            }
            _ if self.status == Status::Expired => Promise::NotAfterItsEnd,
            LoginRequest::Create { .. } if matches!(answer, LoginAnswer::Login(_)) => {
                if self.status.is_live() {
                    Promise::CreatorOnly
                } else {
                    Promise::EndKept
                }
            }
            LoginRequest::Redeem { .. } => Promise::PayloadKept,
            LoginRequest::Initiate { .. } if matches!(answer, LoginAnswer::Login(_)) => {
                Promise::OnePhone
            }
            LoginRequest::Confirm { token, .. } | LoginRequest::Deny { token, .. }
                if !self.is_opened_by(token) =>
            {
                Promise::OnePhone
            }
            LoginRequest::Confirm { .. }
                if self.status == Status::Scanned && names_known_key(&self.proof_verdicts) =>
            {
                broken_by(&self.proof_verdicts, false)
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
        *answer == LoginAnswer::Refused(Refusal::WrongStatus(self.status))
    }

    /// Returns whether the answer refuses a request because of the state.
    fn is_refused(&self, answer: &LoginAnswer) -> bool {
        match self.status {
            Status::Expired => *answer == LoginAnswer::Refused(Refusal::Expired),
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
                    answer => *answer == LoginAnswer::Refused(Refusal::Redeemed) && *until <= to,
                }
            }
            State::Consumed { .. } => *answer == LoginAnswer::Refused(Refusal::Redeemed),
            // A payload that has not been redeemed must be returned, which changes the login.
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
            Status::Expired if is_own => *answer == LoginAnswer::Refused(Refusal::Expired),
            Status::Expired => *answer == LoginAnswer::Refused(Refusal::Unknown),
            Status::Created => false,
            Status::Scanned => {
                let first = self.item.phone().and_then(|phone| phone.user.as_ref());
                match answer {
                    LoginAnswer::Login(_) => is_own && first == user,
                    LoginAnswer::Refused(Refusal::Different) => is_own && first != user,
                    _ => false,
                }
            }
            _ => *answer == LoginAnswer::Refused(Refusal::Over),
        }
    }

    fn confirm(&self, payload: &PhonePayload, answer: &LoginAnswer) -> bool {
        let is_same = self.confirmed.is_some_and(|(first, _)| first == payload);
        match &self.item.state {
            _ if self.status == Status::Expired => {
                *answer == LoginAnswer::Refused(Refusal::Expired)
            }
            State::Scanned { .. } => {
                let mut proof_verdicts = self.proof_verdicts.iter();
                proof_verdicts.any(|it| self.refusal(it, payload).as_ref() == Some(answer))
            }
            State::Confirmed { .. } | State::Consumed { .. } if is_same => {
                *answer == LoginAnswer::Done
            }
            State::Blocked {
                reason: BlockReason::Risk,
                ..
            } => *answer == LoginAnswer::Refused(Refusal::Forbidden),
            _ => self.is_over(answer),
        }
    }

    /// Returns the answer to a refused confirmation, which changes nothing.
    fn refusal(&self, judgement: &ProofVerdict, payload: &PhonePayload) -> Option<LoginAnswer> {
        let risk = self.item.phone().map(|phone| phone.risk.status());
        let is_required = self.item.requires_proof;
        match judgement {
            ProofVerdict::RevokedKey | ProofVerdict::False => {
                Some(LoginAnswer::Refused(Refusal::ProofInvalid))
            }
            ProofVerdict::UnknownKey if is_required => {
                Some(LoginAnswer::Refused(Refusal::ProofInvalid))
            }
            ProofVerdict::AnotherUser => Some(LoginAnswer::Refused(Refusal::ProofMismatch)),
            _ if risk == Some(RiskStatus::Deny) => None,
            _ if !self.item.encryption.suits(payload.payload()) => {
                let is_plain = self.item.encryption == Encryption::Plain;
                Some(LoginAnswer::Refused(if is_plain {
                    Refusal::Encrypted
                } else {
                    Refusal::Readable
                }))
            }
            ProofVerdict::NoProof if is_required => {
                Some(LoginAnswer::Refused(Refusal::ProofRequired))
            }
            ProofVerdict::NoProof | ProofVerdict::UnknownKey | ProofVerdict::Verified(_) => None,
        }
    }

    fn deny(&self, reason: Option<DenyReason>, answer: &LoginAnswer) -> bool {
        match (&self.item.state, reason) {
            _ if self.status == Status::Expired => {
                *answer == LoginAnswer::Refused(Refusal::Expired)
            }
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

/// Returns whether the key of the proof is registered or was before.
fn names_known_key(proof_verdicts: &[ProofVerdict]) -> bool {
    let is_unknown =
        |it: &ProofVerdict| matches!(it, ProofVerdict::NoProof | ProofVerdict::UnknownKey);
    !proof_verdicts.iter().any(is_unknown)
}
