//! The transition that decides the carrier of a verified confirmation.

use super::live;
use crate::confirmation::carrier::{Carrier, CarrierName};
use crate::confirmation::webhook::webhook_body;
use crate::confirmation::{Confirmation, State};
use crate::delivery::{Decision, WebhookBody};
use crate::primitives::time::Timestamp;

/// The result of deciding the carrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CarrierOutcome {
    /// The name was stored. Contains the webhook's body with the name.
    Decided(WebhookBody),
    /// The carrier was already decided, or an attempt was settled without one; nothing changed.
    /// Contains the webhook's body as it is.
    Kept(WebhookBody),
    /// Nothing was written: there is no such confirmation, it is not verified, or it was redacted.
    Unchanged,
}

/// Decides the carrier of a verified confirmation, unless it is already decided or an attempt was
/// settled: every attempt must send the same body.
#[must_use]
pub fn decide_carrier(
    current: Option<Confirmation>,
    name: &CarrierName,
    now: Timestamp,
) -> Decision<Confirmation, CarrierOutcome> {
    decided(current, name, now).unwrap_or_else(|| Decision::refuse(CarrierOutcome::Unchanged))
}

fn decided(
    current: Option<Confirmation>,
    name: &CarrierName,
    now: Timestamp,
) -> Option<Decision<Confirmation, CarrierOutcome>> {
    let mut item = live(current, now)?;
    let State::Verified(verified) = &mut item.state else {
        return None;
    };
    let kept = !verified.awaits_carrier();
    if !kept {
        verified.carrier = Carrier::Decided(name.clone());
    }
    // Redacted items have no body.
    let body = WebhookBody::new(webhook_body(&item)?.into_string());
    Some(if kept {
        Decision::refuse(CarrierOutcome::Kept(body))
    } else {
        Decision {
            outcome: CarrierOutcome::Decided(body),
            write: Some(item),
        }
    })
}
