//! Making a test login expire: `POST /qr-sessions/{id}/expire`.

use super::{LoginError, LoginPorts};
use crate::login::transitions;
use crate::primitives::ids::{AppId, LoginId};

/// Makes a test login expire immediately, so that the app's own tests can check answers to late requests. Repeating
/// this succeeds again.
///
/// # Errors
///
/// Fails if the app has no such test login, if the login has already ended, or if the store fails.
pub async fn expire(ports: LoginPorts<'_>, id: LoginId, app: &AppId) -> Result<(), LoginError> {
    let now = ports.clock.now();
    let decide = |current| transitions::expire(current, app, now);
    let ((), _) = ports.change(id, decide, now).await?;
    Ok(())
}
