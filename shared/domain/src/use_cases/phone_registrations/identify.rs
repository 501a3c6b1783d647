//! Finding the owner of a passkey: `POST /passkeys/identify`. A browser that forgot everything still has its passkeys.

use std::time::Duration;

use thiserror::Error;

use super::SetupPorts;
use crate::app::App;
use crate::login::proof_verifier::PasskeyIdentification;
use crate::login::{AssociationKey, KeyPoint, PasskeyAssertion};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Maximum difference between the phone's time and ours.
const TOLERANCE: Duration = Duration::from_mins(1);

/// A question whose passkey a phone has.
#[derive(Clone, Copy, Debug)]
pub struct IdentifyRequest<'a> {
    pub app: &'a App,
    pub assertion: &'a PasskeyAssertion,
    /// The phone's time, which the assertion covers.
    pub at: Timestamp,
}

/// The reason why no owner was found.
#[derive(Debug, Error)]
pub enum IdentifyError {
    #[error("the app has not turned the web authenticator on")]
    Off,
    #[error("the time differs from ours by more than a minute")]
    WrongTime,
    #[error("no user of the app has this passkey")]
    Unknown,
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Returns the key that made an assertion. There is no index: the keys that can have made it follow from its signature.
///
/// # Errors
///
/// Fails if no user of the app has the key, if the time is wrong, or if the store fails.
pub async fn identify(
    ports: SetupPorts<'_>,
    request: IdentifyRequest<'_>,
) -> Result<AssociationKey, IdentifyError> {
    let IdentifyRequest { app, assertion, at } = request;
    let host = app.login.link_host.as_ref().filter(|_| app.login.web_phone);
    let host = host.ok_or(IdentifyError::Off)?;
    let now = ports.clock.now();
    if at.since(now).max(now.since(at)) > TOLERANCE {
        return Err(IdentifyError::WrongTime);
    }
    let asked = PasskeyIdentification {
        host,
        app: &app.app_key,
        at,
    };
    let points = ports.proofs.recover_keys(&asked, assertion);
    let ids: Vec<_> = points.iter().map(KeyPoint::key_id).collect();
    for id in &ids {
        let found = ports.store.find_association_key(&app.id, *id).await?;
        if let Some(key) = found.filter(|key| is_usable(key, app)) {
            return Ok(key);
        }
    }
    let test = ports.store.find_test_key(&app.id, &ids, now).await?;
    test.filter(|key| is_usable(key, app))
        .ok_or(IdentifyError::Unknown)
}

/// Checks that a key is an active passkey that the app accepts.
fn is_usable(key: &AssociationKey, app: &App) -> bool {
    let kind = key.kind();
    kind.is_some_and(|kind| kind.passkey().is_some() && kind.is_accepted_by(&app.login))
}
