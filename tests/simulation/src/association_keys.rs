//! An app server's requests about association keys, and their answers.

use countersign_domain::login::{AssociationKey, ClaimedUserId, KeyId};

/// A request about an association key.
#[derive(Clone, Debug)]
pub enum KeyRequest {
    /// `POST /association-keys`.
    Register(Registration),
    /// `GET /association-keys`.
    List(ClaimedUserId),
    /// `DELETE /association-keys/{keyId}`.
    Revoke(KeyId),
}

/// A request to register a key.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The key's id, which the service computes from the public half.
    pub id: KeyId,
    /// The public half, in the form in which the phone writes it.
    pub public_key: String,
    /// The user to whom the key will belong.
    pub owner: ClaimedUserId,
    /// The signature that proves possession of the key.
    pub signature: Option<Possession>,
}

/// A signature over a registration.
#[derive(Clone, Debug)]
pub struct Possession {
    /// The signature.
    pub text: String,
    /// True if the key signed this app and user. The oracle knows the truth, and the service has to find
    /// it out.
    pub is_true: bool,
}

/// The answer to a request about an association key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyAnswer {
    /// The key is registered; it may have been before.
    Registered(KeyId),
    /// The app requires proofs, and the registration has no signature.
    SignatureMissing,
    /// The signature does not prove possession of the key.
    SignatureFalse,
    /// The key belongs to another user.
    OwnedByAnother,
    /// The key was revoked and cannot be registered.
    WasRevoked,
    /// The user has too many keys.
    TooMany,
    /// The active keys of the user.
    Keys(Vec<AssociationKey>),
    /// The key is revoked; it may have been before.
    Revoked,
    /// The app has no such key.
    Unknown,
    /// The request is malformed.
    Malformed,
    /// A port failed.
    Unavailable,
}

impl KeyRequest {
    /// Returns the request's name in the trace.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Register(_) => "key: register",
            Self::List(_) => "key: list",
            Self::Revoke(_) => "key: revoke",
        }
    }
}
