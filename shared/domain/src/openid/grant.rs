//! Grants: what a person's proof gives the client. A grant begins with a code, which the client exchanges for tokens.
//!
//! Code and access token are one document. Exchanging the code is therefore one conditional write: of two attempts at the
//! same time one succeeds, and a second use ends the access token (RFC 6749, section 4.1.2).

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use super::code::{AuthorizationCode, GrantId};

use super::Method;
use super::access_token::{self, AccessToken, AccessTokenHash};
use super::pkce::Challenge;
use super::sealed::RETURN_VALIDITY;
use super::subject::Sub;
use crate::delivery::Decision;
use crate::primitives::ids::{AppId, ConfirmationId, LoginId};
use crate::primitives::time::Timestamp;
use crate::web::redirect_uri::RedirectUri;

/// Time for which a code can be exchanged.
pub const CODE_VALIDITY: Duration = Duration::from_mins(1);

/// Time for which a grant is kept: until no page can ask for its code again, and its access token is over.
const KEPT: Duration = RETURN_VALIDITY.saturating_add(access_token::VALIDITY);

/// The session in which the person gave the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The confirmation, which has the number. It is the only document that does, so erasing the number there ends the
    /// grant.
    Confirmation(ConfirmationId),
    Login(LoginId),
}

/// What a person's proof gives a client.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The client.
    pub app: AppId,
    /// The address to which the code was sent.
    #[serde(rename = "uri")]
    pub redirect_uri: RedirectUri,
    pub challenge: Option<Challenge>,
    /// The client's value for the ID token.
    pub nonce: Option<Nonce>,
    /// True if the client gets the number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub phone: bool,
    pub proof: Proof,
    pub method: Method,
    pub sub: Sub,
    /// Time of the proof.
    #[serde(rename = "proven")]
    pub proven_at: Timestamp,
    /// Time at which the code was issued.
    #[serde(rename = "issued")]
    pub issued_at: Timestamp,
    pub state: GrantState,
    /// Treated as deleted from this time, even if still stored.
    pub purge_at: Timestamp,
}

/// A client's `nonce`. `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nonce(pub String);

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nonce(…)")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantState {
    /// The code was not used yet.
    Issued,
    /// The code was exchanged for this access token.
    Exchanged {
        at: Timestamp,
        token: AccessTokenHash,
    },
    /// The code was used twice, so everything issued from it has ended.
    Ended { at: Timestamp },
}

/// Why a code or a token has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrantRefusal {
    /// There is no such code or token.
    Unknown,
    /// The code was issued to another client.
    OtherClient,
    /// The time is over.
    Expired,
    /// The code was used before.
    Used,
    /// The redirect URI is not the one to which the code was sent.
    OtherRedirectUri,
    /// The verifier does not belong to the challenge, is missing, or was sent although there was no challenge.
    WrongVerifier,
    /// The number was erased.
    Erased,
}

/// The client's part of an exchange, once the client is authenticated.
#[derive(Clone, Copy)]
pub struct Exchange<'a> {
    pub app: &'a AppId,
    pub redirect_uri: &'a str,
    pub verifier: Option<&'a str>,
}

impl Grant {
    /// Returns the time until which a grant that begins now is kept.
    #[must_use]
    pub fn kept_until(now: Timestamp) -> Timestamp {
        now.plus(KEPT)
    }

    /// Returns whether the code can still be exchanged.
    #[must_use]
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        self.state == GrantState::Issued && now.since(self.issued_at) < CODE_VALIDITY
    }

    /// Checks that the client may exchange the code now. A check that fails changes nothing: a stranger who has the code
    /// but not the rest must not be able to use it up.
    ///
    /// # Errors
    /// Fails with the first rule that the exchange breaks.
    pub fn check(&self, exchange: Exchange<'_>, now: Timestamp) -> Result<(), GrantRefusal> {
        if self.app != *exchange.app {
            return Err(GrantRefusal::OtherClient);
        }
        if self.state != GrantState::Issued {
            return Err(GrantRefusal::Used);
        }
        if now.since(self.issued_at) >= CODE_VALIDITY {
            return Err(GrantRefusal::Expired);
        }
        if self.redirect_uri.as_str() != exchange.redirect_uri {
            return Err(GrantRefusal::OtherRedirectUri);
        }
        // A verifier without a challenge means that somebody removed the challenge from the request (RFC 9700, section
        // 4.8.2).
        let fits = match (&self.challenge, exchange.verifier) {
            (None, None) => true,
            (Some(challenge), Some(verifier)) => challenge.fits(verifier),
            (None, Some(_)) | (Some(_), None) => false,
        };
        if fits {
            Ok(())
        } else {
            Err(GrantRefusal::WrongVerifier)
        }
    }
}

/// Exchanges a code for an access token. A second use by the same client ends what the first one gave.
#[must_use]
pub fn exchange(
    current: Option<Grant>,
    exchange: Exchange<'_>,
    token: &AccessToken,
    now: Timestamp,
) -> Decision<Grant, Result<(), GrantRefusal>> {
    let Some(mut grant) = live(current, now) else {
        return Decision::refuse(Err(GrantRefusal::Unknown));
    };
    match grant.check(exchange, now) {
        Ok(()) => {
            grant.state = GrantState::Exchanged {
                at: now,
                token: token.hash(),
            };
            grant.purge_at = grant.purge_at.max(now.plus(access_token::VALIDITY));
            Decision {
                outcome: Ok(()),
                write: Some(grant),
            }
        }
        Err(GrantRefusal::Used) => {
            let is_in_use = matches!(grant.state, GrantState::Exchanged { .. });
            grant.state = GrantState::Ended { at: now };
            Decision {
                outcome: Err(GrantRefusal::Used),
                write: is_in_use.then_some(grant),
            }
        }
        Err(refusal) => Decision::refuse(Err(refusal)),
    }
}

/// Returns the grant of an access token that is valid.
///
/// # Errors
/// Fails if there is no such token, or if its time is over.
pub fn of_token(
    current: Option<Grant>,
    token: &AccessToken,
    now: Timestamp,
) -> Result<Grant, GrantRefusal> {
    let grant = live(current, now).ok_or(GrantRefusal::Unknown)?;
    match &grant.state {
        GrantState::Exchanged { at, token: known } if *known == token.hash() => {
            if now.since(*at) < access_token::VALIDITY {
                Ok(grant)
            } else {
                Err(GrantRefusal::Expired)
            }
        }
        _ => Err(GrantRefusal::Unknown),
    }
}

fn live(current: Option<Grant>, now: Timestamp) -> Option<Grant> {
    current.filter(|grant| now < grant.purge_at)
}
