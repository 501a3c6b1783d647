//! Why a proof is refused.

use thiserror::Error;

use super::CLOCK_TOLERANCE;
use crate::{ALGORITHM, LIFETIME_SECONDS, MAX_PROOF, TYPE};

/// The rule that a proof breaks. The text holds nothing of the proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ProofError {
    /// Longer than [`MAX_PROOF`].
    #[error("the proof is longer than {MAX_PROOF} bytes")]
    TooLong,
    /// Not three parts in base64url, or a part is not a JSON object with distinct members.
    #[error("the proof is malformed")]
    Malformed,
    /// `alg` is another one.
    #[error("the proof's algorithm is not {ALGORITHM}")]
    Algorithm,
    /// `typ` is another one.
    #[error("the proof's type is not {TYPE}")]
    Type,
    /// The header has another member, such as `crit`.
    #[error("the proof's header has a member other than alg, kid and typ")]
    SurplusHeader,
    /// No key is known by this id.
    #[error("the proof's key is unknown")]
    UnknownKey,
    /// The signature does not belong to key, header and claims.
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
    /// `sub` is not the expected user, or is there although none is expected.
    #[error("the proof is for another user")]
    User,
    /// `sub` is not the owner of the key.
    #[error("the proof's key belongs to another user")]
    Owner,
    /// `ctx` is not the expected context, or is there although none is expected.
    #[error("the proof is for another context")]
    Context,
    /// `pay` does not belong to payload and salt.
    #[error("the proof is for another payload or salt")]
    Payload,
    /// `iat` or `exp` is absent, or they are not [`LIFETIME_SECONDS`] apart.
    #[error("the proof's times are not {LIFETIME_SECONDS} seconds apart")]
    Lifetime,
    /// `iat` is too far in the future.
    #[error("the proof was made more than {CLOCK_TOLERANCE} seconds in the future")]
    TooEarly,
    /// `exp` is over.
    #[error("the proof has expired")]
    Expired,
    /// There is a claim that no proof has.
    #[error("the proof has an unknown claim")]
    SurplusClaim,
}

impl ProofError {
    /// Returns a stable word for the rule, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.into()
    }
}
