//! Returning to the client: `POST /authorize/finish`.

use thiserror::Error;

use super::{OpenIdPorts, Page};
use crate::app::openid::SignInMethod;
use crate::confirmation::{Confirmation, TextChannel, Verified};
use crate::delivery::Decision;
use crate::login::{Login, State};
use crate::openid::Method;
use crate::openid::grant::{Grant, GrantId, GrantState, Nonce, Proof};
use crate::openid::subject::{NumberSubject, Sub, UnfitUserId};
use crate::primitives::ids::LoginId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::store::Key;

/// Why the browser cannot return to the client.
#[derive(Debug, Error)]
pub enum FinishError {
    /// No text has verified a number for this page, the number was erased, or the page has no such login that was
    /// confirmed and redeemed.
    #[error("the person has not proven who they are")]
    NotVerified,
    /// A phone confirmed the login without a key that the app registered.
    #[error("the phone's key is not registered")]
    UnknownPhone,
    /// The owner of the phone's key has an id that cannot be a subject.
    #[error(transparent)]
    Unfit(#[from] UnfitUserId),
    /// The browser returned before, and the code is used or over.
    #[error("the request was answered before")]
    Answered,
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A proof that the person gave.
struct Proven {
    proof: Proof,
    method: Method,
    sub: Sub,
    at: Timestamp,
}

/// Returns the address at the client, with a code. The proof is the page's text, or the login that its element names.
/// Repeating this returns the same address as long as the code is fresh.
///
/// # Errors
/// Fails if the person has not proven who they are, if the request was answered before, or if a port fails.
pub async fn finish(
    ports: OpenIdPorts<'_>,
    page: Page<'_>,
    login: Option<LoginId>,
) -> Result<String, FinishError> {
    let (store, now) = (ports.common.store, ports.common.clock.now());
    let code = page.request.authorization_code(ports.secret, page.browser);
    let location = || page.request.request.location(&code, ports.issuer);
    let key = Key::Grant(GrantId::of(&code));
    if let Some(earlier) = store.get::<Grant>(key.clone()).await? {
        return if earlier.is_fresh(now) {
            Ok(location())
        } else {
            Err(FinishError::Answered)
        };
    }
    let proven = match login {
        Some(login) => by_login(ports, page, login, now).await?,
        None => by_text(ports, page, now).await?,
    };
    let grant = grant(page, proven, now);
    let decide = |current: Option<Grant>| match current {
        None => Decision {
            outcome: Ok(()),
            write: Some(grant.clone()),
        },
        Some(earlier) if earlier.is_fresh(now) => Decision::refuse(Ok(())),
        Some(_) => Decision::refuse(Err(FinishError::Answered)),
    };
    store.change(key, decide).await??;
    Ok(location())
}

/// Returns what the page's text has proven.
async fn by_text(
    ports: OpenIdPorts<'_>,
    page: Page<'_>,
    now: Timestamp,
) -> Result<Proven, FinishError> {
    let store = ports.common.store;
    let id = page
        .request
        .text_code(ports.secret, page.browser)
        .confirmation_id();
    let found = store.find::<Confirmation>(id, now).await?;
    let found = found.filter(|item| item.app == page.app.id && item.openid.is_some());
    let proven = found.as_ref().and_then(Confirmation::verified);
    let proven = proven.ok_or(FinishError::NotVerified)?;
    let number = proven.phone_number.present();
    let number = number.ok_or(FinishError::NotVerified)?;

    let subject = ports.secret.subject_key(&page.app.id, number);
    // The confirmation names the subject before there is one, so that erasing the number always finds it.
    if !store.note_subject(id, subject).await? {
        return Err(FinishError::NotVerified);
    }
    let fresh = NumberSubject::generate(ports.common.entropy);
    let silence = page.app.openid.subject_silence();
    let subject = store.log_in(subject, fresh, silence, now).await?;
    Ok(Proven {
        proof: Proof::Confirmation(id),
        method: method(proven),
        sub: subject.sub(),
        at: proven.at,
    })
}

/// Returns what a login has proven, if it was opened for this page. The browser has redeemed it, so the person is in front
/// of it as far as the app asks for that. The service verified the phone's proof when the person confirmed.
async fn by_login(
    ports: OpenIdPorts<'_>,
    page: Page<'_>,
    id: LoginId,
    now: Timestamp,
) -> Result<Proven, FinishError> {
    let mark = page.request.login_mark(ports.secret, page.browser);
    let found = ports.common.store.find::<Login>(id, now).await?;
    let found = found.filter(|login| login.app == page.app.id && login.openid == Some(mark));
    let allows = page.app.openid.methods.contains(SignInMethod::Code);
    let login = found.filter(|_| allows).ok_or(FinishError::NotVerified)?;
    let State::Consumed { confirmed_at, .. } = login.state else {
        return Err(FinishError::NotVerified);
    };
    let owner = login.verified_user().ok_or(FinishError::UnknownPhone)?;
    Ok(Proven {
        proof: Proof::Login(id),
        method: Method::Key,
        sub: Sub::of_user(&owner.user)?,
        at: confirmed_at,
    })
}

/// Returns the method of a text.
fn method(proven: &Verified) -> Method {
    let channel = proven.origin.as_ref().map(|origin| origin.channel);
    match channel {
        Some(TextChannel::WhatsApp) => Method::WhatsApp,
        Some(TextChannel::Sms | TextChannel::Modem | TextChannel::Simulated) | None => Method::Text,
    }
}

fn grant(page: Page<'_>, proven: Proven, now: Timestamp) -> Grant {
    let request = &page.request.request;
    Grant {
        app: page.app.id.clone(),
        redirect_uri: request.redirect_uri.clone(),
        challenge: request.challenge,
        nonce: request.nonce.clone().map(Nonce),
        phone: request.phone,
        proof: proven.proof,
        method: proven.method,
        sub: proven.sub,
        proven_at: proven.at,
        issued_at: now,
        state: GrantState::Issued,
        purge_at: Grant::kept_until(now),
    }
}
