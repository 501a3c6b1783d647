//! The webhook's body, a pure function of the item: what is signed, sent, and sent again.

use super::{Confirmation, Redactable};
use crate::primitives::canonical_json::{CanonicalObject, ObjectWriter};
use crate::primitives::time::Timestamp;

/// The only value that `validationStatus` takes (phone number API, section 2).
pub const VALIDATION_STATUS: &str = "valid";

/// The body of a verified confirmation's webhook; `None` where it was not verified, or where what
/// the body would hold was erased.
#[must_use]
pub fn webhook_body(confirmation: &Confirmation) -> Option<CanonicalObject> {
    let verified = confirmation.verified()?;
    let (Redactable::Present(phone_number), Redactable::Present(metadata)) =
        (&verified.phone_number, &confirmation.metadata)
    else {
        return None;
    };
    Some(write(
        &confirmation.id.to_string(),
        phone_number.as_str(),
        &verified.carrier,
        metadata,
        verified.at,
    ))
}

/// The body of a test webhook: the same members, and an id that no session has, so that a receiver
/// that accepts only ids that it stored refuses it.
#[must_use]
pub fn test_webhook_body(metadata: &CanonicalObject, now: Timestamp) -> CanonicalObject {
    let id = crate::primitives::ids::ConfirmationId::from_bytes([0; 16]);
    write(&id.to_string(), "+12025550100", "", metadata, now)
}

fn write(
    id: &str,
    phone_number: &str,
    carrier: &str,
    metadata: &CanonicalObject,
    at: Timestamp,
) -> CanonicalObject {
    ObjectWriter::new()
        .string("confirmationId", id)
        .string("phoneNumber", phone_number)
        .string("carrier", carrier)
        .string("validationStatus", VALIDATION_STATUS)
        .object("metadata", metadata)
        .string("timestamp", &at.to_string())
        .finish()
}
