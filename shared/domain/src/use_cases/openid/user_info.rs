//! What an access token reads: `/userinfo`.

use thiserror::Error;

use super::OpenIdPorts;
use crate::confirmation::Confirmation;
use crate::openid::access_token::AccessToken;
use crate::openid::grant::{self, Grant, GrantRefusal, Proof};
use crate::openid::subject::Sub;
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::store::Key;
use crate::use_cases::Ports;

/// The claims that an access token reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserInfo {
    pub sub: Sub,
    /// The verified number, if the client asked for it and a text proved it.
    pub number: Option<PhoneNumber>,
}

/// Why a token reads nothing.
#[derive(Debug, Error)]
pub enum UserInfoError {
    #[error("the token has no effect")]
    Refused(GrantRefusal),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Returns the claims that an access token reads.
///
/// # Errors
/// Fails if the token is not valid, if its client was deleted or the number erased, or if the store fails.
pub async fn user_info(
    ports: OpenIdPorts<'_>,
    token: &AccessToken,
) -> Result<UserInfo, UserInfoError> {
    let (store, now) = (ports.common.store, ports.common.clock.now());
    let found = store.get::<Grant>(Key::Grant(token.grant())).await?;
    let grant = grant::of_token(found, token, now).map_err(UserInfoError::Refused)?;
    if store.find_app(&grant.app).await?.is_none() {
        return Err(UserInfoError::Refused(GrantRefusal::Unknown));
    }
    let number = number_of(ports.common, &grant, now).await?;
    let number = number.map_err(UserInfoError::Refused)?;
    Ok(UserInfo {
        sub: grant.sub,
        number: number.filter(|_| grant.phone),
    })
}

/// Returns the number that a text proved, or `None` for a proof of another kind. Fails if the number was erased.
pub(super) async fn number_of(
    ports: Ports<'_>,
    grant: &Grant,
    now: Timestamp,
) -> Result<Result<Option<PhoneNumber>, GrantRefusal>, Unavailable> {
    let id = match grant.proof {
        Proof::Confirmation(id) => id,
        Proof::Login(_) => return Ok(Ok(None)),
    };
    let found = ports.store.find::<Confirmation>(id, now).await?;
    let number = found.as_ref().and_then(Confirmation::verified);
    let number = number.and_then(|verified| verified.phone_number.present());
    Ok(number.cloned().map(Some).ok_or(GrantRefusal::Erased))
}
