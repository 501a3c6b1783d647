//! What the phone sends with its decision.

use countersign_domain::ports::Entropy;
use countersign_domain::qr_session::{ClaimedUserId, Payload, QrSessionId};
use countersign_domain::time::Timestamp;
use countersign_sealing::seal;
use serde_json::json;

use super::session::{Opened, Readers};
use crate::failure::Failure;

/// What is sent where nothing is named: JSON with the time, and with the public user id if there is
/// one. It proves nothing; an app's own phone would sign.
pub(super) fn usual(user: Option<&ClaimedUserId>, now: Timestamp) -> String {
    let mut payload = json!({ "timestamp": now.to_string() });
    if let Some(user) = user {
        payload["publicUserId"] = user.as_str().into();
    }
    payload.to_string()
}

/// Seals a text where the browser has a key. Where it has one and sealing fails, nothing is sent.
pub(super) fn prepare(
    text: String,
    opened: &Opened,
    id: QrSessionId,
    entropy: &dyn Entropy,
) -> Result<Payload, Failure> {
    let prepared = match opened.readers {
        Readers::Browser(key) | Readers::Unvouched(key) => {
            seal(&key, id, &opened.origin, &text, entropy).map_err(|error| error.to_string())
        }
        Readers::Everybody => Payload::clear(text).map_err(|error| error.to_string()),
    };
    prepared.map_err(|error| Failure::new(format!("nothing was sent: {error}")))
}
