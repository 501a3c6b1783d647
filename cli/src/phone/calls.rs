//! The calls of a phone, whatever carries them.

use countersign_domain::login::{ClaimedUserId, Payload};
use countersign_domain::primitives::ids::LoginId;
use serde_json::{Value, json};

use crate::args::Decision;

/// A POST whose body is JSON, with the phone's token as its bearer.
pub(crate) struct Call {
    /// The path on the service.
    pub(crate) path: String,
    /// The body.
    pub(crate) body: Value,
}

/// Opens a session. It goes with the header `x-app-key` besides.
pub(crate) fn initiate(id: LoginId, user: Option<&ClaimedUserId>) -> Call {
    let body = match user {
        Some(user) => json!({ "publicUserId": user.as_str() }),
        None => json!({}),
    };
    Call {
        path: format!("/qr-sessions/{id}/initiate"),
        body,
    }
}

/// Sends what the person decided. What grants it is `true`.
pub(crate) fn decide(id: LoginId, decision: Decision, payload: &Payload) -> Call {
    let route = match decision {
        Decision::Confirm => "confirm",
        Decision::Deny => "deny",
    };
    let mut body = json!({ "payload": payload.as_str() });
    if payload.is_encrypted() {
        body["encrypted"] = true.into();
    }
    Call {
        path: format!("/qr-sessions/{id}/{route}"),
        body,
    }
}
