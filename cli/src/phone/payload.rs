//! The payload that the phone sends with a confirmation.

use countersign_domain::login::payload::PayloadError;
use countersign_domain::login::phone_payload::PhonePayloadError;
use countersign_domain::login::{ClaimedUserId, Encryption, Payload, PhonePayload, Proof, Salt};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_sealing::{Envelope, SealError, seal};
use serde_json::json;
use thiserror::Error;

use super::opened::Opened;

/// Why the payload may not be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Unsendable {
    /// Encryption for the browser failed.
    #[error(transparent)]
    NotSealed(#[from] SealError),
    /// The payload is not valid as plain text.
    #[error(transparent)]
    NotPlain(#[from] PayloadError),
    /// Payload, salt and proof do not go together, which no input can cause.
    #[error(transparent)]
    Mixed(#[from] PhonePayloadError),
}

/// Returns the default payload: JSON with the time, and with the public user id if given. It proves
/// nothing by itself.
pub(crate) fn usual(user: Option<&ClaimedUserId>, now: Timestamp) -> String {
    let mut payload = json!({ "timestamp": now.to_string() });
    if let Some(user) = user {
        payload["publicUserId"] = user.as_str().into();
    }
    payload.to_string()
}

/// Chooses the salt of a confirmation.
pub(crate) fn salt(entropy: &dyn Entropy) -> Salt {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    Salt::from_bytes(bytes)
}

/// Encrypts payload and salt if the browser has a key. If encryption fails, nothing may be sent.
pub(crate) fn prepare(
    said: Envelope,
    proof: Option<Proof>,
    opened: &Opened,
    id: LoginId,
    entropy: &dyn Entropy,
) -> Result<PhonePayload, Unsendable> {
    Ok(match &opened.encryption {
        Encryption::Sealed(key) => {
            let sealed = seal(key, id, &opened.origin, &said, entropy)?;
            PhonePayload::new(sealed, None, proof)?
        }
        Encryption::Plain => {
            let salt = proof.is_some().then_some(said.salt);
            PhonePayload::new(Payload::clear(said.payload)?, salt, proof)?
        }
    })
}
