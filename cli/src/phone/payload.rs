//! The payload that the phone sends with its decision.

use countersign_domain::login::payload::PayloadError;
use countersign_domain::login::{ClaimedUserId, Payload};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_sealing::{SealError, seal};
use serde_json::json;
use thiserror::Error;

use super::opened::{Opened, Readers};

/// Why the payload may not be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Unsendable {
    /// Encryption for the browser failed.
    #[error(transparent)]
    NotSealed(#[from] SealError),
    /// The payload is not valid as plain text.
    #[error(transparent)]
    NotPlain(#[from] PayloadError),
}

/// Returns the default payload: JSON with the time, and with the public user id if given. It proves
/// nothing; an app's own phone would sign it.
pub(crate) fn usual(user: Option<&ClaimedUserId>, now: Timestamp) -> String {
    let mut payload = json!({ "timestamp": now.to_string() });
    if let Some(user) = user {
        payload["publicUserId"] = user.as_str().into();
    }
    payload.to_string()
}

/// Encrypts the text if the browser has a key. If encryption fails, nothing may be sent.
pub(crate) fn prepare(
    text: String,
    opened: &Opened,
    id: LoginId,
    entropy: &dyn Entropy,
) -> Result<Payload, Unsendable> {
    match opened.readers {
        Readers::Browser(key) | Readers::Unvouched(key) => {
            Ok(seal(&key, id, &opened.origin, &text, entropy)?)
        }
        Readers::Everybody => Ok(Payload::clear(text)?),
    }
}
