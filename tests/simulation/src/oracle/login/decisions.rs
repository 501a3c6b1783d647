//! Checks of state changes of a login: each must have been requested by the right device, in time.

use countersign_domain::login::risk::RiskStatus;
use countersign_domain::login::{
    BlockReason, DenialPayload, DenyReason, Login, Phone, PhonePayload, Redeemed, State,
};
use countersign_domain::primitives::time::Timestamp;

use super::{Finding, LoginCase};
use crate::logins::LoginRequest;
use crate::oracle::Promise;

impl LoginCase {
    /// Checks a state change, and stores what follows from a decision.
    pub(super) fn moved(&mut self, before: &Login, after: &Login) -> Option<Finding> {
        let end = before.expires_at();
        let late = |at: Timestamp| {
            let what = format!("{} at {at}, after {end}", name(after));
            (end <= at).then_some((Promise::NotAfterItsEnd, what))
        };
        match (&before.state, &after.state) {
            (State::Created { .. }, State::Scanned { phone, .. }) => late(phone.scanned_at)
                .or_else(|| {
                    self.asked_in_time(Promise::OnePhone, end, |asked| match asked {
                        LoginRequest::Initiate { token, user } => {
                            token.hash() == phone.token && *user == phone.user
                        }
                        _ => false,
                    })
                }),
            (
                State::Scanned { .. },
                State::Confirmed {
                    phone,
                    at,
                    payload,
                    redeem_by,
                    ..
                },
            ) => {
                self.confirmed = Some((payload.clone(), *redeem_by));
                self.body = confirmed_body(after, *at, payload);
                late(*at).or_else(|| self.confirm_asked(after, phone, payload, end))
            }
            (State::Scanned { .. }, State::Denied { phone, at, payload }) => {
                self.body = denied_body(after, *at, payload, None);
                late(*at).or_else(|| self.deny_asked(phone, payload, None, end))
            }
            (State::Scanned { .. }, State::Blocked { phone, at, reason }) => match reason {
                BlockReason::KeyMismatch(payload) => {
                    let reason = Some(DenyReason::KeyMismatch);
                    self.body = denied_body(after, *at, payload, reason);
                    late(*at).or_else(|| self.deny_asked(phone, payload, reason, end))
                }
                BlockReason::SecondPhone => late(*at).or_else(|| {
                    self.asked_in_time(Promise::OnePhone, end, |asked| match asked {
                        LoginRequest::Initiate { token, .. } => token.hash() != phone.token,
                        _ => false,
                    })
                }),
                BlockReason::Risk => late(*at).or_else(|| {
                    let is_denied = phone.risk.status() == RiskStatus::Deny;
                    self.asked_in_time(Promise::HistoryKept, end, |asked| match asked {
                        LoginRequest::Confirm { token, .. } => {
                            is_denied && token.hash() == phone.token
                        }
                        _ => false,
                    })
                }),
                // The app of a run requires no check code.
                BlockReason::CheckCode => Some((Promise::EndKept, format!("{before:?} {after:?}"))),
            },
            (State::Confirmed { .. }, State::Consumed { redeemed, at, .. }) => {
                late(*at).or_else(|| self.redeem_asked(after, redeemed, end))
            }
            (
                State::Created { .. } | State::Scanned { .. } | State::Confirmed { .. },
                State::Cancelled { at, .. },
            ) => late(*at).or_else(|| {
                self.asked_in_time(Promise::CreatorOnly, end, |asked| match asked {
                    LoginRequest::Cancel(token) => token.hash() == after.browser_token,
                    _ => false,
                })
            }),
            _ => {
                let promise = match before.state {
                    State::Cancelled { .. } => Promise::CancelKept,
                    State::Confirmed { .. } | State::Consumed { .. } => Promise::PayloadOnce,
                    _ => Promise::EndKept,
                };
                Some((promise, format!("{before:?} {after:?}")))
            }
        }
    }

    /// Checks that a request for the state change was sent before the login expired.
    fn asked_in_time(
        &self,
        promise: Promise,
        end: Timestamp,
        is: impl Fn(&LoginRequest) -> bool,
    ) -> Option<Finding> {
        let never = Timestamp::from_millis(u64::MAX);
        if !self.was_asked(never, &is) {
            return Some((promise, format!("nobody asked for {:?}", self.item)));
        }
        let what = format!("asked for after {end}: {:?}", self.item);
        (!self.was_asked(end, is)).then_some((Promise::NotAfterItsEnd, what))
    }

    fn confirm_asked(
        &self,
        item: &Login,
        phone: &Phone,
        payload: &PhonePayload,
        end: Timestamp,
    ) -> Option<Finding> {
        if !item.encryption.suits(payload.payload()) || phone.risk.status() == RiskStatus::Deny {
            let what = format!("must not be confirmed: {item:?}");
            return Some((Promise::OnlyConfirmed, what));
        }
        self.asked_in_time(Promise::OnePhone, end, |asked| match asked {
            LoginRequest::Confirm {
                token,
                payload: sent,
            } => token.hash() == phone.token && sent == payload,
            _ => false,
        })
    }

    fn deny_asked(
        &self,
        phone: &Phone,
        payload: &DenialPayload,
        reason: Option<DenyReason>,
        end: Timestamp,
    ) -> Option<Finding> {
        self.asked_in_time(Promise::DenialKept, end, |asked| match asked {
            LoginRequest::Deny {
                token,
                payload: sent,
                reason: given,
            } => token.hash() == phone.token && sent == payload && *given == reason,
            _ => false,
        })
    }

    fn redeem_asked(&self, item: &Login, redeemed: &Redeemed, end: Timestamp) -> Option<Finding> {
        let (confirmed, _) = self.confirmed.as_ref()?;
        let receipt = match redeemed {
            Redeemed::Removed { proof } => {
                let what = format!("{redeemed:?} of {confirmed:?}");
                if confirmed.is_encrypted() || proof.as_ref() != confirmed.proof() {
                    return Some((Promise::PayloadKept, what));
                }
                None
            }
            Redeemed::Sealed {
                payload,
                receipt,
                until,
            } => {
                if !confirmed.is_encrypted() {
                    let what = "a readable payload is kept".to_owned();
                    return Some((Promise::PayloadOnce, what));
                }
                if payload != confirmed || *until != end {
                    let what = format!("kept until {until}, not {end}");
                    return Some((Promise::PayloadKept, what));
                }
                Some(receipt)
            }
        };
        self.asked_in_time(Promise::CreatorOnly, end, |asked| match asked {
            LoginRequest::Redeem {
                token,
                receipt: sent,
            } => {
                token.hash() == item.browser_token
                    && receipt.is_none_or(|receipt| *receipt == sent.hash())
            }
            _ => false,
        })
    }
}

fn name(item: &Login) -> &'static str {
    item.status(super::BEGINNING).into_str()
}

/// Returns the webhook body for a confirmed login, written out member by member, if the app has a
/// callback.
fn confirmed_body(item: &Login, at: Timestamp, payload: &PhonePayload) -> Option<String> {
    let readable = Some(payload.payload()).filter(|_| !payload.is_encrypted());
    let said = readable.map(|payload| format!(r#""payload":"{}","#, payload.as_str()));
    let verified = item.phone().and_then(|phone| phone.verified.as_ref());
    let pay = verified.map(|verified| format!(r#""pay":"{}","#, verified.pay));
    let user = verified.map(|verified| verified.user.as_str());
    let user = user.map(|user| format!(r#","verifiedPublicUserId":"{user}""#));
    let [pay, said, user] = [pay, said, user].map(Option::unwrap_or_default);
    body(item, at, "confirmed", &format!("{pay}{said}"), &user)
}

/// Returns the webhook body for a denied login in the same way.
fn denied_body(
    item: &Login,
    at: Timestamp,
    payload: &DenialPayload,
    reason: Option<DenyReason>,
) -> Option<String> {
    let reason = reason.map_or("", |_| r#""reason":"key_mismatch","#);
    let said = format!(r#""payload":"{}",{reason}"#, payload.as_str());
    body(item, at, "denied", &said, "")
}

fn body(item: &Login, at: Timestamp, result: &str, said: &str, last: &str) -> Option<String> {
    item.callback.as_ref()?;
    let user = item.phone().and_then(|phone| phone.user.as_ref());
    let user = user.map(|user| format!(r#""claimedPublicUserId":"{}","#, user.as_str()));
    let user = user.unwrap_or_default();
    Some(format!(
        r#"{{{user}"event":"login.{result}",{said}"result":"{result}","sessionId":"{}","timestamp":"{at}"{last}}}"#,
        item.id,
    ))
}
