//! The app server's use cases for an existing login. Its API key identifies the app.

use super::browser::cancel_by;
use super::{LoginError, LoginPorts};
use crate::app::scope::Scope;
use crate::login::{Login, Refusal, Status};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;

/// A login as the app's server sees it. Callers MUST NOT return a confirmed payload: the server gets
/// it from the browser, which proves that the login belongs to that browser.
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
/// Fails if the caller has no such login, if the login has ended, or if the store fails.
pub async fn cancel_for_app(
    ports: LoginPorts<'_>,
    id: LoginId,
    scope: Scope<'_>,
) -> Result<(), LoginError> {
    let found = ports.store.find::<Login>(id, ports.clock.now()).await?;
    let login = found.filter(|item| scope.has(&item.app, item.test));
    let login = login.ok_or(Refusal::Unknown)?;
    // A login's app, browser and test flag never change, so this write need not be conditional on them.
    cancel_by(ports, id, &login.browser_token).await
}
