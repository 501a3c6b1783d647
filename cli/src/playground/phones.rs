//! The simulated phone for logins: it opens a link, and confirms or denies the login.
//!
//! It runs in the server rather than in the page, where any script could read its token. It does
//! what `countersign phone open` does, inside the process.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use countersign_api::viewer::PeerAddress;
use countersign_api::{Problem, ProblemCode};
use countersign_domain::login::{ClaimedUserId, LoginLink};
use countersign_sdk::{Client, Configuration, RetryPolicy, SdkError, Session};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::body::parse;
use super::in_process::{self, CallResult};
use super::latest::new_token;
use super::phone_platform::{PhoneHttp, from_page};
use crate::args::Decision;
use crate::phone::{payload, platform};

/// A phone that opened a login.
pub(super) struct OpenedPhone {
    session: Session,
    user: Option<ClaimedUserId>,
}

/// The address of the page's request, if the host provides it.
type Peer = Option<Extension<PeerAddress>>;

/// Returns the routes; the caller must guard them against other pages.
pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/playground/phones", post(open))
        .route("/playground/phones/{token}/confirm", post(confirm))
        .route("/playground/phones/{token}/deny", post(deny))
}

/// The page's request for the phone to scan a link.
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
    let phone = new_phone(&shared)?;
    let (app, id) = (shared.app_key.as_str(), link.id.to_string());
    let named = user.as_ref().map(ClaimedUserId::as_str);
    let opened = phone.initialize_qr_session(app, &id, named);
    let session = match from_page(address(peer), opened).await {
        (Ok(session), _) => session,
        (Err(error), called) => return passed_on(error, called),
    };
    let name = new_token(shared.entropy.as_ref());
    let object = serde_json::from_str::<Value>(session.json());
    let shown = Json(json!({
        "token": name,
        "sessionId": id,
        "origin": session.origin(),
        "context": session.context(),
        "session": object.map_err(|error| Problem::ours(ProblemCode::InternalError, error))?,
        "checkCode": session.check_code(),
        "readers": if session.is_encrypted() { "browser" } else { "everybody" },
    }))
    .into_response();
    shared.phones.keep(name, OpenedPhone { session, user });
    Ok(shown)
}

/// Returns a new phone.
fn new_phone(shared: &Shared) -> Result<Client, Problem> {
    let configuration = Configuration::new(in_process::SERVICE, &[]);
    let configuration =
        configuration.map_err(|error| Problem::ours(ProblemCode::InternalError, error))?;
    let configuration = configuration
        .accept_plain_logins(true)
        .show_contexts(true)
        .retry(RetryPolicy::after(Vec::new()));
    let http = Arc::new(PhoneHttp(Arc::clone(&shared.api)));
    let keys = shared.association_key.clone();
    let platform = platform::new_phone(
        http,
        keys,
        Arc::clone(&shared.entropy),
        Arc::clone(&shared.clock),
    );
    Ok(Client::new(configuration, platform))
}

/// The page's request with the phone's decision. A missing payload means the default one for a
/// confirmation, and an empty one for a denial.
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
    let session = &phone.session;
    let decide = async {
        match decision {
            Decision::Confirm => {
                let usual = || payload::usual(phone.user.as_ref(), shared.clock.now());
                let payload = decided.payload.unwrap_or_else(usual);
                session.confirm(&payload).await.map(|_| ())
            }
            Decision::Deny => session.deny(&decided.payload.unwrap_or_default()).await,
        }
    };
    if let (Err(error), called) = from_page(address(peer), decide).await {
        return passed_on(error, called);
    }
    let outcome = match decision {
        Decision::Confirm => json!({
            "decision": "confirmed",
            "encrypted": session.is_encrypted(),
        }),
        // A denial's payload is for the app's server, and never encrypted.
        Decision::Deny => json!({ "decision": "denied", "encrypted": false }),
    };
    Ok(Json(outcome).into_response())
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

/// Returns the API's refusal unchanged, or the phone's own as a problem.
fn passed_on(error: SdkError, called: Option<CallResult>) -> Result<Response, Problem> {
    let code = match error {
        SdkError::KeyMismatch(_) => {
            return Err(Problem::new(ProblemCode::PayloadUnsuitable).detail(format!(
                "The phone blocked the login: {error}: somebody may be trying to read along. The \
                     payload was not sent; do not log in this way."
            )));
        }
        SdkError::PayloadTooLong => ProblemCode::PayloadTooLong,
        SdkError::UnusableBrowserKey => ProblemCode::PayloadUnsuitable,
        SdkError::AlreadyAnswered { .. } => ProblemCode::SessionDenied,
        error => {
            return match called {
                Some(Ok(answer)) if !answer.status.is_success() => Ok(answer.into_response()),
                Some(Err(problem)) => Err(problem),
                _ => Err(Problem::ours(ProblemCode::InternalError, error)),
            };
        }
    };
    Err(Problem::new(code).detail(format!("The payload was not sent: {error}.")))
}
