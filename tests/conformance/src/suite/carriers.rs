//! Carriers: the first decision stays, and the webhook has it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use countersign_domain::confirmation::body::webhook_body;
use countersign_domain::confirmation::carrier::{Carrier, CarrierName};
use countersign_domain::confirmation::transitions::CarrierOutcome;
use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::delivery::{ClaimOutcome, Settlement, WebhookBody};
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::races::{MANY, ROUNDS, at_once, only};
use super::steps::{Got, Store, claim, create, settle, stored, verify};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::confirmations::with_carrier;
use crate::samples::{MILLI, NOW, acquisition, app_id, before, id, text};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "carrier: decision is stored and in the webhook",
        run: |store| Box::pin(is_stored(store)),
    },
    Case {
        name: "carrier: first decision stays, an empty one too",
        run: |store| Box::pin(first_stays(store)),
    },
    Case {
        name: "carrier: carrier that the text brought stays",
        run: |store| Box::pin(reported_stays(store)),
    },
    Case {
        name: "carrier: delivery goes on as it was, and the item is kept no longer",
        run: |store| Box::pin(delivery_goes_on(store)),
    },
    Case {
        name: "carrier: none is decided once an attempt was settled",
        run: |store| Box::pin(settled_stays(store)),
    },
    Case {
        name: "carrier: unknown, open, cancelled, redacted or expired confirmation gets none",
        run: |store| Box::pin(others_get_none(store)),
    },
    Case {
        name: "race: one of 64 carriers is decided, and all get it",
        run: |store| Box::pin(one_is_decided(store)),
    },
    Case {
        name: "race: carrier and claim do not undo each other",
        run: |store| Box::pin(carrier_or_claim(store)),
    },
];

fn named(item: &Confirmation, name: &str) -> Confirmation {
    with_carrier(item, Carrier::Decided(CarrierName::of(name)))
}

fn body_of(item: &Confirmation) -> Result<WebhookBody, Failure> {
    let body = webhook_body(item).ok_or_else(|| Failure::new("the item has no body"))?;
    Ok(WebhookBody::new(body.into_string()))
}

/// Stores a confirmation that a text without a carrier verified at [`NOW`].
async fn undecided(store: &Store, n: u8) -> Got {
    let open = acquisition(n);
    create(store, &open).await?;
    let mut text = text(n.into());
    text.carrier = CarrierName::default();
    verify(store, &open, &text, NOW).await
}

/// Decides the carrier, and returns the expected item.
async fn decide(store: &Store, item: &Confirmation, name: &str, at: Timestamp) -> Got {
    let expected = named(item, name);
    let name = CarrierName::of(name);
    let outcome = store
        .confirmations
        .decide_carrier(item.id, &name, at)
        .await?;
    equal(
        "decide",
        outcome,
        CarrierOutcome::Decided(body_of(&expected)?),
    )?;
    stored(store, &expected, at).await?;
    Ok(expected)
}

/// Tries to decide the carrier, and checks the answer and that this exact item stays.
async fn unchanged(
    store: &Store,
    item: &Confirmation,
    at: Timestamp,
    expected: CarrierOutcome,
) -> Checked {
    let name = CarrierName::of("Another");
    let outcome = store
        .confirmations
        .decide_carrier(item.id, &name, at)
        .await?;
    equal("decide", outcome, expected)?;
    stored(store, item, at).await
}

async fn is_stored(store: Store) -> Checked {
    let longest = "\u{10FFFF}".repeat(64);
    for (n, name) in (1..).zip(["", "Acme", "NTT ドコモ", "a\\b\"c", &longest]) {
        let item = undecided(&store, n).await?;
        let item = decide(&store, &item, name, NOW.plus(MILLI)).await?;
        let outcome = store.deliveries.claim(item.id.into(), 0, NOW).await?;
        let ClaimOutcome::Claimed(claimed) = outcome else {
            return Err(Failure::new("the attempt was not claimed"));
        };
        equal("body", claimed.body.clone(), Some(body_of(&item)?))?;
        equal("undecided", claimed.undecided_carrier.as_ref(), None)?;
    }
    Ok(())
}

async fn first_stays(store: Store) -> Checked {
    for (n, name) in [(1, ""), (2, "Acme")] {
        let item = undecided(&store, n).await?;
        let item = decide(&store, &item, name, NOW).await?;
        let kept = CarrierOutcome::Kept(body_of(&item)?);
        unchanged(&store, &item, NOW.plus(MILLI), kept).await?;
    }
    Ok(())
}

async fn reported_stays(store: Store) -> Checked {
    let open = acquisition(1);
    create(&store, &open).await?;
    let item = verify(&store, &open, &text(1), NOW).await?;
    let kept = CarrierOutcome::Kept(body_of(&item)?);
    unchanged(&store, &item, NOW, kept).await
}

async fn delivery_goes_on(store: Store) -> Checked {
    let item = undecided(&store, 1).await?;
    let item = claim(&store, &item, NOW).await?;
    let item = decide(&store, &item, "Acme", NOW.plus(MILLI)).await?;
    let at = NOW.plus(MILLI * 2);
    settle(&store, &item, 200, Settlement::Delivered, at).await?;
    let item = undecided(&store, 2).await?;
    let last = before(item.purge_at, MILLI);
    decide(&store, &item, "Acme", last).await.map(drop)
}

async fn settled_stays(store: Store) -> Checked {
    let retry = Settlement::Retry {
        at: NOW,
        due_at: NOW,
    };
    for (n, settlement) in [(1, Settlement::Delivered), (2, retry)] {
        let item = undecided(&store, n).await?;
        let item = claim(&store, &item, NOW).await?;
        let item = settle(&store, &item, 500, settlement, NOW).await?;
        let kept = CarrierOutcome::Kept(body_of(&item)?);
        unchanged(&store, &item, NOW, kept).await?;
    }
    Ok(())
}

async fn others_get_none(store: Store) -> Checked {
    let none = CarrierOutcome::Unchanged;
    let name = CarrierName::of("Acme");
    let outcome = store
        .confirmations
        .decide_carrier(id(9), &name, NOW)
        .await?;
    equal("decide", outcome, none.clone())?;
    equal("find", store.confirmations.find(id(9), NOW).await?, None)?;

    let (open, demo) = (acquisition(1), app_id("demo"));
    create(&store, &open).await?;
    unchanged(&store, &open, NOW, none.clone()).await?;
    store.confirmations.cancel(open.id, &demo, NOW).await?;
    let cancelled = Confirmation {
        state: State::Cancelled { at: NOW },
        ..open
    };
    unchanged(&store, &cancelled, NOW, none.clone()).await?;

    let item = undecided(&store, 2).await?;
    let item = claim(&store, &item, NOW).await?;
    let item = settle(&store, &item, 200, Settlement::Delivered, NOW).await?;
    store.confirmations.redact(item.id, &demo, NOW).await?;
    let redacted = store.confirmations.find(item.id, NOW).await?;
    let redacted = redacted.ok_or_else(|| Failure::new("the item is gone"))?;
    unchanged(&store, &redacted, NOW, none.clone()).await?;

    let item = undecided(&store, 3).await?;
    let gone = item.purge_at;
    let outcome = store.confirmations.decide_carrier(item.id, &name, gone);
    equal("decide", outcome.await?, none)
}

async fn one_is_decided(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = undecided(&store, round).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), item.id);
            async move {
                let name = CarrierName::of(&format!("Carrier {n}"));
                store.confirmations.decide_carrier(id, &name, NOW).await
            }
        })
        .await?;
        let is_decided = |outcome: &CarrierOutcome| matches!(outcome, CarrierOutcome::Decided(_));
        let winner = only(&outcomes, is_decided)?;
        let expected = named(&item, &format!("Carrier {winner}"));
        stored(&store, &expected, NOW).await?;
        let body = body_of(&expected)?;
        for outcome in outcomes {
            let same = match &outcome {
                CarrierOutcome::Decided(got) | CarrierOutcome::Kept(got) => *got == body,
                CarrierOutcome::Unchanged => false,
            };
            holds("every answer has the decided carrier", same)?;
        }
    }
    Ok(())
}

async fn carrier_or_claim(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = undecided(&store, round).await?;
        let is_claimed = Arc::new(AtomicBool::new(false));
        let outcomes = at_once(MANY, |n| {
            let (store, id, is_claimed) = (Arc::clone(&store), item.id, Arc::clone(&is_claimed));
            async move {
                if n == 40 {
                    let claim = store.deliveries.claim(id.into(), 0, NOW).await?;
                    is_claimed.store(true, Ordering::SeqCst);
                    return Ok((claim != ClaimOutcome::Stale, true));
                }
                let name = CarrierName::of("Acme");
                store.confirmations.decide_carrier(id, &name, NOW).await?;
                // A decision that undoes the claim may itself be undone by the next one, so each looks
                // at what it left.
                let was_claimed = is_claimed.load(Ordering::SeqCst);
                let found = store.confirmations.find(id, NOW).await?;
                let claims = found.map_or(0, |item| super::steps::claims(&item));
                Ok((false, !was_claimed || claims == 1))
            }
        })
        .await?;
        only(&outcomes, |(claimed, _)| *claimed)?;
        let stood = outcomes.iter().all(|(_, stood)| *stood);
        holds("the claim stands after each decision", stood)?;
        let found = store.confirmations.find(item.id, NOW).await?;
        let verified = found.as_ref().and_then(Confirmation::verified);
        let kept = verified.map(|v| (v.carrier.name(), v.delivery.attempts_claimed));
        equal("carrier and claims", kept, Some(("Acme", 1)))?;
    }
    Ok(())
}
