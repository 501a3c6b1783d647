//! Checks of the answers to browsers, phones and strangers.

use countersign_domain::login::{
    BlockReason, Login, PhonePayload, Receipt, Refusal, State, Status,
};
use countersign_domain::primitives::ids::LoginId;

use super::steady::Steady;
use super::{Exchange, Finding, LoginCase};
use crate::logins::{LoginAnswer, LoginRequest};
use crate::oracle::{Oracle, Promise};

impl Oracle {
    /// Checks an answer about a login.
    pub fn login_told(
        &mut self,
        id: LoginId,
        request: &LoginRequest,
        answer: &LoginAnswer,
        exchange: Exchange,
    ) {
        let skew = self.skew;
        let case = self.login(id);
        let found = case.told_safely(request, answer, exchange).or_else(|| {
            let status = match answer {
                LoginAnswer::Is(status) | LoginAnswer::Refused(Refusal::WrongStatus(status)) => {
                    *status
                }
                LoginAnswer::Refused(Refusal::Expired) => Status::Expired,
                _ => return None,
            };
            let what = || format!("{} was told {status:?}: {:?}", request.name(), case.seen);
            (!case.was(status, exchange, skew)).then(|| (Promise::StatusTrue, what()))
        });
        let found = found.or_else(|| {
            let case = self.logins.get(&id)?;
            let (item, status) = case.steady(exchange, skew)?;
            let between = Exchange {
                answered_at: exchange.answered_at.plus(skew),
                ..exchange
            };
            let proof_verdicts = match (request, item.phone()) {
                (LoginRequest::Confirm { payload, .. }, Some(phone)) => {
                    self.proof_verdicts(item, phone, payload, between)
                }
                _ => Vec::new(),
            };
            let steady = Steady {
                item,
                status,
                confirmed: case.confirmed.as_ref(),
                proof_verdicts,
                between: (between.asked_at, between.answered_at),
            };
            let what = format!("{}: {answer:?} while {status:?}", request.name());
            (!steady.allows(request, answer)).then(|| (steady.broken_by(request, answer), what))
        });
        self.login_broken(id, found);
    }
}

impl LoginCase {
    /// Checks what must hold for an answer even if the login changed in the meantime.
    fn told_safely(
        &mut self,
        request: &LoginRequest,
        answer: &LoginAnswer,
        exchange: Exchange,
    ) -> Option<Finding> {
        match (request, answer) {
            (LoginRequest::Create { token, .. }, LoginAnswer::Login(login)) => {
                if self
                    .owner()
                    .is_none_or(|(owner, _)| owner.hash() != token.hash())
                {
                    let what = "another token was told of the login".to_owned();
                    return Some((Promise::CreatorOnly, what));
                }
                self.created(login)
            }
            (LoginRequest::Create { token, origin, .. }, LoginAnswer::Taken) => {
                let owner = self.owner().map(|(owner, page)| (owner.hash(), page));
                let what = "taken from its own browser".to_owned();
                (owner == Some((token.hash(), *origin))).then_some((Promise::SameAnswerAgain, what))
            }
            (LoginRequest::Initiate { token, .. }, LoginAnswer::Login(login)) => {
                let item = self.item.as_ref();
                let phone = item.and_then(Login::phone);
                let is_in = phone.is_some_and(|phone| phone.token == token.hash());
                let is_same = item.is_some_and(|item| {
                    item.encryption == login.encryption && item.origin == login.origin
                });
                let what = format!("told {login:?}");
                (!is_in || !is_same).then_some((Promise::OnePhone, what))
            }
            (LoginRequest::Initiate { token, .. }, LoginAnswer::Refused(Refusal::SecondPhone)) => {
                let blocked = self.item.as_ref().is_some_and(|item| match &item.state {
                    State::Blocked {
                        phone,
                        reason: BlockReason::SecondPhone,
                        ..
                    } => phone.token != token.hash(),
                    _ => false,
                });
                let what = format!("a second phone did not block {:?}", self.item);
                (!blocked).then_some((Promise::OnePhone, what))
            }
            (LoginRequest::Confirm { payload, .. }, LoginAnswer::Done) => {
                self.confirm_told = true;
                let kept = self.confirmed.as_ref();
                let is_kept = kept.is_some_and(|(kept, _)| kept == payload);
                let what = "the phone was told `confirmed`".to_owned();
                (!is_kept).then_some((Promise::PayloadKept, what))
            }
            (LoginRequest::Deny { reason, .. }, LoginAnswer::Done) => {
                let item = self.item.as_ref();
                let is_kept = item.is_some_and(|item| match &item.state {
                    State::Denied { .. } => reason.is_none(),
                    State::Blocked {
                        reason: BlockReason::KeyMismatch(_),
                        ..
                    } => reason.is_some(),
                    _ => false,
                });
                let what = format!("the phone was told `denied`: {item:?}");
                (!is_kept).then_some((Promise::DenialKept, what))
            }
            (LoginRequest::Cancel(_), LoginAnswer::Done) => {
                let item = self.item.as_ref();
                let is_kept =
                    item.is_some_and(|item| matches!(item.state, State::Cancelled { .. }));
                let what = format!("the browser was told `cancelled`: {item:?}");
                (!is_kept).then_some((Promise::CancelKept, what))
            }
            (LoginRequest::Redeem { token, receipt }, LoginAnswer::Payload(payload)) => {
                if self
                    .owner()
                    .is_none_or(|(owner, _)| owner.hash() != token.hash())
                {
                    let what = "another token got the payload".to_owned();
                    return Some((Promise::CreatorOnly, what));
                }
                self.redeemed(receipt, payload, exchange)
            }
            (_, LoginAnswer::Refused(Refusal::Unknown)) => self.found(request),
            _ => None,
        }
    }

    /// Checks a login in an answer to its browser, for the first time or again.
    fn created(&mut self, login: &Login) -> Option<Finding> {
        let Some(item) = &self.item else {
            return Some((Promise::SessionKept, "told, and not stored".to_owned()));
        };
        let first = self.told.get_or_insert_with(|| login.clone());
        let is_same = |one: &Login, other: &Login| {
            one.id == other.id
                && one.created_at == other.created_at
                && one.origin == other.origin
                && one.encryption == other.encryption
        };
        let what = format!("{first:?} and {login:?}");
        let same = is_same(first, login) && is_same(item, login);
        (!same).then_some((Promise::SameAnswerAgain, what))
    }

    /// Checks that a device that belongs to the login does not get the answer that the login does
    /// not exist.
    fn found(&self, request: &LoginRequest) -> Option<Finding> {
        let item = self.item.as_ref()?;
        self.told.as_ref()?;
        let token = match request {
            LoginRequest::Redeem { token, .. } | LoginRequest::Cancel(token) => token.hash(),
            LoginRequest::Status(token) | LoginRequest::Watch(token, _) => token.hash().browser,
            _ => return None,
        };
        let what = format!("{}: its browser does not find it", request.name());
        (token == item.browser_token).then_some((Promise::SessionKept, what))
    }

    /// Checks a payload that the browser got.
    fn redeemed(
        &mut self,
        receipt: &Receipt,
        payload: &PhonePayload,
        exchange: Exchange,
    ) -> Option<Finding> {
        let receipt = receipt.hash();
        let Some((confirmed, redeem_by)) = &self.confirmed else {
            let what = format!("redeemed while {:?}", self.item);
            return Some((Promise::OnlyConfirmed, what));
        };
        let again = !self.got.is_empty();
        let is_first = self.got.iter().all(|first| *first == receipt);
        self.got.push(receipt);
        let state = self.item.as_ref().map(|item| &item.state);
        if confirmed != payload {
            Some((Promise::PayloadKept, "another payload".to_owned()))
        } else if *redeem_by <= exchange.asked_at {
            let what = format!("redeemed after {redeem_by}");
            Some((Promise::NotAfterItsEnd, what))
        } else if !is_first || (again && !payload.is_encrypted()) {
            Some((Promise::PayloadOnce, "redeemed again".to_owned()))
        } else if !matches!(state, Some(State::Consumed { .. })) {
            let what = format!("redeemed, and not written: {state:?}");
            Some((Promise::PayloadOnce, what))
        } else {
            None
        }
    }
}
