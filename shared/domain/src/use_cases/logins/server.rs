//! The use cases of the app's server about a login that exists. Its API key names the app.

use super::browser::cancel_by;
use super::{LoginError, LoginPorts};
use crate::app::scope::Scope;
use crate::login::{Login, Refusal, Status};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;

/// A login as the app's server sees it. Callers MUST NOT answer a confirmed payload: the server gets
/// it from the browser, which shows that it is that browser's.
#[derive(Clone, Debug)]
pub struct InspectedLogin {
    pub login: Login,
    pub status: Status,
    /// Time of the answer.
    pub server_time: Timestamp,
}

/// Returns a login to the server of its app: `GET /qr-sessions/{id}`.
///
/// # Errors
///
/// Fails if the caller has no such login, or if the store fails.
pub async fn inspect(
    ports: LoginPorts<'_>,
    id: LoginId,
    scope: Scope<'_>,
) -> Result<InspectedLogin, LoginError> {
    let now = ports.clock.now();
    let found = ports.store.find::<Login>(id, now).await?;
    let login = found.filter(|item| scope.has(&item.app, item.test));
    let login = login.ok_or(Refusal::Unknown)?;
    Ok(InspectedLogin {
        status: login.status(now),
        login,
        server_time: now,
    })
}

/// Cancels a login for the server of its app: `DELETE /qr-sessions/{id}`.
///
/// # Errors
///
/// Fails if the caller has no such login, if it has ended, or if the store fails.
pub async fn cancel_for_app(
    ports: LoginPorts<'_>,
    id: LoginId,
    scope: Scope<'_>,
) -> Result<(), LoginError> {
    let found = ports.store.find::<Login>(id, ports.clock.now()).await?;
    let login = found.filter(|item| scope.has(&item.app, item.test));
    let login = login.ok_or(Refusal::Unknown)?;
    // Neither a login's app nor its browser ever changes, nor whether it is a test, so this write needs no condition on them.
    cancel_by(ports, id, &login.browser_token).await
}
