//! Why a proof is refused.

use thiserror::Error;

use crate::{
    ALGORITHM, CLOCK_TOLERANCE, LIFETIME_SECONDS, MAX_JWT, MAX_PROOF, PASSKEY_ALGORITHM,
    PASSKEY_TYPE, TYPE,
};

/// The rule that a proof breaks. The text contains no part of the proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ProofError {
    /// The proof is longer than [`MAX_JWT`], or by a passkey and longer than [`MAX_PROOF`].
    #[error("the proof is longer than {MAX_JWT} bytes, or {MAX_PROOF} bytes from a passkey")]
    TooLong,
    /// The proof does not have three parts in base64url, or five from a passkey, or header or claims are not a JSON
    /// object with distinct members.
    #[error("the proof is malformed")]
    Malformed,
    /// `alg` has a different value.
    #[error("the proof's algorithm is not {ALGORITHM}, or {PASSKEY_ALGORITHM} from a passkey")]
    Algorithm,
    /// `typ` has a different value.
    #[error("the proof's type is not {TYPE}, or {PASSKEY_TYPE} from a passkey")]
    Type,
    /// The header has another member, such as `crit`.
    #[error("the proof's header has a member other than alg, kid and typ")]
    SurplusHeader,
    /// There is no known key with this id.
    #[error("the proof's key is unknown")]
    UnknownKey,
    /// The key is a passkey and the proof a JWT, or the reverse.
    #[error("the proof has another form than those of its key")]
    KeyKind,
    /// The passkey's client data is not JSON of an assertion, with distinct members.
    #[error("the passkey's client data is malformed")]
    ClientData,
    /// The passkey was asked to sign something else.
    #[error("the passkey signed another challenge than that of header and claims")]
    Challenge,
    /// The page that used the passkey has a different origin.
    #[error("the passkey was used on another page")]
    Page,
    /// Another site framed the page that used the passkey.
    #[error("the passkey was used in a frame of another site")]
    Framed,
    /// The passkey's authenticator data is too short, or that of a new passkey.
    #[error("the passkey's authenticator data is malformed")]
    AuthenticatorData,
    /// The phone did not check that its user is present, by a fingerprint or a code for example.
    #[error("the phone did not verify its user")]
    UserVerification,
    /// The passkey was copied although it must not be.
    #[error("the passkey says that it was copied, but also that it cannot be")]
    BackupState,
    /// The passkey belongs to a different domain.
    #[error("the passkey belongs to another domain")]
    RelyingParty,
    /// The signature does not match the key and what it must have signed.
    #[error("the proof's signature is false")]
    Signature,
    /// `app` differs.
    #[error("the proof is for another app")]
    App,
    /// `aud` differs.
    #[error("the proof is for another origin")]
    Origin,
    /// `jti` differs.
    #[error("the proof is for another session")]
    #[strum(serialize = "session")]
    Login,
    /// `act` differs.
    #[error("the proof is for another action")]
    Action,
    /// `sub` is not the expected user, or is present although no user is expected.
    #[error("the proof is for another user")]
    User,
    /// `sub` is not the owner of the key.
    #[error("the proof's key belongs to another user")]
    Owner,
    /// `ctx` is not the expected context, or is present although no context is expected.
    #[error("the proof is for another context")]
    Context,
    /// `pay` does not match payload and salt.
    #[error("the proof is for another payload or salt")]
    Payload,
    /// `iat` or `exp` is absent, or they are not [`LIFETIME_SECONDS`] apart.
    #[error("the proof's times are not {LIFETIME_SECONDS} seconds apart")]
    Lifetime,
    /// `iat` is too far in the future.
    #[error("the proof was made more than {CLOCK_TOLERANCE} seconds in the future")]
    TooEarly,
    /// `exp` has passed.
    #[error("the proof has expired")]
    Expired,
    /// There is an unknown claim.
    #[error("the proof has an unknown claim")]
    SurplusClaim,
}

impl ProofError {
    /// Returns a stable code for the rule, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.into()
    }
}
