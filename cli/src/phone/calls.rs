//! The phone's calls, independent of transport.

use countersign_domain::login::{ClaimedUserId, DenyReason, PhonePayload};
use countersign_domain::primitives::ids::LoginId;
use serde_json::{Value, json};

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

/// Returns the call that confirms a login. The service grants it by answering `true`.
pub(crate) fn confirm(id: LoginId, said: &PhonePayload) -> Call {
    let mut body = json!({ "payload": said.payload().as_str() });
    if said.is_encrypted() {
        body["encrypted"] = true.into();
    }
    if let Some(salt) = said.salt() {
        body["salt"] = salt.to_string().into();
    }
    if let Some(proof) = said.proof() {
        body["proof"] = proof.as_str().into();
    }
    Call {
        path: format!("/qr-sessions/{id}/confirm"),
        body,
    }
}

/// Returns the call that denies a login. The service grants it by answering `true`.
pub(crate) fn deny(id: LoginId, payload: &str, reason: Option<DenyReason>) -> Call {
    let mut body = json!({ "payload": payload });
    if let Some(reason) = reason {
        body["reason"] = reason.as_str().into();
    }
    Call {
        path: format!("/qr-sessions/{id}/deny"),
        body,
    }
}
