//! The phone's calls, independent of transport.

use countersign_domain::login::{ClaimedUserId, Payload};
use countersign_domain::primitives::ids::LoginId;
use serde_json::{Value, json};

use crate::args::Decision;

/// A POST with a JSON body and the phone's token as bearer.
pub(crate) struct Call {
    /// The path on the service.
    pub(crate) path: String,
    /// The body.
    pub(crate) body: Value,
}

/// Returns the call that opens a login. The caller adds the header `x-app-key`.
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

/// Returns the call that sends the decision. The service grants it by answering `true`.
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
