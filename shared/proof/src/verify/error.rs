//! Why a proof is refused.

use thiserror::Error;

use super::CLOCK_TOLERANCE;
use crate::{ALGORITHM, LIFETIME_SECONDS, MAX_PROOF, TYPE};

/// The rule that a proof breaks. The text contains no part of the proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ProofError {
    /// The proof is longer than [`MAX_PROOF`].
    #[error("the proof is longer than {MAX_PROOF} bytes")]
    TooLong,
    /// The proof does not have three parts in base64url, or a part is not a JSON object with
    /// distinct members.
    #[error("the proof is malformed")]
    Malformed,
    /// `alg` has a different value.
    #[error("the proof's algorithm is not {ALGORITHM}")]
    Algorithm,
    /// `typ` has a different value.
    #[error("the proof's type is not {TYPE}")]
    Type,
    /// The header has another member, such as `crit`.
    #[error("the proof's header has a member other than alg, kid and typ")]
    SurplusHeader,
    /// There is no known key with this id.
    #[error("the proof's key is unknown")]
    UnknownKey,
    /// The signature does not match key, header and claims.
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
