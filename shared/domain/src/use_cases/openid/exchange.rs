//! Exchanging a code for tokens: `POST /token`.

use thiserror::Error;

use super::OpenIdPorts;
use super::user_info::number_of;
use crate::app::App;
use crate::openid::access_token::AccessToken;
use crate::openid::grant::{self, AuthorizationCode, Exchange, Grant, GrantId, GrantRefusal};
use crate::openid::id_token::{Claims, Statement};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::store::Key;

/// What the client gets for a code.
#[derive(Debug)]
pub struct Tokens {
    pub access_token: AccessToken,
    /// The ID token, signed. Secret, because it may contain the number.
    pub id_token: IdToken,
    /// True if the client may get the number.
    pub phone: bool,
}

/// A signed ID token. `Debug` hides it.
pub struct IdToken(pub String);

impl std::fmt::Debug for IdToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IdToken(…)")
    }
}

/// Why the client gets nothing.
#[derive(Debug, Error)]
pub enum ExchangeError {
    #[error("the code has no effect")]
    Refused(GrantRefusal),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<GrantRefusal> for ExchangeError {
    fn from(refusal: GrantRefusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Exchanges a code for tokens. The client must be authenticated.
///
/// The token is signed before the code is used up, so that a failure of the signer leaves the code to the client's next
/// attempt.
///
/// # Errors
/// Fails if the code has no effect for this client, or if a port fails.
pub async fn exchange(
    ports: OpenIdPorts<'_>,
    app: &App,
    code: &AuthorizationCode,
    redirect_uri: &str,
    verifier: Option<&str>,
) -> Result<Tokens, ExchangeError> {
    let now = ports.common.clock.now();
    let (store, id) = (ports.common.store, GrantId::of(code));
    let exchange = Exchange {
        app: &app.id,
        redirect_uri,
        verifier,
    };
    let read = store.read::<Grant>(Key::Grant(id)).await?;
    let token = AccessToken::generate(id, ports.common.entropy);
    let decide = |current| grant::exchange(current, exchange, &token, now);
    let fresh = read
        .entity()
        .filter(|grant| grant.check(exchange, now).is_ok());
    let Some(fresh) = fresh.cloned() else {
        // Decides about the reason, and ends what an earlier use has given.
        let (outcome, _) = store.change_read(read, decide).await?;
        let refusal = outcome.err().unwrap_or(GrantRefusal::Unknown);
        return Err(refusal.into());
    };
    let id_token = sign(ports, app, &fresh, &token, now).await?;
    let (outcome, _) = store.change_read(read, decide).await?;
    outcome?;
    Ok(Tokens {
        access_token: token,
        id_token: IdToken(id_token),
        phone: fresh.phone,
    })
}

async fn sign(
    ports: OpenIdPorts<'_>,
    app: &App,
    grant: &Grant,
    token: &AccessToken,
    now: Timestamp,
) -> Result<String, ExchangeError> {
    let number = number_of(ports.common, grant, now).await??;
    let claim = token.claim();
    let statement = Statement {
        issuer: ports.issuer,
        sub: grant.sub.as_str(),
        audience: app.app_key.as_str(),
        nonce: grant.nonce.as_ref().map(|nonce| nonce.0.as_str()),
        method: grant.method,
        proven_at: grant.proven_at,
        access_token: &claim,
        number: number.as_ref().filter(|_| grant.phone),
    };
    Ok(Claims::new(statement, now).sign(ports.signer).await?)
}
