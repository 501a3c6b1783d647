//! Deciding logins: `POST /qr-sessions/{id}/confirm` and `/deny`.

use super::proof::verified_user;
use super::{LoginError, LoginPorts};
use crate::event::LoginEvent;
use crate::login::history::{NameOutcome, NewNames};
use crate::login::risk::{BrowserMark, ConfirmedLogin};
use crate::login::transitions::{self, Denial, PhoneConfirmation};
use crate::login::{
    DenialPayload, DenyReason, Login, MobileToken, Phone, PhonePayload, Refusal, UserKey,
    VerifiedUser,
};
use crate::primitives::ids::{AppId, LoginId};
use crate::primitives::time::Timestamp;

/// Confirms a login that this phone opened. Repeating the same confirmation succeeds again.
///
/// # Errors
///
/// Fails if the phone has no such login, if the login cannot be confirmed, if its proof is missing
/// or invalid, or if a port fails.
pub async fn confirm(
    ports: LoginPorts<'_>,
    id: LoginId,
    token: &MobileToken,
    payload: PhonePayload,
) -> Result<(), LoginError> {
    let now = ports.clock.now();
    let read = ports.store.read::<Login>(id).await?;
    let hash = token.hash();
    let is_opener = |item: &&Login| item.phone().is_some_and(|phone| phone.token == hash);
    let own = read
        .entity()
        .filter(|item| now < item.purge_at)
        .filter(is_opener);
    let app = ports.app_of(own).await?;
    let app = app.as_deref();
    let verified = match own.zip(app) {
        Some((login, app)) => verified_user(ports, login, app, &payload, now).await?,
        None => None,
    };
    let settings = app.map(|app| &app.login);
    let answer = PhoneConfirmation {
        token: hash,
        fingerprint: token.fingerprint(&payload),
        payload,
        verified,
    };
    let decide = |current| {
        let confirm = |current| transitions::confirm(current, answer.clone(), now);
        transitions::unless_withdrawn(current, settings, Refusal::Withdrawn, now, confirm)
    };
    let ((), confirmed) = ports.change_read(read, decide, now).await?;
    if let Some(login) = confirmed {
        let ports = ports.about(&login);
        ports.count(LoginEvent::Confirmed, Some(&login.app));
        ports.queue_webhook(&login).await;
        if !login.test {
            remember(ports, &login, now).await;
        }
    }
    Ok(())
}

/// Denies a login that this phone opened. Repeating the denial succeeds again and is counted only
/// once. A denial with a reason blocks the login, and does not count against the browser's address.
///
/// # Errors
///
/// Fails if the phone has no such login, if the login cannot be denied, or if the store fails.
pub async fn deny(
    ports: LoginPorts<'_>,
    id: LoginId,
    token: &MobileToken,
    payload: DenialPayload,
    reason: Option<DenyReason>,
) -> Result<(), LoginError> {
    let now = ports.clock.now();
    let denial = Denial {
        token: token.hash(),
        payload,
        reason,
    };
    let decide = |current| transitions::deny(current, denial.clone(), now);
    let ((), denied) = ports.change(id, decide, now).await?;
    let Some(login) = denied else { return Ok(()) };
    let ports = ports.about(&login);
    let event = match reason {
        None => LoginEvent::Denied,
        Some(DenyReason::KeyMismatch) => LoginEvent::KeyMismatch,
    };
    ports.count(event, Some(&login.app));
    ports.queue_webhook(&login).await;
    // A server has the same address for all its users, and tests say nothing about real users.
    if reason.is_none() && login.has_seen_browser() && !login.test {
        note_denial(ports, &login, now).await;
    }
    Ok(())
}

/// Records a denial in the history. The login is already denied, so failures are only counted.
async fn note_denial(ports: LoginPorts<'_>, login: &Login, now: Timestamp) {
    let (app, block) = (&login.app, login.browser.block());
    if ports.store.note_denial(app, block, now).await.is_err() {
        ports.count(LoginEvent::HistoryFailed, Some(app));
    }
}

/// Records a confirmed login in the history of the verified user, otherwise of the name that the
/// phone claimed. The login is already confirmed, so failures are only counted.
async fn remember(ports: LoginPorts<'_>, login: &Login, now: Timestamp) {
    let Some(phone) = login.phone() else { return };
    let confirmed = ConfirmedLogin {
        browser: BrowserMark::from_sighting(&login.browser),
        coordinates: phone.sighting.place.coordinates,
        at: now,
    };
    if let Some(VerifiedUser { user, .. }) = login.verified_user() {
        // Only the app's server registers keys, so the number of their owners needs no limit.
        let key = user.verified_key(&login.app);
        let noted = ports.store.note_confirmation(key, confirmed).await;
        if noted.is_err() {
            ports.count(LoginEvent::HistoryFailed, Some(&login.app));
        }
    } else if let Some(user) = &phone.user {
        let key = user.claimed_key(&login.app);
        remember_claim(ports, &login.app, phone, (key, confirmed)).await;
    }
}

/// Records a login that was confirmed under a claimed name. App keys are public, so anyone can
/// confirm their own logins under any name: new names are limited.
async fn remember_claim(
    ports: LoginPorts<'_>,
    app: &AppId,
    phone: &Phone,
    (key, confirmed): (UserKey, ConfirmedLogin),
) {
    let (address, now) = (phone.sighting.address, confirmed.at);
    let new_names = ports.names.take(app, address, now);
    let noted = ports.store.note_name(key, confirmed, new_names).await;
    match (&noted, new_names) {
        (Ok(NameOutcome::LeftOut), _) => ports.count(LoginEvent::NameLimited, Some(app)),
        (Ok(NameOutcome::Known), NewNames::Remember) => ports.names.give_back(app, address, now),
        (Ok(NameOutcome::New | NameOutcome::Known), _) => {}
        (Err(_), _) => ports.count(LoginEvent::HistoryFailed, Some(app)),
    }
}
