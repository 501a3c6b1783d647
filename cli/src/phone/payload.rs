//! What the phone sends with its decision.

use countersign_domain::login::payload::PayloadError;
use countersign_domain::login::{ClaimedUserId, Payload};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_sealing::{SealError, seal};
use serde_json::json;
use thiserror::Error;

use super::session::{Opened, Readers};

/// Why nothing may be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Unsendable {
    /// It could not be sealed for the browser.
    #[error(transparent)]
    NotSealed(#[from] SealError),
    /// It cannot be sent as it is.
    #[error(transparent)]
    NotPlain(#[from] PayloadError),
}

/// What is sent where nothing is named: JSON with the time, and with the public user id if there is
/// one. It proves nothing; an app's own phone would sign.
pub(crate) fn usual(user: Option<&ClaimedUserId>, now: Timestamp) -> String {
    let mut payload = json!({ "timestamp": now.to_string() });
    if let Some(user) = user {
        payload["publicUserId"] = user.as_str().into();
    }
    payload.to_string()
}

/// Seals a text where the browser has a key. Where it has one and sealing fails, nothing is sent.
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
