//! The payload of a decision: confirm or deny.

use std::borrow::Cow;

use countersign_domain::login::payload::MAX_BYTES;

use crate::extract::fields::Fields;
use crate::problem::{Problem, ProblemCode};

/// The payload's JSON pointer.
pub(super) const PAYLOAD: &str = "/payload";

/// Problems of a body with a payload.
pub(super) const PROBLEMS: &[ProblemCode] =
    &[ProblemCode::FieldMissing, ProblemCode::PayloadTooLong];

/// Returns `payload`, which is required.
pub(super) fn payload<'a>(fields: &Fields<'a>) -> Result<Cow<'a, str>, Problem> {
    fields.text("payload", PAYLOAD)?.ok_or_else(|| {
        Problem::new(ProblemCode::FieldMissing)
            .detail("Send payload as a string. It may be empty.")
            .at(PAYLOAD)
    })
}

/// Returns the problem of a payload that is too long.
pub(super) fn too_long() -> Problem {
    Problem::new(ProblemCode::PayloadTooLong)
        .detail(format!("Send at most {MAX_BYTES} bytes."))
        .at(PAYLOAD)
}
