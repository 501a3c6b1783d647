//! The facts with which a proof is compared.

use std::fmt;

use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, Passkey};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;

use crate::digest::SALT_BYTES;
use crate::key::AssociationPublicKey;

/// The facts that a proof must match. Take them from the verifier's own records, never from the
/// proof.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The app.
    pub app: &'a AppKey,
    /// The page that logs the user in.
    pub origin: &'a WebOrigin,
    /// The login.
    pub login: LoginId,
    /// The user.
    pub user: ExpectedUser<'a>,
    /// The context with which the login was opened; without one, the proof must not have one
    /// either.
    pub context: Option<&'a str>,
    /// The payload.
    pub payload: ExpectedPayload<'a>,
    /// The verifier's time.
    pub now: Timestamp,
}

/// The user that a proof must contain.
#[derive(Clone, Copy, Debug)]
pub enum ExpectedUser<'a> {
    /// The owner of the key, or no user: the key determines who confirmed.
    Owner,
    /// Exactly this user; with `None`, the proof must not contain a user.
    Exactly(Option<&'a ClaimedUserId>),
}

/// The payload that a proof must match. `Debug` hides it.
#[derive(Clone, Copy)]
pub enum ExpectedPayload<'a> {
    /// This payload with this salt.
    Is {
        /// The decrypted payload.
        payload: &'a str,
        /// The salt of the payload.
        salt: &'a [u8; SALT_BYTES],
    },
    /// A payload that the verifier cannot read. The verifier must then not log in whichever browser
    /// presents the login's id.
    Sealed,
}

impl fmt::Debug for ExpectedPayload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Is { .. } => "Is(…)",
            Self::Sealed => "Sealed",
        })
    }
}

/// A public key that the verifier knows.
#[derive(Clone, Debug)]
pub struct KnownKey {
    /// The key.
    pub key: AssociationPublicKey,
    /// The user for whom the key is registered. Without an owner, a proof that contains a user is
    /// refused.
    pub owner: Option<ClaimedUserId>,
    /// The passkey that the key is; `None` for a key of an app or of a browser's storage.
    pub passkey: Option<Passkey>,
}
