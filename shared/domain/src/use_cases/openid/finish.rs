//! Returning to the client: `POST /authorize/finish`.

use thiserror::Error;

use super::{OpenIdPorts, Page};
use crate::confirmation::{Confirmation, TextChannel, Verified};
use crate::delivery::Decision;
use crate::openid::Method;
use crate::openid::grant::{Grant, GrantId, GrantState, Nonce, Proof};
use crate::openid::subject::{NumberSubject, Sub};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::store::Key;

/// Why the browser cannot return to the client.
#[derive(Debug, Error)]
pub enum FinishError {
    /// No text has verified a number for this page, or the number was erased.
    #[error("the person has not proven who they are")]
    NotVerified,
    /// The browser returned before, and the code is used or over.
    #[error("the request was answered before")]
    Answered,
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Returns the address at the client, with a code. Repeating this returns the same address as long as the code is fresh.
///
/// # Errors
/// Fails if the person has not proven who they are, if the request was answered before, or if a port fails.
pub async fn finish(ports: OpenIdPorts<'_>, page: Page<'_>) -> Result<String, FinishError> {
    let (store, now) = (ports.common.store, ports.common.clock.now());
    let id = page
        .request
        .text_code(ports.secret, page.browser)
        .confirmation_id();
    let code = page
        .request
        .authorization_code(ports.secret, page.browser, id.as_bytes());
    let location = || page.request.request.location(&code, ports.issuer);
    let key = Key::Grant(GrantId::of(&code));
    if let Some(earlier) = store.get::<Grant>(key.clone()).await? {
        return if earlier.is_fresh(now) {
            Ok(location())
        } else {
            Err(FinishError::Answered)
        };
    }
    let found = store.find::<Confirmation>(id, now).await?;
    let found = found.filter(|item| item.app == page.app.id && item.openid.is_some());
    let proven = found.as_ref().and_then(Confirmation::verified);
    let proven = proven.ok_or(FinishError::NotVerified)?;
    let (method, number) = (method(proven), proven.phone_number.present());
    let number = number.ok_or(FinishError::NotVerified)?;

    let subject = ports.secret.subject_key(&page.app.id, number);
    // The confirmation names the subject before there is one, so that erasing the number always finds it.
    if !store.note_subject(id, subject).await? {
        return Err(FinishError::NotVerified);
    }
    let fresh = NumberSubject::generate(ports.common.entropy);
    let silence = page.app.openid.subject_silence();
    let sub = store.log_in(subject, fresh, silence, now).await?.sub();
    let proof = (Proof::Confirmation(id), method, proven.at);
    let grant = grant(page, proof, sub, now);
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

/// Returns the method of a text.
fn method(proven: &Verified) -> Method {
    let channel = proven.origin.as_ref().map(|origin| origin.channel);
    match channel {
        Some(TextChannel::WhatsApp) => Method::WhatsApp,
        Some(TextChannel::Sms | TextChannel::Modem | TextChannel::Simulated) | None => Method::Text,
    }
}

fn grant(
    page: Page<'_>,
    (proof, method, proven_at): (Proof, Method, Timestamp),
    sub: Sub,
    now: Timestamp,
) -> Grant {
    let request = &page.request.request;
    Grant {
        app: page.app.id.clone(),
        redirect_uri: request.redirect_uri.clone(),
        challenge: request.challenge,
        nonce: request.nonce.clone().map(Nonce),
        phone: request.phone,
        proof,
        method,
        sub,
        proven_at,
        issued_at: now,
        state: GrantState::Issued,
        purge_at: Grant::kept_until(now),
    }
}
