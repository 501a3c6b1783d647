//! Deciding a login: `POST /qr-sessions/{id}/confirm` and `/deny`.

use thiserror::Error;

use super::Ports;
use super::proof::{Refusal, verified_user};
use crate::event::LoginEvent;
use crate::login::history::{NameOutcome, NewNames};
use crate::login::risk::{BrowserMark, ConfirmedLogin};
use crate::login::transitions::{self, Answer, ConfirmOutcome, Denial, DenyOutcome};
use crate::login::{
    DenialPayload, DenyReason, Login, MobileToken, Opener, Phone, PhonePayload, Status, UserKey,
    VerifiedUser,
};
use crate::primitives::ids::{AppId, LoginId};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// The reason why a login was not confirmed.
#[derive(Debug, Error)]
pub enum ConfirmError {
    /// The phone has no such login.
    #[error("there is no such login")]
    Unknown,
    /// The risk is too high.
    #[error("the risk is too high to confirm the login")]
    Forbidden,
    /// The payload is encrypted although the browser has no key, or readable although it has one.
    #[error("the payload's encryption does not suit the browser")]
    Unsuitable,
    /// The login has a context, or its app requires proofs by registered keys, and there is none.
    #[error("the login needs a proof")]
    ProofRequired,
    /// The proof is false, or its key was revoked or is not the app's.
    #[error("the proof is invalid")]
    ProofInvalid,
    /// The proof's key belongs to another user than the one that the phone claimed.
    #[error("the proof is another user's")]
    ProofMismatch,
    /// The login had ended, or was confirmed with another payload.
    #[error("the login is {}", .0.as_str())]
    Ended(Status),
    /// The login has expired.
    #[error("the login has expired")]
    Expired,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<Refusal> for ConfirmError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown => Self::Unknown,
            Refusal::Invalid => Self::ProofInvalid,
            Refusal::Mismatch => Self::ProofMismatch,
            Refusal::Unavailable(cause) => Self::Unavailable(cause),
        }
    }
}

/// Confirms a login that this phone opened. Repeating the same confirmation succeeds again.
///
/// # Errors
///
/// Fails if the phone has no such login, if it cannot be confirmed, if its proof is missing or
/// invalid, or if a port fails.
pub async fn confirm(
    ports: Ports<'_>,
    id: LoginId,
    token: &MobileToken,
    payload: PhonePayload,
) -> Result<(), ConfirmError> {
    let now = ports.clock.now();
    let verified = verified_user(ports, id, token, &payload, now).await?;
    let answer = Answer {
        token: token.hash(),
        fingerprint: token.fingerprint(&payload),
        payload,
        verified,
    };
    let decide = |current| transitions::confirm(current, answer.clone(), now);
    match ports.store.change(id, decide).await? {
        ConfirmOutcome::Confirmed(login) => {
            ports.count(LoginEvent::Confirmed);
            ports.tell(&login, now).await;
            ports.notify(&login).await;
            remember(ports, &login, now).await;
            Ok(())
        }
        ConfirmOutcome::Repeated => Ok(()),
        ConfirmOutcome::Forbidden(login) => {
            ports.count(LoginEvent::ForbiddenConfirmed);
            ports.tell(&login, now).await;
            Err(ConfirmError::Forbidden)
        }
        ConfirmOutcome::StillForbidden => Err(ConfirmError::Forbidden),
        ConfirmOutcome::Unsuitable => Err(ConfirmError::Unsuitable),
        ConfirmOutcome::ProofRequired => Err(ConfirmError::ProofRequired),
        ConfirmOutcome::Ended(status) => Err(ConfirmError::Ended(status)),
        ConfirmOutcome::Expired => Err(ConfirmError::Expired),
        ConfirmOutcome::Unknown => Err(ConfirmError::Unknown),
    }
}

/// The reason why a login was not denied.
#[derive(Debug, Error)]
pub enum DenyError {
    /// The phone has no such login.
    #[error("there is no such login")]
    Unknown,
    /// The login had ended otherwise.
    #[error("the login is {}", .0.as_str())]
    Ended(Status),
    /// The login has expired.
    #[error("the login has expired")]
    Expired,
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Denies a login that this phone opened. Repeating the denial succeeds again and counts once. A
/// reason blocks the login; such a denial does not count against the browser's address.
///
/// # Errors
///
/// Fails if the phone has no such login, if it cannot be denied, or if the store fails.
pub async fn deny(
    ports: Ports<'_>,
    id: LoginId,
    token: &MobileToken,
    payload: DenialPayload,
    reason: Option<DenyReason>,
) -> Result<(), DenyError> {
    let now = ports.clock.now();
    let denial = Denial {
        token: token.hash(),
        payload,
        reason,
    };
    let decide = |current| transitions::deny(current, denial.clone(), now);
    match ports.store.change(id, decide).await? {
        DenyOutcome::Denied(login) => {
            ports.count(match reason {
                None => LoginEvent::Denied,
                Some(DenyReason::KeyMismatch) => LoginEvent::KeyMismatch,
            });
            ports.tell(&login, now).await;
            ports.notify(&login).await;
            // The address of a server is the same for everybody whom it asks.
            if reason.is_none() && login.opener == Opener::Page {
                note_denial(ports, &login, now).await;
            }
            Ok(())
        }
        DenyOutcome::Repeated => Ok(()),
        DenyOutcome::Ended(status) => Err(DenyError::Ended(status)),
        DenyOutcome::Expired => Err(DenyError::Expired),
        DenyOutcome::Unknown => Err(DenyError::Unknown),
    }
}

/// Records a denial in the history. The login is already denied, so failures are only counted.
async fn note_denial(ports: Ports<'_>, login: &Login, now: Timestamp) {
    let (app, block) = (&login.app, login.browser.block());
    if ports.store.note_denial(app, block, now).await.is_err() {
        ports.count(LoginEvent::HistoryFailed);
    }
}

/// Records a confirmed login in the history of the verified user, or else of the name that the phone
/// claimed. The login is already confirmed, so failures are only counted.
async fn remember(ports: Ports<'_>, login: &Login, now: Timestamp) {
    let Some(phone) = login.phone() else { return };
    let confirmed = ConfirmedLogin {
        browser: BrowserMark::of(&login.browser),
        coordinates: phone.sighting.place.coordinates,
        at: now,
    };
    if let Some(VerifiedUser { user, .. }) = login.verified_user() {
        // Only the app's server registers keys, so their owners need no limit.
        let key = user.verified_key(&login.app);
        let noted = ports.store.note_confirmation(key, confirmed).await;
        if noted.is_err() {
            ports.count(LoginEvent::HistoryFailed);
        }
    } else if let Some(user) = &phone.user {
        let key = user.claimed_key(&login.app);
        remember_claim(ports, &login.app, phone, (key, confirmed)).await;
    }
}

/// Records a login that was confirmed under a name. App keys are public, so anyone can confirm their
/// own logins under any name: new names are limited.
async fn remember_claim(
    ports: Ports<'_>,
    app: &AppId,
    phone: &Phone,
    (key, confirmed): (UserKey, ConfirmedLogin),
) {
    let (address, now) = (phone.sighting.address, confirmed.at);
    let new_names = ports.names.take(app, address, now);
    let noted = ports.store.note_name(key, confirmed, new_names).await;
    match (&noted, new_names) {
        (Ok(NameOutcome::LeftOut), _) => ports.count(LoginEvent::NameLimited),
        (Ok(NameOutcome::Known), NewNames::Remember) => ports.names.give_back(app, address, now),
        (Ok(NameOutcome::New | NameOutcome::Known), _) => {}
        (Err(_), _) => ports.count(LoginEvent::HistoryFailed),
    }
}
