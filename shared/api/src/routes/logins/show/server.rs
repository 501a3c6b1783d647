//! A login as the app's server sees it.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::{
    BlockReason, ClaimedUserId, Context, DenialPayload, DenyReason, PayDigest, Proof, State, Status,
};
use countersign_domain::use_cases::logins::InspectedLogin;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SessionState;

/// A login as the app's server sees it, with its API key. It never contains a confirmed payload, and
/// nothing in it logs a user in: the browser that may be logged in is the one that opened the login,
/// or the one that sends the payload and salt that match `pay`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InspectedSession)]
pub(crate) struct InspectedBody<'a> {
    /// The login's id.
    #[schema(
        pattern = "^qr[sp]_[0-9a-f]{32}$",
        examples("qrs_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    session_id: String,
    /// The status.
    state: SessionState,
    /// The origin of the page.
    #[schema(examples("https://shop.example"))]
    origin: &'a str,
    /// The text that the user approves, as the app's server sent it.
    #[schema(examples("Pay 20 EUR to Zoë"))]
    context: Option<&'a str>,
    /// The user who must decide, as specified by the app's server.
    #[schema(examples("person@example.com"))]
    expected_public_user_id: Option<&'a str>,
    /// The key that the browser, or the server in its place, sent: an uncompressed P-256 point in base64url. The id
    /// is derived from this key, the app key, `origin` and `context`.
    #[schema(examples(
        "BAswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASY"
    ))]
    browser_public_key: Option<String>,
    /// The name that the phone sent. It is an unverified claim.
    #[schema(examples("person@example.com"))]
    claimed_public_user_id: Option<&'a str>,
    /// The user whose registered key signed the proof, as the service verified it; `null` if there is no
    /// proof or its key is not registered. Only while the login is confirmed or consumed.
    #[schema(examples("person@example.com"))]
    verified_public_user_id: Option<&'a str>,
    /// The proof that came with the confirmation, while the login is confirmed or consumed. Verify it
    /// before you rely on it.
    proof: Option<&'a str>,
    /// The claim `pay` of the proof, for convenience: the hash of payload and salt. It is read from
    /// the proof without verifying it.
    pay: Option<String>,
    /// The payload that the phone sent with its denial, which the service can read. `null` if the
    /// phone sent none.
    #[schema(examples("not me"))]
    denial_payload: Option<&'a str>,
    /// `key_mismatch` if the phone denied by itself, because the id does not match the service's
    /// answer.
    #[schema(examples("key_mismatch"))]
    denial_reason: Option<&'static str>,
    /// Whether the user must type the digits that the phone shows before the login becomes `consumed`. While it is
    /// `confirmed`, the user who confirmed may be at a different browser.
    check_code_required: bool,
    /// `true` if a test key opened it: no phone with the app key opened its code. Absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    test: bool,
    /// When the login was opened. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:05.678Z"))]
    created_at: String,
    /// When a phone opened the code. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:15.678Z"))]
    scanned_at: Option<String>,
    /// When the user confirmed, while the login is confirmed or consumed. UTC, ISO 8601 with
    /// milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:25.678Z"))]
    confirmed_at: Option<String>,
    /// When the login expires, or when it ended. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:25.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down; 0 if the time is over. Use this if your clock may be wrong.
    #[schema(examples(50))]
    expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:35.678Z"))]
    server_time: String,
}

/// The claims that are read from a proof here.
#[derive(Deserialize)]
struct Claims {
    pay: String,
}

/// Builds the answer to the app's server.
pub(super) fn respond(found: &InspectedLogin) -> Response {
    Json(InspectedBody::new(found)).into_response()
}

impl<'a> InspectedBody<'a> {
    pub(in super::super) fn new(found: &'a InspectedLogin) -> Self {
        let InspectedLogin {
            login,
            status,
            server_time,
        } = found;
        let phone = login.phone();
        // A confirmation that timed out did not log a user in, so the answer omits it.
        let counts = matches!(status, Status::Confirmed | Status::Consumed);
        let proof = login.proof().filter(|_| counts);
        let confirmed_at = match &login.state {
            State::Confirmed { at, .. } => Some(at),
            State::Consumed { confirmed_at, .. } => Some(confirmed_at),
            _ => None,
        };
        InspectedBody {
            session_id: login.id.to_string(),
            state: SessionState(*status),
            origin: login.origin.as_str(),
            context: login.context().map(Context::as_str),
            expected_public_user_id: login.expected_user().map(ClaimedUserId::as_str),
            browser_public_key: login.encryption.key().map(ToString::to_string),
            claimed_public_user_id: phone
                .and_then(|phone| phone.user.as_ref())
                .map(ClaimedUserId::as_str),
            verified_public_user_id: login
                .verified_user()
                .filter(|_| counts)
                .map(|verified| verified.user.as_str()),
            proof: proof.map(Proof::as_str),
            pay: proof.and_then(unverified_pay),
            denial_payload: login.denial().map(DenialPayload::as_str),
            denial_reason: match login.state {
                State::Blocked {
                    reason: BlockReason::KeyMismatch(_),
                    ..
                } => Some(DenyReason::KeyMismatch.into_str()),
                _ => None,
            },
            check_code_required: login.awaits_check_code(),
            test: login.test,
            created_at: login.created_at.to_string(),
            scanned_at: phone.map(|phone| phone.scanned_at.to_string()),
            confirmed_at: confirmed_at.filter(|_| counts).map(ToString::to_string),
            expires_at: login.expires_at().to_string(),
            expires_in: login.expires_at().since(*server_time).as_secs(),
            server_time: server_time.to_string(),
        }
    }
}

/// Reads the claim `pay`. Returns `None` if it does not have the form of a SHA-256 hash.
fn unverified_pay(proof: &Proof) -> Option<String> {
    let claims = proof.as_str().split('.').nth(1)?;
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    let Claims { pay } = serde_json::from_slice(&claims).ok()?;
    pay.parse::<PayDigest>().is_ok().then_some(pay)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pay_in(claims: &str) -> Option<String> {
        let claims = BASE64_URL_SAFE_NO_PAD.encode(claims);
        unverified_pay(&format!("e30.{claims}.c2ln").parse().unwrap())
    }

    #[test]
    fn pay_is_read_only_if_it_is_a_hash() {
        let hash = BASE64_URL_SAFE_NO_PAD.encode([7; 32]);
        let claims = format!(r#"{{"app":"x","pay":"{hash}"}}"#);
        assert_eq!(pay_in(&claims), Some(hash));
        for odd in [
            "{}",
            "[]",
            r#"{"pay":1}"#,
            r#"{"pay":"x"}"#,
            r#"{"pay":"<script>"}"#,
        ] {
            assert_eq!(pay_in(odd), None, "{odd}");
        }
    }
}
