//! The person decides: `POST /qr-sessions/{id}/confirm` and `/deny`.

use thiserror::Error;

use super::Ports;
use crate::event::LoginEvent;
use crate::login::history::{NameOutcome, NewNames};
use crate::login::risk::{BrowserMark, ConfirmedLogin};
use crate::login::transitions::{Answer, ConfirmOutcome, DenyOutcome};
use crate::login::{Login, MobileToken, Payload, Status};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Why a session was not confirmed.
#[derive(Debug, Error)]
pub enum ConfirmError {
    /// The phone has no such session.
    #[error("there is no such session")]
    Unknown,
    /// The risk forbids it.
    #[error("the risk is too high to confirm")]
    Forbidden,
    /// The payload is encrypted where the browser has no key, or readable where it must not be.
    #[error("the payload is encrypted and must not be, or is not and must be")]
    Unsuitable,
    /// It had ended, or was confirmed otherwise.
    #[error("the session is {}", .0.as_str())]
    Ended(Status),
    /// The time is over.
    #[error("the session has expired")]
    Expired,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Confirms a session that this phone opened. The same confirmation again is answered the same.
pub async fn confirm(
    ports: Ports<'_>,
    id: LoginId,
    token: &MobileToken,
    payload: Payload,
) -> Result<(), ConfirmError> {
    let now = ports.clock.now();
    let answer = answer(token, payload);
    match ports.sessions.confirm(id, answer, now).await? {
        ConfirmOutcome::Confirmed(session) => {
            ports.count(LoginEvent::Confirmed);
            ports.tell(&session, now).await;
            ports.notify(&session).await;
            remember(ports, &session, now).await;
            Ok(())
        }
        ConfirmOutcome::Repeated => Ok(()),
        ConfirmOutcome::Forbidden(session) => {
            ports.count(LoginEvent::ForbiddenConfirmed);
            ports.tell(&session, now).await;
            Err(ConfirmError::Forbidden)
        }
        ConfirmOutcome::StillForbidden => Err(ConfirmError::Forbidden),
        ConfirmOutcome::Unsuitable => Err(ConfirmError::Unsuitable),
        ConfirmOutcome::Ended(status) => Err(ConfirmError::Ended(status)),
        ConfirmOutcome::Expired => Err(ConfirmError::Expired),
        ConfirmOutcome::Unknown => Err(ConfirmError::Unknown),
    }
}

/// Why a session was not denied.
#[derive(Debug, Error)]
pub enum DenyError {
    /// The phone has no such session.
    #[error("there is no such session")]
    Unknown,
    /// It had ended otherwise.
    #[error("the session is {}", .0.as_str())]
    Ended(Status),
    /// The time is over.
    #[error("the session has expired")]
    Expired,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Denies a session that this phone opened. Denied again it is answered the same, and counts once.
pub async fn deny(
    ports: Ports<'_>,
    id: LoginId,
    token: &MobileToken,
    payload: Payload,
) -> Result<(), DenyError> {
    let now = ports.clock.now();
    let answer = answer(token, payload);
    match ports.sessions.deny(id, answer, now).await? {
        DenyOutcome::Denied(session) => {
            ports.count(LoginEvent::Denied);
            ports.tell(&session, now).await;
            ports.notify(&session).await;
            let (app, block) = (&session.app, session.browser.block());
            if ports.history.note_denial(app, block, now).await.is_err() {
                ports.count(LoginEvent::HistoryFailed);
            }
            Ok(())
        }
        DenyOutcome::Repeated => Ok(()),
        DenyOutcome::Ended(status) => Err(DenyError::Ended(status)),
        DenyOutcome::Expired => Err(DenyError::Expired),
        DenyOutcome::Unknown => Err(DenyError::Unknown),
    }
}

fn answer(token: &MobileToken, payload: Payload) -> Answer {
    Answer {
        token: token.hash(),
        fingerprint: token.fingerprint(&payload),
        payload,
    }
}

/// Remembers a confirmation for the next login. It has been made, so that a failure here is counted
/// and nothing else.
async fn remember(ports: Ports<'_>, session: &Login, now: Timestamp) {
    let Some(phone) = session.phone() else { return };
    let Some(user) = &phone.user else { return };
    let login = ConfirmedLogin {
        browser: BrowserMark::of(&session.browser),
        coordinates: phone.sighting.place.coordinates,
        at: now,
    };
    let key = user.key(&session.app);
    // App keys are public, and so anybody can confirm logins of their own under any name.
    let (app, address) = (&session.app, phone.sighting.address);
    let new_names = ports.names.take(app, address, now);
    let noted = ports.history.note_name(key, login, new_names).await;
    match (&noted, new_names) {
        (Ok(NameOutcome::LeftOut), _) => ports.count(LoginEvent::NameLimited),
        (Ok(NameOutcome::Known), NewNames::Remember) => ports.names.give_back(app, address, now),
        (Ok(NameOutcome::New | NameOutcome::Known), _) => {}
        (Err(_), _) => ports.count(LoginEvent::HistoryFailed),
    }
}
