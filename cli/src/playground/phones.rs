//! The simulated phone for logins: it opens a link, and confirms or denies the login.
//!
//! It runs in the server rather than in the page, where any script could read its token. It does
//! what `countersign phone open` does, inside the process.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_api::viewer::PeerAddress;
use countersign_api::{Problem, ProblemCode};
use countersign_domain::login::{
    CheckCode, ClaimedUserId, Context, DenyReason, Encryption, LoginLink, MobileToken, PhonePayload,
};
use countersign_domain::primitives::ids::LoginId;
use countersign_sealing::{Envelope, SealError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::body::parse;
use super::in_process::Answer;
use super::latest::new_token;
use crate::args::Decision;
use crate::phone::calls;
use crate::phone::opened::{Opened, Unusable};
use crate::phone::payload::{self, Unsendable};
use crate::phone::proof::{self, Confirmation};

/// A phone that opened a login.
pub(super) struct OpenedPhone {
    id: LoginId,
    /// Identifies the phone to the service.
    token: MobileToken,
    opened: Opened,
    user: Option<ClaimedUserId>,
}

/// The address of the page's request, if the host passes it on.
type Peer = Option<Extension<PeerAddress>>;

/// Returns the routes, which the caller must guard.
pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/playground/phones", post(open))
        .route("/playground/phones/{token}/confirm", post(confirm))
        .route("/playground/phones/{token}/deny", post(deny))
}

/// The phone's scan of a link.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Scanned {
    link: String,
    public_user_id: Option<String>,
}

/// Opens a login as a new phone, and answers with what that phone shows.
async fn open(
    State(shared): State<Arc<Shared>>,
    peer: Peer,
    body: Bytes,
) -> Result<Response, Problem> {
    let scanned: Scanned = parse(&body)?;
    let link = scanned
        .link
        .trim()
        .parse::<LoginLink>()
        .map_err(|error| refused(ProblemCode::FieldWrongType, &error).at("/link"))?;
    let user = scanned
        .public_user_id
        .as_deref()
        .map(str::parse::<ClaimedUserId>);
    let user = user
        .transpose()
        .map_err(|error| refused(ProblemCode::PublicUserIdMalformed, &error).at("/publicUserId"))?;
    let phone = MobileToken::generate(shared.entropy.as_ref());
    let call = calls::initiate(link.id, user.as_ref());
    let app = Some(&shared.app_key);
    let peer = address(peer);
    let answer = shared.api.phone(peer, &phone, app, call).await?;
    if !answer.status.is_success() {
        return Ok(answer.into_response());
    }
    let opened = match Opened::read(answer.json()?, link.id, &shared.app_key) {
        Ok(opened) => opened,
        Err(error) => {
            if let Unusable::Mismatch(_) = error {
                let call = calls::deny(link.id, "", Some(DenyReason::KeyMismatch));
                shared.api.phone(peer, &phone, None, call).await?;
            }
            return Err(unusable(error));
        }
    };
    let name = new_token(shared.entropy.as_ref());
    let shown = Json(json!({
        "token": name,
        "sessionId": link.id.to_string(),
        "origin": opened.origin.as_str(),
        "context": opened.context.as_ref().map(Context::as_str),
        "session": opened.raw,
        "checkCode": opened.check_code.map(CheckCode::digits),
        "readers": match opened.encryption {
            Encryption::Sealed(_) => "browser",
            Encryption::Plain => "everybody",
        },
    }))
    .into_response();
    let phone = OpenedPhone {
        id: link.id,
        token: phone,
        opened,
        user,
    };
    shared.phones.keep(name, phone);
    Ok(shown)
}

/// The phone's decision. A missing payload means the default one for a confirmation, and an empty one
/// for a denial.
#[derive(Deserialize)]
struct Decided {
    payload: Option<String>,
}

async fn confirm(
    shared: State<Arc<Shared>>,
    token: Path<String>,
    peer: Peer,
    body: Bytes,
) -> Result<Response, Problem> {
    decide(Decision::Confirm, shared, token, peer, body).await
}

async fn deny(
    shared: State<Arc<Shared>>,
    token: Path<String>,
    peer: Peer,
    body: Bytes,
) -> Result<Response, Problem> {
    decide(Decision::Deny, shared, token, peer, body).await
}

async fn decide(
    decision: Decision,
    State(shared): State<Arc<Shared>>,
    Path(token): Path<String>,
    peer: Peer,
    body: Bytes,
) -> Result<Response, Problem> {
    let unknown = "The playground no longer knows this phone. Scan a new code.";
    let phone = shared
        .phones
        .find(&token)
        .ok_or_else(|| Problem::new(ProblemCode::NotFound).detail(unknown))?;
    let decided: Decided = parse(&body)?;
    let call = match decision {
        Decision::Confirm => calls::confirm(phone.id, &confirmation(&shared, &phone, decided)?),
        Decision::Deny => {
            let payload = decided.payload.unwrap_or_default();
            calls::deny(phone.id, &payload, None)
        }
    };
    let answer = shared
        .api
        .phone(address(peer), &phone.token, None, call)
        .await?;
    if !is_granted(&answer) {
        return Ok(answer.into_response());
    }
    let outcome = match decision {
        Decision::Confirm => json!({
            "decision": "confirmed",
            "encrypted": phone.opened.encryption.key().is_some(),
        }),
        // A denial's payload is for the app's server, and never encrypted.
        Decision::Deny => json!({ "decision": "denied", "encrypted": false }),
    };
    Ok(Json(outcome).into_response())
}

/// Returns what the phone sends to confirm the login.
fn confirmation(
    shared: &Shared,
    phone: &OpenedPhone,
    decided: Decided,
) -> Result<PhonePayload, Problem> {
    let usual = || payload::usual(phone.user.as_ref(), shared.clock.now());
    let entropy = shared.entropy.as_ref();
    let said = Envelope {
        payload: decided.payload.unwrap_or_else(usual),
        salt: payload::salt(entropy),
    };
    let signed = Confirmation {
        app: &shared.app_key,
        origin: &phone.opened.origin,
        login: phone.id,
        user: phone.user.as_ref(),
        context: phone.opened.context.as_ref().map(Context::as_str),
        payload: &said.payload,
        salt: &said.salt,
        at: shared.clock.now(),
    };
    let proof = proof::sign_with(&shared.association_key, &signed);
    let proof = proof.map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
    payload::prepare(said, Some(proof), &phone.opened, phone.id, entropy).map_err(unsendable)
}

fn is_granted(answer: &Answer) -> bool {
    answer.status == StatusCode::OK && answer.json().is_ok_and(|body| body == Value::Bool(true))
}

fn address(peer: Peer) -> Option<PeerAddress> {
    peer.map(|Extension(peer)| peer)
}

/// Describes a malformed link or user id in a sentence.
fn refused(code: ProblemCode, error: &impl std::fmt::Display) -> Problem {
    let words = error.to_string();
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    Problem::new(code).detail(format!("{}{}.", String::from_iter(first), letters.as_str()))
}

fn unusable(error: Unusable) -> Problem {
    match error {
        Unusable::Mismatch(_) => Problem::new(ProblemCode::PayloadUnsuitable)
            .detail(format!("The phone blocked the login: {error}.")),
        Unusable::Malformed => Problem::ours(ProblemCode::InternalError, error),
    }
}

fn unsendable(error: Unsendable) -> Problem {
    let code = match error {
        Unsendable::NotSealed(SealError::Failed) | Unsendable::Mixed(_) => {
            return Problem::ours(ProblemCode::InternalError, error);
        }
        Unsendable::NotSealed(SealError::NotOnCurve) => ProblemCode::PayloadUnsuitable,
        Unsendable::NotSealed(SealError::TooLong) | Unsendable::NotPlain(_) => {
            ProblemCode::PayloadTooLong
        }
    };
    Problem::new(code).detail(format!("The payload was not sent: {error}."))
}
