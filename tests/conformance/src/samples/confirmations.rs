//! Sample confirmations in every state, for tests that read and write stored documents.

use countersign_domain::confirmation::carrier::{Carrier, CarrierName};
use countersign_domain::confirmation::client::{Client, ClientTokenHash};
use countersign_domain::confirmation::miss::MissReason;
use countersign_domain::confirmation::subject::SubjectKey;
use countersign_domain::confirmation::{
    Confirmation, Flow, Idempotency, OpenIdConfirmation, Redactable, State,
};
use countersign_domain::delivery::{Attempt, AttemptResult, FailureReason, Progress};
use countersign_domain::primitives::idempotency::RequestHash;

use super::{
    NOW, acquisition, attempt, confirmation, missed, on_whatsapp, refused_types, signature, text,
    verified, with_delivery,
};

/// Returns confirmations in every state, each with a name.
#[must_use]
pub fn in_every_state() -> Vec<(&'static str, Confirmation)> {
    let mut keyed = confirmation(1);
    keyed.idempotency = Some(Idempotency {
        request: RequestHash::new("/make-confirmation", b"{}"),
        message: "Shop: CS-{code}".to_owned(),
    });
    let missed = missed(&keyed, MissReason::WrongSender, NOW);
    let mut cancelled = keyed.clone();
    cancelled.state = State::Cancelled { at: NOW };
    let pending = verified(&keyed, &text(1), NOW);
    let without_carrier = with_carrier(&pending, Carrier::Undecided);
    let unknown_carrier = with_carrier(&pending, Carrier::Decided(CarrierName::default()));
    let claimed = with_delivery(&pending, |delivery| {
        delivery.attempts_claimed = 2;
        delivery.round_began_at = 1;
        delivery.attempts.push(Attempt {
            result: AttemptResult::NoAnswer(FailureReason::TimedOut),
            ..attempt(1, 0)
        });
        if let Progress::Pending { claimed_at, .. } = &mut delivery.progress {
            *claimed_at = Some(NOW);
        }
    });
    let delivered = with_delivery(&pending, |delivery| {
        delivery.attempts_claimed = 1;
        delivery.attempts.push(attempt(1, 200));
        delivery.signature = Some(signature(1));
        delivery.progress = Progress::Delivered { at: NOW };
    });
    let failed = with_delivery(&delivered, |delivery| {
        delivery.progress = Progress::Failed { at: NOW };
    });
    let mut redacted = delivered.clone();
    redacted.metadata = Redactable::Redacted;
    redacted.redacted_at = Some(NOW);
    redacted.flow = Flow::Confirmation {
        expected: Redactable::Redacted,
    };
    if let State::Verified(verified) = &mut redacted.state {
        verified.phone_number = Redactable::Redacted;
        verified.carrier = Carrier::Undecided;
    }
    let with_choices = Confirmation {
        refused_types: refused_types(),
        webhook_details: true,
        ..acquisition(1)
    };
    let watched = Confirmation {
        client: Some(Client {
            token: ClientTokenHash::from_bytes([7; 32]),
            watcher: "L0SM9cOFvHcCIhw=".parse().ok(),
        }),
        ..acquisition(1)
    };
    let by_openid = Confirmation {
        callback: None,
        openid: Some(OpenIdConfirmation::default()),
        ..watched.clone()
    };
    let mut returned = verified(&by_openid, &text(1), NOW);
    returned.openid = Some(OpenIdConfirmation {
        subject: Some(SubjectKey::from_bytes([6; 32])),
    });
    vec![
        ("acquisition", acquisition(1)),
        ("acquisition-with-choices", with_choices),
        ("acquisition-watched", watched),
        ("openid", by_openid),
        ("openid-returned", returned),
        ("open", keyed.clone()),
        ("open-on-whatsapp", on_whatsapp(keyed)),
        ("missed", missed),
        ("cancelled", cancelled),
        ("pending", pending),
        ("without_carrier", without_carrier),
        ("unknown_carrier", unknown_carrier),
        ("claimed", claimed),
        ("delivered", delivered),
        ("failed", failed),
        ("redacted", redacted),
    ]
}

/// Returns the verified confirmation with this carrier.
#[must_use]
pub fn with_carrier(item: &Confirmation, carrier: Carrier) -> Confirmation {
    let mut item = item.clone();
    if let State::Verified(verified) = &mut item.state {
        verified.carrier = carrier;
    }
    item
}
