//! Webhook bodies, which are a pure function of the item: every attempt signs and sends the same
//! bytes.

use super::{Confirmation, Redactable};
use crate::primitives::canonical_json::{CanonicalObject, ObjectWriter};
use crate::primitives::time::Timestamp;

/// The only value of `validationStatus` (phone number API, section 2).
pub const VALIDATION_STATUS: &str = "valid";

/// Returns the body of a verified confirmation's webhook, or `None` if the number is not verified
/// or its data was erased.
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
        verified.carrier.name(),
        metadata,
        verified.at,
    ))
}

/// Returns the body of a test webhook. It has the same members, and the id of no real confirmation,
/// so that receivers that only accept ids they stored refuse it.
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
