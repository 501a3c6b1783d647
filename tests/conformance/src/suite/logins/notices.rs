//! The webhook owed for a decided login.

use std::time::Duration;

use countersign_domain::delivery::{
    CLAIM_LEASE, CLAIM_TOLERANCE, DeliveryLane, DeliveryPointer, DeliverySubject, HORIZON,
    LATENESS, PostponeOutcome, Progress, SettleOutcome, Settlement,
};
use countersign_domain::login::store::{DueNotice, LoginStore};
use countersign_domain::login::transitions::{
    ClaimNoticeOutcome, ConfirmOutcome, DenyOutcome, RedeemOutcome,
};
use countersign_domain::login::{KEPT, Login, Status};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;

use super::steps::{Got, Store, confirmed, create, created, denied, initiate, scanned, stored};
use crate::all_due;
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::logins::{answer, answer_of, browser_key, sealed, session};
use crate::samples::{MILLI, NOW, app_id, before, settled};
use crate::suite::Case;
use crate::suite::races::{MANY, at_once};

pub(super) const CASES: &[Case<dyn LoginStore>] = &[
    Case {
        name: "notice: owed from the decision on, where the app wants one",
        run: |store| Box::pin(owed_for(store)),
    },
    Case {
        name: "notice: what it says stays when the payload is taken",
        run: |store| Box::pin(stays(store)),
    },
    Case {
        name: "notice: due at its time, the longest first, and no more than asked for",
        run: |store| Box::pin(due(store)),
    },
    Case {
        name: "notice: due by lane, each by itself",
        run: |store| Box::pin(lanes(store)),
    },
    Case {
        name: "notice: an attempt is claimed once, by its number",
        run: |store| Box::pin(claimed_once(store)),
    },
    Case {
        name: "notice: claimed not before its time, and again when the lease is over",
        run: |store| Box::pin(claimed_in_time(store)),
    },
    Case {
        name: "notice: gone once it is delivered or given up",
        run: |store| Box::pin(gone(store)),
    },
    Case {
        name: "notice: kept for the next attempt",
        run: |store| Box::pin(again(store)),
    },
    Case {
        name: "notice: postponed from the instant that was seen",
        run: |store| Box::pin(postponed(store)),
    },
    Case {
        name: "notice: of 64 claims one gets the attempt",
        run: |store| Box::pin(claims(store)),
    },
];

/// When the sweep looks after a notice that was owed at [`NOW`].
fn first_due() -> Timestamp {
    NOW.plus(Duration::from_mins(1))
}

/// A session of an app that wants to be told, which phone 1 opened at [`NOW`].
async fn scanned_with_callback(store: &Store, n: u8) -> Got {
    scanned_of(store, n, "demo").await
}

async fn scanned_of(store: &Store, n: u8, app: &str) -> Got {
    let mut item = session(n);
    item.app = app_id(app);
    item.encryption = countersign_domain::login::Encryption::Offered(browser_key());
    item.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
    create(store, &item).await?;
    initiate(store, &item, &[], NOW).await
}

/// The same, confirmed at [`NOW`]; the item as the store has it.
async fn owed(store: &Store, n: u8) -> Got {
    let item = scanned_with_callback(store, n).await?;
    match store.confirm(item.id, answer(1, "yes"), NOW).await? {
        ConfirmOutcome::Confirmed(item) => Ok(*item),
        other => Err(Failure::new(format!("confirm: {other:?}"))),
    }
}

fn pointer(item: &Login, attempts_claimed: u32) -> Result<DeliveryPointer, Failure> {
    let group = item.pointer().ok_or(Failure::new("no pointer"))?.group;
    Ok(DeliveryPointer {
        subject: DeliverySubject::Login(item.id),
        attempts_claimed,
        group,
    })
}

fn says(item: &Login, expected: &str) -> Checked {
    let notice = item.notice.as_ref().ok_or(Failure::new("no notice"))?;
    equal("body", notice.body.as_str(), expected)?;
    let owed = Progress::Pending {
        next_attempt_at: NOW,
        due_at: first_due(),
        claimed_at: None,
    };
    equal("progress", &notice.delivery.progress, &owed)?;
    equal("attempts claimed", notice.delivery.attempts_claimed, 0)?;
    equal("purge_at", item.purge_at, NOW.plus(HORIZON))
}

/// An item with its notice's progress changed.
fn with_progress(item: &Login, attempts_claimed: u32, progress: Progress) -> Login {
    let mut item = item.clone();
    if let Some(notice) = &mut item.notice {
        notice.delivery.attempts_claimed = attempts_claimed;
        notice.delivery.progress = progress;
    }
    item
}

async fn owed_for(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    says(
        &item,
        concat!(
            r#"{"claimedPublicUserId":"person@shop.example","event":"login.confirmed","payload":"yes","#,
            r#""result":"confirmed","sessionId":"qrs_01010101010101010101010101010101","#,
            r#""timestamp":"2026-01-02T03:04:05.678Z"}"#
        ),
    )?;
    stored(&store, &item, NOW).await?;
    let item = scanned_with_callback(&store, 2).await?;
    match store.deny(item.id, answer_of(1, sealed()), NOW).await? {
        DenyOutcome::Denied(item) => {
            says(
                &item,
                concat!(
                    r#"{"claimedPublicUserId":"person@shop.example","event":"login.denied","#,
                    r#""result":"denied","sessionId":"qrs_02020202020202020202020202020202","#,
                    r#""timestamp":"2026-01-02T03:04:05.678Z"}"#
                ),
            )?;
            stored(&store, &item, NOW).await?;
        }
        other => return Err(Failure::new(format!("deny: {other:?}"))),
    }
    for item in [confirmed(&store, 3).await?, denied(&store, 4).await?] {
        equal("notice", item.notice, None)?;
    }
    // The same again owes nothing more.
    let outcome = store
        .confirm(item_id(1), answer(1, "yes"), NOW.plus(MILLI))
        .await?;
    equal("confirm", outcome, ConfirmOutcome::Repeated)?;
    let due = all_due::notices(&*store, first_due()).await?;
    let expected = [1, 2].map(|n| DueNotice {
        due_at: first_due(),
        session: item_id(n),
        lane: lane(),
    });
    equal("due", due, expected.to_vec())
}

const fn item_id(n: u8) -> countersign_domain::primitives::ids::LoginId {
    crate::samples::logins::session_id(n)
}

async fn stays(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    match store.redeem(item.id, &item.browser_token, NOW).await? {
        RedeemOutcome::Redeemed { login, .. } => {
            equal("notice", &login.notice, &item.notice)?;
            equal("purge_at", login.purge_at, item.purge_at)?;
            stored(&store, &login, NOW).await?;
        }
        other => return Err(Failure::new(format!("redeem: {other:?}"))),
    }
    match store.claim_notice(item.id, 0, NOW).await? {
        ClaimNoticeOutcome::Claimed(session) => {
            equal("status", session.status(NOW), Status::Consumed)
        }
        ClaimNoticeOutcome::Stale => Err(Failure::new("nothing was owed any more")),
    }
}

async fn due(store: Store) -> Checked {
    for (n, after) in [(1, 2), (2, 0), (3, 1)] {
        let item = scanned_with_callback(&store, n).await?;
        let at = NOW.plus(MILLI * after);
        store.confirm(item.id, answer(1, "yes"), at).await?;
    }
    // What is not owed is not due.
    scanned(&store, 4).await?;
    confirmed(&store, 5).await?;
    let entry = |n: u8, after: u32| DueNotice {
        due_at: first_due().plus(MILLI * after),
        session: item_id(n),
        lane: lane(),
    };
    let found = all_due::notices(&*store, before(first_due(), MILLI)).await?;
    equal("due", found, vec![])?;
    let found = all_due::notices(&*store, first_due()).await?;
    equal("due", found, vec![entry(2, 0)])?;
    let mut found = all_due::notices(&*store, first_due().plus(MILLI * 2)).await?;
    found.sort();
    let all = vec![entry(2, 0), entry(3, 1), entry(1, 2)];
    equal("due", &found, &all)?;
    let at = first_due().plus(MILLI * 2);
    let found = store.due_notices(lane(), at, None, 2).await?;
    equal("due", found.as_slice(), &all[..2])?;
    let rest = store.due_notices(lane(), at, Some(all[1]), 2).await?;
    equal("the rest", rest.as_slice(), &all[2..])?;
    let other = DeliveryLane::of(&app_id("demo"));
    let found = store.due_notices(other, at, None, 2).await?;
    equal("another lane", found, vec![])
}

async fn lanes(store: Store) -> Checked {
    let mut expected = Vec::new();
    for (n, app) in [(1, "first"), (2, "second"), (3, "second")] {
        let item = scanned_of(&store, n, app).await?;
        store.confirm(item.id, answer(1, "yes"), NOW).await?;
        expected.push(DueNotice {
            due_at: first_due(),
            session: item.id,
            lane: item.lane(),
        });
    }
    let found = all_due::notices(&*store, first_due()).await?;
    equal("due", found.as_slice(), expected.as_slice())?;
    equal(
        "early",
        store.due_notice_lanes(before(first_due(), MILLI)).await?,
        vec![],
    )?;
    let mut lanes = store.due_notice_lanes(first_due()).await?;
    lanes.sort();
    let mut both = vec![expected[0].lane, expected[1].lane];
    both.sort();
    equal("lanes", lanes, both)?;
    let found = store
        .due_notices(expected[0].lane, first_due(), None, 9)
        .await?;
    equal("of the first", found.as_slice(), &expected[..1])?;
    let found = store
        .due_notices(expected[1].lane, first_due(), None, 9)
        .await?;
    equal("of the second", found.as_slice(), &expected[1..])
}

fn lane() -> DeliveryLane {
    DeliveryLane::of_logins(&app_id("demo"))
}

/// Claims the next attempt; the item as it must be then.
async fn claim(store: &Store, item: &Login, made: u32, at: Timestamp) -> Got {
    let notice = item.notice.as_ref().ok_or(Failure::new("no notice"))?;
    let Progress::Pending {
        next_attempt_at,
        due_at,
        ..
    } = notice.delivery.progress
    else {
        return Err(Failure::new("nothing is owed"));
    };
    let progress = Progress::Pending {
        next_attempt_at,
        due_at,
        claimed_at: Some(at),
    };
    let expected = with_progress(item, made + 1, progress);
    let outcome = store.claim_notice(item.id, made, at).await?;
    let claimed = ClaimNoticeOutcome::Claimed(Box::new(expected.clone()));
    equal("claim", outcome, claimed)?;
    Ok(expected)
}

async fn claimed_once(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    for wrong in [1, 2, u32::MAX] {
        let outcome = store.claim_notice(item.id, wrong, NOW).await?;
        equal("claim", outcome, ClaimNoticeOutcome::Stale)?;
    }
    let item = claim(&store, &item, 0, NOW).await?;
    for wrong in [0, 1, 2] {
        let outcome = store.claim_notice(item.id, wrong, NOW).await?;
        equal("claim", outcome, ClaimNoticeOutcome::Stale)?;
    }
    stored(&store, &item, NOW).await?;
    let due = all_due::notices(&*store, first_due()).await?;
    equal("due", due.len(), 1)?;
    for none in [created(&store, 2).await?, confirmed(&store, 3).await?] {
        let outcome = store.claim_notice(none.id, 0, NOW).await?;
        equal("claim", outcome, ClaimNoticeOutcome::Stale)?;
    }
    Ok(())
}

async fn claimed_in_time(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    let item = claim(&store, &item, 0, NOW).await?;
    let last = before(NOW.plus(CLAIM_LEASE), MILLI);
    let outcome = store.claim_notice(item.id, 1, last).await?;
    equal("claim", outcome, ClaimNoticeOutcome::Stale)?;
    let item = claim(&store, &item, 1, NOW.plus(CLAIM_LEASE)).await?;
    let at = NOW.plus(Duration::from_mins(10));
    let retry = Settlement::Retry { at, due_at: at };
    let outcome = store.settle_notice(item.id, settled(2, 500, retry), NOW);
    let next = pointer(&item, 2)?;
    let expected = SettleOutcome::Settled {
        pointer: Some(next),
    };
    equal("settle", outcome.await?, expected)?;
    let early = before(at, CLAIM_TOLERANCE + MILLI);
    let outcome = store.claim_notice(item.id, 2, early).await?;
    equal("claim", outcome, ClaimNoticeOutcome::Stale)?;
    let outcome = store
        .claim_notice(item.id, 2, before(at, CLAIM_TOLERANCE))
        .await?;
    let claimed = matches!(outcome, ClaimNoticeOutcome::Claimed(_));
    holds("an attempt can be claimed a little early", claimed)
}

async fn gone(store: Store) -> Checked {
    for (n, (status, settlement)) in
        (1..).zip([(200, Settlement::Delivered), (410, Settlement::Failed)])
    {
        let item = owed(&store, n).await?;
        let at = NOW.plus(Duration::from_secs(2));
        let wrong = store.settle_notice(item.id, settled(1, status, settlement), at);
        equal("settle", wrong.await?, SettleOutcome::Superseded)?;
        let item = claim(&store, &item, 0, NOW).await?;
        let wrong = store.settle_notice(item.id, settled(2, status, settlement), at);
        equal("settle", wrong.await?, SettleOutcome::Superseded)?;
        stored(&store, &item, NOW).await?;

        let mut expected = item.clone();
        expected.notice = None;
        expected.purge_at = item.expires_at().max(at).plus(KEPT);
        let outcome = store.settle_notice(item.id, settled(1, status, settlement), at);
        let done = SettleOutcome::Settled { pointer: None };
        equal("settle", outcome.await?, done)?;
        stored(&store, &expected, at).await?;
        let again = store.settle_notice(item.id, settled(1, status, settlement), at);
        equal("settle", again.await?, SettleOutcome::Superseded)?;
        let outcome = store.claim_notice(item.id, 1, NOW.plus(CLAIM_LEASE));
        equal("claim", outcome.await?, ClaimNoticeOutcome::Stale)?;
    }
    let due = all_due::notices(&*store, NOW.plus(HORIZON)).await?;
    equal("due", due, vec![])
}

async fn again(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    let item = claim(&store, &item, 0, NOW).await?;
    let at = NOW.plus(HORIZON);
    let due_at = at.plus(Duration::from_mins(1));
    let attempt = settled(1, 503, Settlement::Retry { at, due_at });
    let progress = Progress::Pending {
        next_attempt_at: at,
        due_at,
        claimed_at: None,
    };
    let mut expected = with_progress(&item, 1, progress);
    if let Some(notice) = &mut expected.notice {
        notice.delivery.attempts.push(attempt.attempt.clone());
        notice.delivery.signature.clone_from(&attempt.signature);
    }
    // Kept until the attempt can be made, however late a receiver wants it.
    expected.purge_at = at.plus(LATENESS);
    let outcome = store.settle_notice(item.id, attempt, NOW).await?;
    let next = pointer(&item, 1)?;
    let expected_outcome = SettleOutcome::Settled {
        pointer: Some(next),
    };
    equal("settle", outcome, expected_outcome)?;
    stored(&store, &expected, NOW).await?;
    let found = all_due::notices(&*store, due_at).await?;
    let entry = DueNotice {
        due_at,
        session: item.id,
        lane: item.lane(),
    };
    equal("due", found, vec![entry])
}

async fn postponed(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    let seen = DueNotice {
        due_at: first_due(),
        session: item.id,
        lane: item.lane(),
    };
    let at = first_due().plus(MILLI);
    for wrong in [
        DueNotice {
            due_at: first_due().plus(MILLI),
            ..seen
        },
        DueNotice {
            session: item_id(9),
            ..seen
        },
    ] {
        let outcome = store.postpone_notice(wrong, at).await?;
        equal("postpone", outcome, PostponeOutcome::Superseded)?;
    }
    stored(&store, &item, NOW).await?;
    let outcome = store.postpone_notice(seen, at).await?;
    let expected = PostponeOutcome::Postponed(pointer(&item, 0)?);
    equal("postpone", outcome, expected)?;
    let progress = Progress::Pending {
        next_attempt_at: NOW,
        due_at: at.plus(Duration::from_mins(1)),
        claimed_at: None,
    };
    let item = with_progress(&item, 0, progress);
    stored(&store, &item, at).await?;
    let outcome = store.postpone_notice(seen, at).await?;
    equal("postpone", outcome, PostponeOutcome::Superseded)
}

async fn claims(store: Store) -> Checked {
    for round in 1..=4 {
        let item = owed(&store, round).await?;
        let outcomes = at_once(MANY, |_| {
            let (store, id) = (store.clone(), item.id);
            async move { store.claim_notice(id, 0, NOW).await }
        })
        .await?;
        let won = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, ClaimNoticeOutcome::Claimed(_)));
        equal("winners", won.count(), 1)?;
    }
    Ok(())
}
