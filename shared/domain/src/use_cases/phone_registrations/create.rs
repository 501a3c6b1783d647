//! Creating registrations: `POST /phone-registrations`.

use thiserror::Error;

use super::SetupPorts;
use crate::app::App;
use crate::app::api_key::KeyMode;
use crate::app::key_label::KeyLabel;
use crate::app::quota::{Allowance, QuotaExceeded};
use crate::login::ClaimedUserId;
use crate::login::phone_registration::{
    PhoneRegistration, SetupPageToken, SetupSecret, SetupState,
};
use crate::primitives::ids::PhoneRegistrationId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::store::StartRegistrationOutcome;

/// A request to set up a phone.
#[derive(Clone, Debug)]
pub struct CreateRequest<'a> {
    pub app: &'a App,
    /// The mode of the caller's key. A test key makes registrations of test keys.
    pub mode: KeyMode,
    /// The user whose phone is set up.
    pub owner: ClaimedUserId,
    /// The phone's name.
    pub label: Option<KeyLabel>,
    /// The app's quota of association keys.
    pub allowance: Allowance,
}

/// A new registration.
#[derive(Clone, Debug)]
pub struct Created {
    pub id: PhoneRegistrationId,
    /// The link that the phone opens. It contains the secret, so it must not be logged.
    pub url: String,
    /// The token of the app's page.
    pub page_token: SetupPageToken,
    pub expires_at: Timestamp,
    pub server_time: Timestamp,
}

/// The reason why no registration was created.
#[derive(Debug, Error)]
pub enum CreateError {
    #[error("a phone of ANON cannot be set up, because it would not identify a user")]
    Anonymous,
    #[error("the app has not turned the web authenticator on")]
    Off,
    /// Another app has the host, too, which settings do not allow: someone else has changed the store.
    #[error("another app has the same link host")]
    HostShared,
    #[error("the user had too many registrations in the last day")]
    TooMany,
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Creates a registration, and returns its link.
///
/// # Errors
///
/// Fails if the app does not have the web authenticator, if the app or the user has too many registrations, or if the
/// store fails.
pub async fn create(
    ports: SetupPorts<'_>,
    request: CreateRequest<'_>,
) -> Result<Created, CreateError> {
    let CreateRequest {
        app,
        mode,
        owner,
        label,
        allowance,
    } = request;
    if owner.is_anonymous() {
        return Err(CreateError::Anonymous);
    }
    let host = app.login.link_host.clone().filter(|_| app.login.web_phone);
    let host = host.ok_or(CreateError::Off)?;
    let there = ports.store.apps_of_link_host(&host).await?;
    if there.iter().any(|other| other.id != app.id) {
        return Err(CreateError::HostShared);
    }
    let now = ports.clock.now();
    let id = PhoneRegistrationId::generate(ports.entropy);
    let secret = SetupSecret::generate(ports.entropy);
    let page_token = SetupPageToken::generate(ports.entropy);
    let url = format!(
        "{}://{host}/phone-setup#{id}.{}",
        host.scheme(),
        secret.reveal()
    );
    let item = PhoneRegistration {
        id,
        app: app.id.clone(),
        owner,
        label,
        host,
        test: mode == KeyMode::Test,
        page_token: page_token.hash(),
        secret: secret.hash(),
        callback: app.login.callback.clone(),
        created_at: now,
        state: SetupState::Created {},
        notice: None,
        purge_at: PhoneRegistration::kept_until(now),
    };
    let expires_at = item.expires_at();
    match ports
        .store
        .start_phone_registration(item, allowance, now)
        .await?
    {
        StartRegistrationOutcome::Created => Ok(Created {
            id,
            url,
            page_token,
            expires_at,
            server_time: now,
        }),
        StartRegistrationOutcome::TooMany => Err(CreateError::TooMany),
        StartRegistrationOutcome::Exceeded(exceeded) => Err(exceeded.into()),
    }
}
