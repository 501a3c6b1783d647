//! The payload of a decision: confirm or deny.

use countersign_domain::login::payload::MAX_BYTES;

use crate::extract::fields;
use crate::problem::{Problem, ProblemCode};

/// The payload's JSON pointer.
pub(super) const PAYLOAD: &str = "/payload";

/// Problems of a body with a payload.
pub(super) const PROBLEMS: &[ProblemCode] =
    &[ProblemCode::FieldMissing, ProblemCode::PayloadTooLong];

/// Returns `payload`, which is required.
pub(super) fn payload(text: Option<String>) -> Result<String, Problem> {
    fields::required(text, PAYLOAD, "Send payload as a string. It may be empty.")
}

/// Returns the problem of a payload that is too long.
pub(super) fn too_long() -> Problem {
    Problem::new(ProblemCode::PayloadTooLong)
        .detail(format!("Send at most {MAX_BYTES} bytes."))
        .at(PAYLOAD)
}
