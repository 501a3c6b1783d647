//! Use cases of the app's page and server: watching a registration, its digits, and cancelling it.

use super::{SetupError, SetupPorts};
use crate::login::CheckCode;
use crate::login::phone_registration::transitions::{self, SetupParty, unless_withdrawn};
use crate::login::phone_registration::{PhoneRegistration, SetupPageToken, SetupRefusal};
use crate::primitives::ids::PhoneRegistrationId;
use crate::primitives::time::Timestamp;

/// A registration at a time.
#[derive(Clone, Debug)]
pub struct Viewed {
    pub registration: PhoneRegistration,
    /// Time of the answer, with which a device corrects its own clock.
    pub server_time: Timestamp,
}

/// Returns a registration to its app's server, its page or its phone: `GET /phone-registrations/{id}`.
///
/// # Errors
///
/// Fails if the caller has no such registration, or if the store fails.
pub async fn show(
    ports: SetupPorts<'_>,
    id: PhoneRegistrationId,
    party: SetupParty<'_>,
) -> Result<Viewed, SetupError> {
    let now = ports.clock.now();
    let found = ports.store.find::<PhoneRegistration>(id, now).await?;
    let own = found.filter(|item| party.has(item));
    let own = own.ok_or(SetupRefusal::Unknown)?;
    // An interrupted call may have left the key to be registered.
    let (registration, _) = ports.finish(own, now).await?;
    Ok(Viewed {
        registration,
        server_time: now,
    })
}

/// Compares the digits from the page with those on the phone, and registers the key:
/// `POST /phone-registrations/{id}/digits`. Repeating this succeeds again.
///
/// # Errors
///
/// Fails if the page has no such registration, if the digits are wrong, if the key cannot be registered, or if a port
/// fails.
pub async fn check_digits(
    ports: SetupPorts<'_>,
    id: PhoneRegistrationId,
    token: &SetupPageToken,
    typed: CheckCode,
) -> Result<(), SetupError> {
    let now = ports.clock.now();
    let page = token.hash();
    let read = ports.store.read::<PhoneRegistration>(id).await?;
    let own = read.entity().filter(|item| item.page_token == page);
    let app = ports.app_of(own).await?;
    let decide = |current| {
        let check = |current| transitions::check_digits(current, &page, typed, now);
        unless_withdrawn(current, app.as_deref(), check)
    };
    let (outcome, _) = ports.store.change_read(read, decide).await?;
    outcome?;
    let found = ports.store.find::<PhoneRegistration>(id, now).await?;
    let accepted = found.ok_or(SetupRefusal::Unknown)?;
    let (finished, refused) = ports.finish(accepted, now).await?;
    if let Some(refusal) = refused {
        return Err(refusal.into());
    }
    match (finished.registered(), finished.failure()) {
        (Some(_), _) => Ok(()),
        (None, Some(failure)) => Err(SetupRefusal::Failed(failure).into()),
        // The app was deleted meanwhile.
        (None, None) => Err(SetupRefusal::Withdrawn.into()),
    }
}

/// Ends a registration without a key: `DELETE /phone-registrations/{id}`. Repeating this succeeds again.
///
/// # Errors
///
/// Fails if the caller has no such registration, if it has ended otherwise, or if the store fails.
pub async fn cancel(
    ports: SetupPorts<'_>,
    id: PhoneRegistrationId,
    by: SetupParty<'_>,
) -> Result<(), SetupError> {
    let now = ports.clock.now();
    let decide = |current| transitions::cancel(current, by, now);
    Ok(ports.store.change(id, decide).await??)
}
