//! The payload that the phone sends with a confirmation unless the user gives one.

use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::time::Timestamp;
use serde_json::json;

/// Returns the default payload: JSON with the time, and with the public user id if given. The
/// payload proves nothing by itself.
pub(crate) fn usual(user: Option<&ClaimedUserId>, now: Timestamp) -> String {
    let mut payload = json!({ "timestamp": now.to_string() });
    if let Some(user) = user {
        payload["publicUserId"] = user.as_str().into();
    }
    payload.to_string()
}
