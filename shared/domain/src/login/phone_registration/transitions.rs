//! Transitions of phone registrations.

#[cfg(test)]
mod properties;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use thiserror::Error;

use super::credential::SetupSecretHash;
use super::state::{Failure, NewPhoneKey, PhoneRegistration, SetupPhone, SetupState, SetupStatus};
use super::tokens::{RegistrationToken, SetupPageTokenHash, SetupPhoneTokenHash};
use crate::app::App;
use crate::app::scope::Scope;
use crate::delivery::{Decision, Delivery, MAX_RETRY_WINDOW};
use crate::login::check_code::{CheckCode, MissedCodes};
use crate::primitives::time::Timestamp;

/// The reason why a registration refuses a request of its page, its phone or its app's server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SetupRefusal {
    /// The registration does not exist for this caller. Callers who cannot prove that it is theirs also get this
    /// answer.
    #[error("there is no such registration")]
    Unknown,
    #[error("the registration has expired")]
    Expired,
    #[error("another phone has opened the link")]
    AlreadyOpened,
    #[error("no phone has shown the digits yet")]
    NotSigned,
    /// The phone proved its key before, with a different request.
    #[error("the phone has already signed, with another request")]
    SignedDifferently,
    #[error("the phone is set up")]
    Completed,
    #[error("the registration has failed")]
    Failed(Failure),
    #[error("the digits are wrong")]
    DigitsWrong {
        /// Number of different wrong digits that still end the registration; at least 1.
        tries_left: u8,
    },
    /// The digits were wrong too often, and the registration has ended.
    #[error("the digits were wrong too often")]
    DigitsBlocked,
    /// The app's settings no longer allow the registration.
    #[error("the app's settings no longer allow the registration")]
    Withdrawn,
}

type Outcome<T> = Decision<PhoneRegistration, Result<T, SetupRefusal>>;

const fn refuse<T>(refusal: SetupRefusal) -> Outcome<T> {
    Decision::refuse(Err(refusal))
}

/// Returns the registration, unless it counts as deleted or is not the caller's.
fn own(
    current: Option<PhoneRegistration>,
    now: Timestamp,
    is_own: impl FnOnce(&PhoneRegistration) -> bool,
) -> Result<PhoneRegistration, SetupRefusal> {
    current
        .filter(|item| now < item.purge_at && is_own(item))
        .ok_or(SetupRefusal::Unknown)
}

/// Returns why a registration that is over refuses everything; `None` while it is open.
fn ended(item: &PhoneRegistration, now: Timestamp) -> Option<SetupRefusal> {
    match (&item.state, item.status(now)) {
        (SetupState::Accepted { .. } | SetupState::Completed { .. }, _) => {
            Some(SetupRefusal::Completed)
        }
        (SetupState::Failed { reason, .. }, _) => Some(SetupRefusal::Failed(*reason)),
        (_, SetupStatus::Expired) => Some(SetupRefusal::Expired),
        _ => None,
    }
}

/// Applies a transition if the app's settings still allow the registration: the app exists, has the web authenticator at
/// the host of the link, and accepts the phone's key. `app` is the current app.
#[must_use]
pub fn unless_withdrawn<T>(
    current: Option<PhoneRegistration>,
    app: Option<&App>,
    decide: impl FnOnce(Option<PhoneRegistration>) -> Outcome<T>,
) -> Outcome<T> {
    let allows = |item: &PhoneRegistration| {
        app.is_some_and(|app| {
            app.login.web_phone
                && app.login.link_host.as_ref() == Some(&item.host)
                && item
                    .proved_key()
                    .is_none_or(|key| key.kind.is_accepted_by(&app.login))
        })
    };
    let is_withdrawn = current.as_ref().is_some_and(|item| !allows(item));
    let decision = decide(current);
    if is_withdrawn && decision.write.is_some() {
        return refuse(SetupRefusal::Withdrawn);
    }
    decision
}

/// Opens the link on a phone. The first phone may repeat this; every other phone is refused.
#[must_use]
pub fn open(
    current: Option<PhoneRegistration>,
    secret: &SetupSecretHash,
    phone: SetupPhone,
    now: Timestamp,
) -> Outcome<Box<PhoneRegistration>> {
    let mut item = match own(current, now, |item| item.secret == *secret) {
        Ok(item) => item,
        Err(refusal) => return refuse(refusal),
    };
    match item.phone() {
        Some(first) if first.token != phone.token => refuse(SetupRefusal::AlreadyOpened),
        first => {
            let is_repeated = first.is_some();
            if let Some(refusal) = ended(&item, now) {
                return refuse(refusal);
            }
            if is_repeated {
                return Decision::refuse(Ok(Box::new(item)));
            }
            item.state = SetupState::Opened { phone };
            Decision {
                outcome: Ok(Box::new(item.clone())),
                write: Some(item),
            }
        }
    }
}

/// Stores the key that the phone has proved, and returns the digits to show. The phone may repeat the request.
#[must_use]
pub fn sign(
    current: Option<PhoneRegistration>,
    phone: &SetupPhoneTokenHash,
    key: NewPhoneKey,
    digits: CheckCode,
    now: Timestamp,
) -> Outcome<CheckCode> {
    let fits = |item: &PhoneRegistration| item.phone().is_some_and(|it| it.token == *phone);
    let mut item = match own(current, now, fits) {
        Ok(item) => item,
        Err(refusal) => return refuse(refusal),
    };
    if let Some(refusal) = ended(&item, now) {
        return refuse(refusal);
    }
    match item.state {
        SetupState::Opened { phone } => {
            item.state = SetupState::Signed {
                phone,
                key,
                digits,
                missed: MissedCodes::default(),
            };
            Decision {
                outcome: Ok(digits),
                write: Some(item),
            }
        }
        SetupState::Signed {
            key: known, digits, ..
        } if known.request == key.request => Decision::refuse(Ok(digits)),
        _ => refuse(SetupRefusal::SignedDifferently),
    }
}

/// Compares the digits that the user typed into the app's page. After this only the registration of the key can
/// follow. Repeating it succeeds again.
#[must_use]
pub fn check_digits(
    current: Option<PhoneRegistration>,
    page: &SetupPageTokenHash,
    typed: CheckCode,
    now: Timestamp,
) -> Outcome<()> {
    let mut item = match own(current, now, |item| item.page_token == *page) {
        Ok(item) => item,
        Err(refusal) => return refuse(refusal),
    };
    match ended(&item, now) {
        Some(SetupRefusal::Completed) => return Decision::refuse(Ok(())),
        Some(SetupRefusal::Failed(Failure::WrongDigits)) => {
            return refuse(SetupRefusal::DigitsBlocked);
        }
        Some(refusal) => return refuse(refusal),
        None => {}
    }
    let SetupState::Signed {
        phone,
        key,
        digits,
        missed,
    } = item.state
    else {
        return refuse(SetupRefusal::NotSigned);
    };
    if typed == digits {
        item.state = SetupState::Accepted { phone, key };
        return Decision {
            outcome: Ok(()),
            write: Some(item),
        };
    }
    if missed.contains(typed) {
        return refuse(SetupRefusal::DigitsWrong {
            tries_left: missed.tries_left(),
        });
    }
    let outcome = if let Some(missed) = missed.with(typed) {
        let tries_left = missed.tries_left();
        item.state = SetupState::Signed {
            phone,
            key,
            digits,
            missed,
        };
        SetupRefusal::DigitsWrong { tries_left }
    } else {
        item.state = SetupState::Failed {
            reason: Failure::WrongDigits,
            phone: Some(phone),
            at: now,
        };
        SetupRefusal::DigitsBlocked
    };
    Decision {
        outcome: Err(outcome),
        write: Some(item),
    }
}

/// Records that the key is registered, or that it was refused. Several callers may do this at the same time.
#[must_use]
pub fn finish(
    current: Option<PhoneRegistration>,
    is_registered: bool,
    now: Timestamp,
) -> Decision<PhoneRegistration, Option<Box<PhoneRegistration>>> {
    let Some(mut item) = current.filter(|item| now < item.purge_at) else {
        return Decision::refuse(None);
    };
    let SetupState::Accepted { phone, key } = item.state else {
        return Decision::refuse(Some(Box::new(item)));
    };
    item.state = if is_registered {
        SetupState::Completed {
            phone,
            key: key.point.key_id(),
            kind: key.kind,
            at: now,
        }
    } else {
        SetupState::Failed {
            reason: Failure::KeyRefused,
            phone: Some(phone),
            at: now,
        }
    };
    if is_registered && item.callback.is_some() {
        item.notice = Some(Box::new(Delivery::pending(now)));
        item.purge_at = item.purge_at.max(now.plus(MAX_RETRY_WINDOW));
    }
    Decision {
        outcome: Some(Box::new(item.clone())),
        write: Some(item),
    }
}

/// A party of a registration.
#[derive(Clone, Copy, Debug)]
pub enum SetupParty<'a> {
    /// The app's server.
    Server(Scope<'a>),
    /// The app's page, or the phone.
    Device(&'a RegistrationToken),
}

impl SetupParty<'_> {
    /// Returns whether the registration is the party's.
    #[must_use]
    pub fn has(&self, item: &PhoneRegistration) -> bool {
        match self {
            Self::Server(scope) => scope.has(&item.app, item.test),
            Self::Device(token) => {
                token.is_of(&item.page_token, item.phone().map(|phone| &phone.token))
            }
        }
    }
}

/// Ends a registration without a key. Repeating this succeeds again.
#[must_use]
pub fn cancel(
    current: Option<PhoneRegistration>,
    by: SetupParty<'_>,
    now: Timestamp,
) -> Outcome<()> {
    let mut item = match own(current, now, |item| by.has(item)) {
        Ok(item) => item,
        Err(refusal) => return refuse(refusal),
    };
    match ended(&item, now) {
        Some(SetupRefusal::Failed(Failure::Cancelled)) => return Decision::refuse(Ok(())),
        Some(refusal) => return refuse(refusal),
        None => {}
    }
    let phone = item.phone().cloned();
    item.state = SetupState::Failed {
        reason: Failure::Cancelled,
        phone,
        at: now,
    };
    Decision {
        outcome: Ok(()),
        write: Some(item),
    }
}
