//! The public user id of a request about association keys or phones.

use countersign_domain::login::ClaimedUserId;

use crate::extract::fields::sentence;
use crate::problem::{Problem, ProblemCode};

/// Problems of a public user id that is required.
pub(crate) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::FieldMissing,
    ProblemCode::PublicUserIdMalformed,
];

/// Parses a public user id, which is required.
pub(crate) fn parse(text: Option<&str>) -> Result<ClaimedUserId, Problem> {
    let text = text.ok_or_else(|| {
        Problem::new(ProblemCode::FieldMissing)
            .detail("Send the user's id in the app as publicUserId.")
    })?;
    text.parse::<ClaimedUserId>()
        .map_err(|error| Problem::new(ProblemCode::PublicUserIdMalformed).detail(sentence(&error)))
}
