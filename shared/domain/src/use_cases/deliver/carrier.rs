//! Decides the carrier of a confirmation before its first attempt.

use std::time::Duration;

use super::super::Ports;
use crate::confirmation::carrier::{CarrierLookup, LOOKUP_TIMEOUT};
use crate::confirmation::transitions::{CarrierOutcome, decide_carrier};
use crate::delivery::ClaimedDelivery;
use crate::event::Event;
use crate::primitives::ids::ConfirmationId;
use crate::primitives::unavailable::Unavailable;

/// Looks up the carrier if it is undecided, stores the answer, and inserts it into the body.
/// Returns whether it made a lookup.
///
/// The answer is stored before it is sent, so retries send the same body. If the process dies in
/// between, the carrier stays undecided, and the next attempt looks it up again.
pub(super) async fn decide(
    ports: Ports<'_>,
    lookup: &dyn CarrierLookup,
    id: ConfirmationId,
    claimed: &mut ClaimedDelivery,
) -> Result<bool, Unavailable> {
    let Some(number) = &claimed.undecided_carrier else {
        return Ok(false);
    };
    // The timeout is counted from the text, so that a webhook that waited for other lookups does
    // not wait again. Later attempts are late already, so the timeout starts now.
    let verified_at = claimed.verified_at;
    let is_first = claimed.delivery.attempts_claimed == 1;
    let waited = verified_at
        .filter(|_| is_first)
        .map_or(Duration::ZERO, |at| ports.clock.now().since(at));
    let left = LOOKUP_TIMEOUT.saturating_sub(waited);
    let outcome = lookup.lookup(number, left).await;
    let looked_up = Event::CarrierLookup(outcome.result());
    ports.metrics.count(&looked_up, super::labels(claimed));
    let (name, now) = (outcome.into_name(), ports.clock.now());
    let decide = |current| decide_carrier(current, &name, now);
    match ports.store.change(id, decide).await? {
        CarrierOutcome::Decided(body) | CarrierOutcome::Kept(body) => {
            claimed.body = Some(body);
        }
        CarrierOutcome::Unchanged => {}
    }
    Ok(true)
}
