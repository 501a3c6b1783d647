//! Tests of recovering deliveries after a start, and of removing expired items.

use std::sync::Arc;
use std::time::Duration;

use countersign_conformance::all_due::deliveries;
use countersign_conformance::samples::{
    MILLI, NOW, RETENTION, acquisition, app_id, before, id, settled, text,
};
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::CreateOutcome;
use countersign_domain::delivery::store::{DeliveryStore as _, Due};
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{
    ClaimOutcome, DeliveryLane, DeliverySubject, HORIZON, PostponeOutcome, Progress, Settlement,
};
use countersign_domain::primitives::time::Timestamp;
use futures_util::FutureExt as _;

use super::disk::Disk;
use super::{
    assert_indexes_fit, claimed, created, database, delivered, found, open, spoil, verified,
};

/// Returns the lane of all samples.
fn lane() -> DeliveryLane {
    acquisition(1).lane()
}

/// Stands for a process with no attempt under way.
fn idle(_: DeliverySubject) -> bool {
    false
}

fn first_due() -> Timestamp {
    NOW.plus(Duration::from_mins(1))
}

#[tokio::test]
async fn start_recovers_owed_deliveries() {
    let disk = Disk::default();
    let store = open(&disk);
    created(&store, 1).await;
    delivered(&store, 2).await;
    let owed = verified(&store, 3).await;
    let later = claimed(&store, 4).await;
    let (at, due_at) = (
        NOW.plus(Duration::from_hours(1)),
        NOW.plus(Duration::from_hours(2)),
    );
    let retry = settled(1, 500, Settlement::Retry { at, due_at });
    store
        .settle(later.id.into(), retry, NOW, RETENTION)
        .await
        .unwrap();
    drop(store);
    let store = open(&disk);
    let now = NOW.plus(MILLI);
    let recovered = store.recover(lane(), now, None, 100, idle).await.unwrap();
    let seen: Vec<_> = recovered
        .iter()
        .map(|r| {
            (
                r.pointer.subject,
                r.pointer.attempts_claimed,
                r.next_attempt_at,
                r.due.due_at,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (owed.id.into(), 0, NOW, first_due()),
            (later.id.into(), 1, at, due_at)
        ]
    );
    assert_eq!(recovered[0].pointer.group, owed.group());
}

#[tokio::test]
async fn claim_of_a_dead_process_is_released() {
    let disk = Disk::default();
    let store = open(&disk);
    let item = claimed(&store, 1).await;
    // A sweep postponed the attempt under way, which wrote its claim to disk.
    let due = Due {
        due_at: first_due(),
        subject: item.id.into(),
        lane: item.lane(),
    };
    let postponed = store.postpone(due, NOW).await.unwrap();
    assert!(matches!(postponed, PostponeOutcome::Postponed(_)));
    let store = open(&disk.after_kill());
    let claim = store.claim(item.id.into(), 1, NOW).await.unwrap();
    assert_eq!(claim, ClaimOutcome::Stale);
    let now = NOW.plus(MILLI);
    let recovered = store.recover(lane(), now, None, 100, idle).await.unwrap();
    assert_eq!(recovered.len(), 1);
    assert_eq!(recovered[0].next_attempt_at, now);
    assert_eq!(recovered[0].pointer.attempts_claimed, 1);
    let kept = found(&store, item.id).await;
    let progress = &kept.verified().unwrap().delivery.progress;
    let released = Progress::Pending {
        next_attempt_at: now,
        due_at: first_due(),
        claimed_at: None,
    };
    assert_eq!(*progress, released);
    assert_indexes_fit(&database(&store));
    let claim = store.claim(item.id.into(), 1, now).await.unwrap();
    assert!(matches!(claim, ClaimOutcome::Claimed(_)));
}

#[tokio::test]
async fn claim_of_this_process_is_kept() {
    let store = open(&Disk::default());
    let (ours, theirs) = (claimed(&store, 1).await, claimed(&store, 2).await);
    let under_way = ours.id.into();
    let recovered = store
        .recover(lane(), NOW.plus(MILLI), None, 100, move |id| {
            id == under_way
        })
        .await
        .unwrap();
    let seen: Vec<_> = recovered.iter().map(|owed| owed.pointer.subject).collect();
    assert_eq!(seen, [theirs.id.into()]);
    assert_eq!(found(&store, ours.id).await, ours);
}

/// A dispatcher claims the attempt while the recovery asks whether it is under way.
#[tokio::test]
async fn claim_made_during_recovery_is_kept() {
    let store = Arc::new(open(&Disk::default()));
    let item = verified(&store, 1).await;
    let dispatcher = Arc::downgrade(&store);
    let claims_when_asked = move |_: DeliverySubject| {
        let store = dispatcher.upgrade().unwrap();
        // The claim is made at once, or left to the writer, which is busy with the recovery.
        let _ = store.claim(item.id.into(), 0, NOW).now_or_never();
        false
    };
    let recovered = store
        .recover(lane(), NOW.plus(MILLI), None, 100, claims_when_asked)
        .await
        .unwrap();
    let claimed: Vec<_> = recovered
        .iter()
        .map(|owed| owed.pointer.attempts_claimed)
        .collect();
    assert_eq!(
        claimed,
        [0],
        "the attempt was not claimed yet when the recovery asked"
    );
    let doubled = store
        .claim(item.id.into(), 1, NOW.plus(MILLI))
        .await
        .unwrap();
    assert_eq!(doubled, ClaimOutcome::Stale, "no second attempt is made");
}

#[tokio::test]
async fn lanes_are_recovered_separately() {
    let store = open(&Disk::default());
    for (n, app) in [(1, "first"), (2, "second"), (3, "second")] {
        let mut new = acquisition(n);
        new.app = app_id(app);
        store.create(new, NOW).await.unwrap();
        store.verify(id(n), &text(1), NOW, RETENTION).await.unwrap();
    }
    let mut seen = Vec::new();
    for lane in store.pending_lanes().await.unwrap() {
        let recovered = store.recover(lane, NOW, None, 9, idle).await.unwrap();
        assert!(
            recovered
                .iter()
                .all(|owed| owed.pointer.group.lane() == lane)
        );
        seen.push(recovered.len());
    }
    seen.sort_unstable();
    assert_eq!(seen, [1, 2]);
    assert_eq!(store.pending_lanes().await.unwrap().len(), 2);
}

#[tokio::test]
async fn recovery_in_pieces_returns_each_delivery_once() {
    let disk = Disk::default();
    let store = open(&disk);
    // Many deliveries are due at the same instant, some at others, and one record is damaged.
    for n in 0..20 {
        let new = acquisition(n);
        store.create(new, NOW).await.unwrap();
        let at = NOW.plus(MILLI * u32::from(n / 8));
        store.verify(id(n), &text(1), at, RETENTION).await.unwrap();
    }
    spoil(&database(&store), id(5));
    for limit in [1, 3, 7, 19, 20, 50] {
        let (mut last, mut seen) = (None, Vec::new());
        loop {
            let piece = store.recover(lane(), NOW, last, limit, idle).await.unwrap();
            seen.extend(piece.iter().map(|owed| owed.pointer.subject));
            last = piece.last().map(|owed| owed.due);
            if piece.len() < limit || seen.len() > 20 {
                break;
            }
        }
        let expected: Vec<_> = (0..20).filter(|n| *n != 5).map(|n| id(n).into()).collect();
        assert_eq!(seen, expected, "in pieces of {limit}");
    }
}

#[tokio::test]
async fn purge_removes_only_expired_items() {
    let store = open(&Disk::default());
    let open_item = created(&store, 1).await;
    let owed = verified(&store, 2).await;
    assert!(owed.purge_at > open_item.purge_at);
    let removed = store.purge(before(open_item.purge_at, MILLI), 10).await;
    assert_eq!(removed.unwrap(), 0);
    assert_eq!(store.purge(open_item.purge_at, 10).await.unwrap(), 1);
    assert_eq!(store.find(open_item.id, NOW).await.unwrap(), None);
    assert_indexes_fit(&database(&store));
    // An item that owes a webhook stays one horizon longer, since the steady clock may run fast.
    let over = owed.purge_at.plus(HORIZON);
    assert_eq!(store.purge(before(over, MILLI), 10).await.unwrap(), 0);
    assert_eq!(store.purge(over, 10).await.unwrap(), 1);
    assert_eq!(deliveries(&store, owed.purge_at).await.unwrap(), []);
    assert_indexes_fit(&database(&store));
    assert_eq!(store.purge(over, 10).await.unwrap(), 0);
}

#[tokio::test]
async fn purge_removes_at_most_its_limit() {
    let store = open(&Disk::default());
    for n in 0..25 {
        created(&store, n).await;
    }
    spoil(&database(&store), id(7));
    let late = acquisition(0).purge_at;
    for expected in [10, 10, 5, 0] {
        assert_eq!(store.purge(late, 10).await.unwrap(), expected);
    }
    assert_indexes_fit(&database(&store));
    // The unreadable item was removed as well.
    let outcome = store.create(acquisition(7), NOW).await.unwrap();
    assert_eq!(outcome, CreateOutcome::Created);
}

#[tokio::test]
async fn purged_item_leaves_no_claim() {
    let store = open(&Disk::default());
    let item = claimed(&store, 1).await;
    let over = item.purge_at.plus(HORIZON);
    assert_eq!(store.purge(over, 10).await.unwrap(), 1);
    assert_eq!(store.claims.made(), 0);
    let again = verified(&store, 1).await;
    assert_eq!(again.verified().unwrap().delivery.attempts_claimed, 0);
}

#[tokio::test]
async fn settled_attempt_leaves_no_claim() {
    let store = open(&Disk::default());
    for n in 0..8 {
        delivered(&store, n).await;
    }
    assert_eq!(store.claims.made(), 0);
    claimed(&store, 9).await;
    assert_eq!(store.claims.made(), 1);
}

#[tokio::test]
async fn clock_jump_removes_no_owed_delivery() {
    let disk = Disk::default();
    let store = open(&disk);
    let owed = verified(&store, 1).await;
    let minute = Duration::from_mins(1);
    assert_eq!(store.advance_steady(minute, NOW).await.unwrap(), NOW);
    // The wall clock is past the horizon for some minutes, with a restart in between.
    let ahead = owed.purge_at.plus(20 * Duration::from_hours(24));
    let reading = store.advance_steady(minute, ahead).await.unwrap();
    assert_eq!(store.purge(reading, 10).await.unwrap(), 0);
    drop(store);
    let store = open(&disk);
    let reading = store.advance_steady(Duration::ZERO, ahead).await.unwrap();
    assert_eq!(
        reading,
        NOW.plus(2 * minute),
        "the reading survives a restart"
    );
    assert_eq!(store.purge(reading, 10).await.unwrap(), 0);
    // The wall clock jumps back. The item is unchanged and still due.
    let back = NOW.plus(5 * minute);
    store.advance_steady(minute, back).await.unwrap();
    assert_eq!(found(&store, owed.id).await, owed);
    assert_eq!(deliveries(&store, back).await.unwrap().len(), 1);
    // The item is removed once that time has really passed.
    let over = owed.purge_at.plus(HORIZON);
    let horizon = over.since(NOW);
    let reading = store.advance_steady(horizon, over).await.unwrap();
    assert_eq!(store.purge(reading, 10).await.unwrap(), 1);
}

#[tokio::test]
async fn webhook_stays_owed_for_a_horizon_after_a_permanent_clock_jump() {
    let store = open(&Disk::default());
    let id = created(&store, 1).await.id;
    let kept_no_longer = Duration::ZERO;
    store
        .verify(id, &text(1), NOW, kept_no_longer)
        .await
        .unwrap();
    let owed = found(&store, id).await;
    store.advance_steady(Duration::ZERO, NOW).await.unwrap();
    let ahead = owed.purge_at.plus(20 * Duration::from_hours(24));
    let almost = HORIZON.saturating_sub(MILLI);
    let reading = store.advance_steady(almost, ahead).await.unwrap();
    assert_eq!(store.purge(reading, 10).await.unwrap(), 0, "{reading}");
    assert_eq!(found(&store, owed.id).await, owed);
}
