use std::time::Duration;

use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::confirmation::miss::MissReason;
use countersign_domain::confirmation::transitions::{
    CancelOutcome, RedeliverOutcome, TextEvidence, VerifyOutcome, VerifyRefusal,
};
use countersign_domain::confirmation::{Confirmation, State};
use countersign_domain::delivery::{HORIZON, Settlement};
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::steps::{Store, claim, create, ended, pending, pointer_to, stored, verify};
use crate::check::{Checked, equal};
use crate::samples::{
    MILLI, NOW, OTHER_PHONE, PHONE, RETENTION, WHATSAPP, acquisition, app_id, before, confirmation,
    id, missed, on_whatsapp, text, text_from, text_on_whatsapp,
};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "verify: acquisition accepts any sender",
        run: |store| Box::pin(any_sender(store)),
    },
    Case {
        name: "verify: confirmation accepts only the expected sender",
        run: |store| Box::pin(expected_sender_only(store)),
    },
    Case {
        name: "verify: text on WhatsApp counts at the confirmation's own number alone",
        run: |store| Box::pin(own_number_on_whatsapp(store)),
    },
    Case {
        name: "verify: text on WhatsApp expires and is used up like any other",
        run: |store| Box::pin(whatsapp_expires(store)),
    },
    Case {
        name: "verify: text counts until expires_at, to the millisecond",
        run: |store| Box::pin(until_expiry(store)),
    },
    Case {
        name: "verify: cancelled confirmation refuses every text",
        run: |store| Box::pin(cancelled_refuses_texts(store)),
    },
    Case {
        name: "verify: code works only once",
        run: |store| Box::pin(works_once(store)),
    },
    Case {
        name: "verify: unknown code is refused",
        run: |store| Box::pin(unknown_is_refused(store)),
    },
    Case {
        name: "verify: repeated text returns the pointer until the first attempt",
        run: |store| Box::pin(repeated_text(store)),
    },
    Case {
        name: "verify: repeated text returns no pointer after a redelivery",
        run: |store| Box::pin(repeated_text_after_redelivery(store)),
    },
    Case {
        name: "verify: item is kept for the retention after the retry horizon",
        run: |store| Box::pin(kept_for_retention(store)),
    },
];

async fn refused(
    store: &Store,
    item: &Confirmation,
    from: &str,
    at: Timestamp,
    refusal: VerifyRefusal,
) -> Checked {
    refused_text(store, item, &text_from(99, from), at, refusal).await
}

async fn refused_text(
    store: &Store,
    item: &Confirmation,
    text: &TextEvidence,
    at: Timestamp,
    refusal: VerifyRefusal,
) -> Checked {
    let outcome = store
        .confirmations
        .verify(item.id, text, at, RETENTION)
        .await?;
    equal("verify", outcome, VerifyOutcome::Refused(refusal))?;
    stored(store, item, at).await
}

async fn any_sender(store: Store) -> Checked {
    for (n, from) in [(1, "+12025550100"), (2, OTHER_PHONE)] {
        let open = acquisition(n);
        create(&store, &open).await?;
        let mut text = text_from(1, from);
        if n == 2 {
            text.carrier = CarrierName::default();
        }
        let at = NOW.plus(Duration::from_secs(20));
        let item = verify(&store, &open, &text, at).await?;
        stored(&store, &item, at).await?;
    }
    Ok(())
}

async fn expected_sender_only(store: Store) -> Checked {
    let open = confirmation(1);
    create(&store, &open).await?;
    let other = missed(&open, MissReason::WrongSender, NOW);
    refused(&store, &other, OTHER_PHONE, NOW, VerifyRefusal::WrongSender).await?;
    let item = verify(&store, &open, &text(2), NOW).await?;
    stored(&store, &item, NOW).await
}

async fn own_number_on_whatsapp(store: Store) -> Checked {
    let wrong = VerifyRefusal::WrongRecipient;
    let own = text_on_whatsapp(1, PHONE, WHATSAPP);
    let others = [
        text_on_whatsapp(2, PHONE, "+12025550178"),
        // A wrong recipient is reported before a wrong sender.
        text_on_whatsapp(3, OTHER_PHONE, "+12025550178"),
        // A number for texts is none on WhatsApp.
        text_on_whatsapp(4, PHONE, "+12025550199"),
    ];
    for (n, open) in (1..).zip([acquisition(1), confirmation(2), acquisition(3)]) {
        // The app of the last one names no number on WhatsApp.
        let open = if n == 3 { open } else { on_whatsapp(open) };
        create(&store, &open).await?;
        let item = missed(&open, MissReason::WrongRecipient, NOW);
        for other in &others {
            refused_text(&store, &item, other, NOW, wrong).await?;
        }
        if n == 3 {
            refused_text(&store, &item, &own, NOW, wrong).await?;
        } else {
            let item = verify(&store, &open, &own, NOW).await?;
            stored(&store, &item, NOW).await?;
        }
    }
    // The number on WhatsApp is additional.
    let open = on_whatsapp(confirmation(4));
    create(&store, &open).await?;
    let item = verify(&store, &open, &text(1), NOW).await?;
    stored(&store, &item, NOW).await
}

async fn whatsapp_expires(store: Store) -> Checked {
    let text = |message, from| text_on_whatsapp(message, from, WHATSAPP);
    let open = on_whatsapp(confirmation(1));
    create(&store, &open).await?;
    let sender = missed(&open, MissReason::WrongSender, NOW);
    let other = text(1, OTHER_PHONE);
    refused_text(&store, &sender, &other, NOW, VerifyRefusal::WrongSender).await?;
    let last = before(open.expires_at, MILLI);
    let item = verify(&store, &open, &text(2, PHONE), last).await?;
    stored(&store, &item, last).await?;
    refused_text(
        &store,
        &item,
        &text(3, PHONE),
        last,
        VerifyRefusal::AlreadyUsed,
    )
    .await?;
    let repeated = store
        .confirmations
        .verify(item.id, &text(2, PHONE), last, RETENTION)
        .await?;
    let pointer = Some(pointer_to(&item, 0));
    equal("verify", repeated, VerifyOutcome::Repeated { pointer })?;
    // Expiry is reported before a wrong recipient.
    for (n, to) in [(2, WHATSAPP), (3, "+12025550178")] {
        let open = on_whatsapp(acquisition(n));
        create(&store, &open).await?;
        let late = missed(&open, MissReason::Late, open.expires_at);
        let text = text_on_whatsapp(4, PHONE, to);
        refused_text(
            &store,
            &late,
            &text,
            open.expires_at,
            VerifyRefusal::Expired,
        )
        .await?;
    }
    Ok(())
}

async fn until_expiry(store: Store) -> Checked {
    for (n, open) in [(1, acquisition(1)), (2, confirmation(2))] {
        create(&store, &open).await?;
        let last = before(open.expires_at, MILLI);
        let item = verify(&store, &open, &text(n), last).await?;
        stored(&store, &item, last).await?;
    }
    for open in [acquisition(3), confirmation(4)] {
        create(&store, &open).await?;
        let day = NOW.plus(Duration::from_hours(23));
        let item = missed(&open, MissReason::Late, open.expires_at);
        for late in [open.expires_at, open.expires_at.plus(MILLI), day] {
            refused(&store, &item, "+12025550100", late, VerifyRefusal::Expired).await?;
        }
        // Expiry is reported before a wrong sender.
        refused(&store, &item, OTHER_PHONE, day, VerifyRefusal::Expired).await?;
    }
    Ok(())
}

async fn cancelled_refuses_texts(store: Store) -> Checked {
    let open = confirmation(1);
    create(&store, &open).await?;
    let outcome = store
        .confirmations
        .cancel(open.id, &app_id("demo"), NOW)
        .await?;
    let item = Confirmation {
        state: State::Cancelled { at: NOW },
        ..open
    };
    let answered = CancelOutcome::Cancelled(Box::new(item.clone()));
    equal("cancel", outcome, answered)?;
    for at in [NOW, item.expires_at] {
        refused(&store, &item, "+12025550100", at, VerifyRefusal::Cancelled).await?;
    }
    Ok(())
}

async fn works_once(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    for at in [NOW, item.expires_at, before(item.purge_at, MILLI)] {
        refused(
            &store,
            &item,
            "+12025550100",
            at,
            VerifyRefusal::AlreadyUsed,
        )
        .await?;
        refused(&store, &item, OTHER_PHONE, at, VerifyRefusal::AlreadyUsed).await?;
    }
    Ok(())
}

async fn unknown_is_refused(store: Store) -> Checked {
    create(&store, &acquisition(1)).await?;
    let outcome = store
        .confirmations
        .verify(id(2), &text(1), NOW, RETENTION)
        .await?;
    let refused = VerifyOutcome::Refused(VerifyRefusal::Unknown);
    equal("verify", outcome, refused)?;
    equal("find", store.confirmations.find(id(2), NOW).await?, None)
}

async fn repeated_text(store: Store) -> Checked {
    let item = pending(&store, 1).await?;
    let pointer = Some(pointer_to(&item, 0));
    // A repeated text is recognized by its fingerprint alone, even after expiry.
    for (from, at) in [
        ("+12025550100", NOW),
        (OTHER_PHONE, item.expires_at.plus(MILLI)),
    ] {
        let outcome = store
            .confirmations
            .verify(item.id, &text_from(1, from), at, RETENTION)
            .await?;
        equal("verify", outcome, VerifyOutcome::Repeated { pointer })?;
        stored(&store, &item, at).await?;
    }
    let claimed = claim(&store, &item, NOW).await?;
    let delivered = ended(&store, 2, Settlement::Delivered).await?;
    let failed = ended(&store, 3, Settlement::Failed).await?;
    for (message, item) in [(1, claimed), (2, delivered), (3, failed)] {
        let text = text(message);
        let outcome = store
            .confirmations
            .verify(item.id, &text, NOW, RETENTION)
            .await?;
        let nothing = VerifyOutcome::Repeated { pointer: None };
        equal("verify", outcome, nothing)?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn repeated_text_after_redelivery(store: Store) -> Checked {
    let item = ended(&store, 1, Settlement::Failed).await?;
    let demo = app_id("demo");
    let outcome = store
        .confirmations
        .redeliver(item.id, &demo, NOW, RETENTION)
        .await?;
    if !matches!(outcome, RedeliverOutcome::Owed { .. }) {
        return equal("redeliver", Some(outcome), None);
    }
    let outcome = store
        .confirmations
        .verify(item.id, &text(1), NOW, RETENTION)
        .await?;
    equal("verify", outcome, VerifyOutcome::Repeated { pointer: None })
}

async fn kept_for_retention(store: Store) -> Checked {
    let retentions = [
        Duration::ZERO,
        Duration::from_hours(1),
        Duration::from_hours(24 * 365),
    ];
    for (n, retention) in (1..).zip(retentions) {
        let open = acquisition(n);
        create(&store, &open).await?;
        store
            .confirmations
            .verify(open.id, &text(1), NOW, retention)
            .await?;
        let kept_until = store
            .confirmations
            .find(open.id, NOW)
            .await?
            .map(|item| item.purge_at);
        let expected = NOW.plus(HORIZON).plus(retention);
        equal("purge_at", kept_until, Some(expected))?;
    }
    // Verification never makes purge_at earlier.
    let mut open = acquisition(9);
    open.purge_at = NOW.plus(Duration::from_hours(24 * 90));
    create(&store, &open).await?;
    store
        .confirmations
        .verify(open.id, &text(1), NOW, RETENTION)
        .await?;
    let kept_until = store
        .confirmations
        .find(open.id, NOW)
        .await?
        .map(|item| item.purge_at);
    equal("purge_at", kept_until, Some(open.purge_at))
}
