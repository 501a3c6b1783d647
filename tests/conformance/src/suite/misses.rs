//! Texts that came close: the first one is recorded, and nothing else.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::confirmation::miss::{MissReason, Unfit};
use countersign_domain::confirmation::transitions::{MissOutcome, RedactOutcome, VerifyOutcome};
use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::races::{MANY, ROUNDS, at_once, only};
use super::steps::{Store, create, pending, stored, verify};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::{
    MILLI, NOW, OTHER_PHONE, RETENTION, acquisition, app_id, before, confirmation, id, missed,
    text, text_from, verified,
};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "miss: first text that came close is recorded, and the right one still verifies",
        run: |store| Box::pin(first_is_recorded(store)),
    },
    Case {
        name: "miss: later texts do not replace the first",
        run: |store| Box::pin(first_stays(store)),
    },
    Case {
        name: "miss: text is late from expires_at, to the millisecond",
        run: |store| Box::pin(late_from_expiry(store)),
    },
    Case {
        name: "miss: item is kept no longer",
        run: |store| Box::pin(kept_no_longer(store)),
    },
    Case {
        name: "miss: unknown, verified or cancelled confirmation records none",
        run: |store| Box::pin(ended_records_none(store)),
    },
    Case {
        name: "miss: redacted confirmation records none, and keeps the one that it has",
        run: |store| Box::pin(redacted_records_none(store)),
    },
    Case {
        name: "race: one of 64 misses is recorded",
        run: |store| Box::pin(misses(store)),
    },
    Case {
        name: "race: misses never undo a verification",
        run: |store| Box::pin(misses_or_text(store)),
    },
];

async fn record(store: &Store, item: &Confirmation, unfit: Unfit, at: Timestamp) -> Checked {
    let outcome = store.confirmations.record_miss(item.id, unfit, at).await?;
    equal("record_miss", outcome, MissOutcome::Recorded)
}

/// Tries to record a miss, and checks that this exact item stays.
async fn unchanged(store: &Store, item: &Confirmation, at: Timestamp) -> Checked {
    for unfit in [Unfit::Sender, Unfit::Recipient] {
        let outcome = store.confirmations.record_miss(item.id, unfit, at).await?;
        equal("record_miss", outcome, MissOutcome::Unchanged)?;
    }
    stored(store, item, at).await
}

/// Sends a text that must be refused.
async fn refused(store: &Store, item: &Confirmation, from: &str, at: Timestamp) -> Checked {
    let text = text_from(99, from);
    let verify = store.confirmations.verify(item.id, &text, at, RETENTION);
    let refused = matches!(verify.await?, VerifyOutcome::Refused(_));
    holds("the text is refused", refused)
}

async fn first_is_recorded(store: Store) -> Checked {
    let at = NOW.plus(Duration::from_secs(20));
    let causes = [
        (None, MissReason::WrongSender),
        (Some(Unfit::Sender), MissReason::WrongSender),
        (Some(Unfit::Recipient), MissReason::WrongRecipient),
    ];
    for (n, (unfit, reason)) in (1..).zip(causes) {
        let open = confirmation(n);
        create(&store, &open).await?;
        match unfit {
            None => refused(&store, &open, OTHER_PHONE, at).await?,
            Some(unfit) => record(&store, &open, unfit, at).await?,
        }
        stored(&store, &missed(&open, reason, at), at).await?;
        let item = verify(&store, &open, &text(1), at.plus(MILLI)).await?;
        stored(&store, &item, at.plus(MILLI)).await?;
    }
    Ok(())
}

async fn first_stays(store: Store) -> Checked {
    for n in [1, 2] {
        let open = confirmation(n);
        create(&store, &open).await?;
        let item = if n == 1 {
            refused(&store, &open, OTHER_PHONE, NOW).await?;
            missed(&open, MissReason::WrongSender, NOW)
        } else {
            record(&store, &open, Unfit::Recipient, NOW).await?;
            missed(&open, MissReason::WrongRecipient, NOW)
        };
        for at in [NOW.plus(MILLI), open.expires_at] {
            refused(&store, &item, OTHER_PHONE, at).await?;
            unchanged(&store, &item, at).await?;
        }
    }
    Ok(())
}

async fn late_from_expiry(store: Store) -> Checked {
    for (n, unfit) in [(1, Unfit::Sender), (2, Unfit::Recipient)] {
        let open = acquisition(n);
        create(&store, &open).await?;
        let last = before(open.expires_at, MILLI);
        record(&store, &open, unfit, last).await?;
        stored(&store, &missed(&open, unfit.reason(), last), last).await?;

        let open = acquisition(n + 2);
        create(&store, &open).await?;
        let late = open.expires_at;
        record(&store, &open, unfit, late).await?;
        stored(&store, &missed(&open, MissReason::Late, late), late).await?;
    }
    let open = confirmation(5);
    create(&store, &open).await?;
    refused(&store, &open, OTHER_PHONE, open.expires_at).await?;
    let late = missed(&open, MissReason::Late, open.expires_at);
    stored(&store, &late, open.expires_at).await
}

async fn kept_no_longer(store: Store) -> Checked {
    for n in [1, 2] {
        let open = confirmation(n);
        create(&store, &open).await?;
        let last = before(open.purge_at, MILLI);
        if n == 1 {
            refused(&store, &open, OTHER_PHONE, last).await?;
        } else {
            record(&store, &open, Unfit::Recipient, last).await?;
        }
        stored(&store, &missed(&open, MissReason::Late, last), last).await?;
        let gone = store.confirmations.find(open.id, open.purge_at).await?;
        equal("find", gone, None)?;
        let outcome = store
            .confirmations
            .record_miss(open.id, Unfit::Recipient, open.purge_at)
            .await?;
        equal("record_miss", outcome, MissOutcome::Unchanged)?;
    }
    Ok(())
}

async fn ended_records_none(store: Store) -> Checked {
    let demo = app_id("demo");
    let outcome = store
        .confirmations
        .record_miss(id(9), Unfit::Recipient, NOW)
        .await?;
    equal("record_miss", outcome, MissOutcome::Unchanged)?;
    equal("find", store.confirmations.find(id(9), NOW).await?, None)?;
    let owed = pending(&store, 1).await?;
    unchanged(&store, &owed, NOW).await?;
    // A cancellation drops the miss.
    let open = acquisition(2);
    create(&store, &open).await?;
    record(&store, &open, Unfit::Recipient, NOW).await?;
    store.confirmations.cancel(open.id, &demo, NOW).await?;
    let cancelled = Confirmation {
        state: State::Cancelled { at: NOW },
        ..open
    };
    for at in [NOW, cancelled.expires_at] {
        unchanged(&store, &cancelled, at).await?;
    }
    Ok(())
}

async fn redacted_records_none(store: Store) -> Checked {
    for n in [1, 2] {
        let open = confirmation(n);
        create(&store, &open).await?;
        if n == 2 {
            record(&store, &open, Unfit::Sender, NOW).await?;
        }
        let (demo, at) = (app_id("demo"), open.expires_at);
        let outcome = store.confirmations.redact(open.id, &demo, at).await?;
        let RedactOutcome::Redacted(item) = outcome else {
            return Err(Failure::new(format_args!("redact answered {outcome:?}")));
        };
        equal("misses", item.last_miss().is_some(), n == 2)?;
        refused(&store, &item, OTHER_PHONE, at).await?;
        unchanged(&store, &item, at).await?;
    }
    Ok(())
}

async fn misses(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let open = confirmation(round);
        create(&store, &open).await?;
        // Texts from other numbers, and texts to other numbers. Each looks afterwards at what was
        // recorded.
        let seen = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), open.id);
            let at = NOW.plus(MILLI * u32::from(n));
            async move {
                let confirmations = &store.confirmations;
                if n % 2 == 0 {
                    let other = text_from(n.into(), OTHER_PHONE);
                    confirmations.verify(id, &other, at, RETENTION).await?;
                } else {
                    let unfit = Unfit::Recipient;
                    confirmations.record_miss(id, unfit, at).await?;
                }
                confirmations.find(id, NOW).await
            }
        })
        .await?;
        let kept = store.confirmations.find(open.id, NOW).await?;
        let recorded = kept.as_ref().and_then(Confirmation::last_miss);
        holds("a miss is recorded", recorded.is_some())?;
        for found in seen {
            equal("what each text found", found, kept.clone())?;
        }
    }
    Ok(())
}

async fn misses_or_text(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let open = confirmation(round);
        create(&store, &open).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), open.id);
            async move {
                let confirmations = &store.confirmations;
                let text = match n {
                    40 => text(40),
                    _ if n % 2 == 0 => text_from(n.into(), OTHER_PHONE),
                    _ => {
                        let unfit = Unfit::Recipient;
                        confirmations.record_miss(id, unfit, NOW).await?;
                        return Ok(None);
                    }
                };
                let outcome = confirmations.verify(id, &text, NOW, RETENTION).await?;
                Ok(Some(outcome))
            }
        })
        .await?;
        let is_verified =
            |outcome: &Option<_>| matches!(outcome, Some(VerifyOutcome::Verified { .. }));
        equal("winner", only(&outcomes, is_verified)?, 40)?;
        stored(&store, &verified(&open, &text(40), NOW), NOW).await?;
    }
    Ok(())
}
