//! Tests that webhooks of logins are claimed, settled and recovered like those of confirmations.

use countersign_conformance::samples::logins::{answer, new_login, phone};
use countersign_conformance::samples::{MILLI, NOW, RETENTION, app_id, settled};
use countersign_domain::delivery::store::DeliveryStore as _;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{
    ClaimOutcome, DeliverySubject, PostponeOutcome, SettleOutcome, Settlement,
};
use countersign_domain::login::Login;
use countersign_domain::login::store::LoginStore;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::callback_url::CallbackUrl;

use super::disk::Disk;
use super::open;
use crate::store::EmbeddedStore;

/// Stores a login whose confirmation owes a webhook.
async fn owed(store: &EmbeddedStore, n: u8) -> Login {
    let mut new = new_login(n);
    new.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
    let id = new.id;
    LoginStore::create(store, new, NOW).await.unwrap();
    let demo = app_id("demo");
    let opened = store.initiate(id, &demo, phone(1, &[], NOW), NOW);
    opened.await.unwrap();
    LoginStore::confirm(store, id, answer(1, "yes"), NOW)
        .await
        .unwrap();
    found(store, id).await
}

async fn found(store: &EmbeddedStore, id: LoginId) -> Login {
    LoginStore::find(store, id, NOW).await.unwrap().unwrap()
}

fn attempts_claimed(item: &Login) -> u32 {
    item.delivery().unwrap().attempts_claimed
}

#[tokio::test]
async fn claim_needs_no_flush_and_may_be_lost() {
    let disk = Disk::default();
    let store = open(&disk);
    let item = owed(&store, 1).await;
    let syncs = disk.syncs();
    let claim = store.claim(item.subject(), 0, NOW).await.unwrap();
    assert!(matches!(claim, ClaimOutcome::Claimed(_)));
    assert_eq!(disk.syncs(), syncs);
    assert_eq!(attempts_claimed(&found(&store, item.id).await), 1);

    let store = open(&disk.after_kill());
    assert_eq!(attempts_claimed(&found(&store, item.id).await), 0);
    // The attempt is made again, with the same webhook id.
    let again = store.claim(item.subject(), 0, NOW).await.unwrap();
    let ClaimOutcome::Claimed(again) = again else {
        panic!("the attempt cannot be claimed again");
    };
    assert_eq!(again.webhook_id, item.webhook_id());
}

#[tokio::test]
async fn settlement_writes_the_claim_to_disk() {
    let disk = Disk::default();
    let store = open(&disk);
    let item = owed(&store, 1).await;
    store.claim(item.subject(), 0, NOW).await.unwrap();
    let at = NOW.plus(MILLI);
    let retry = settled(1, 500, Settlement::Retry { at, due_at: at });
    let outcome = store.settle(item.subject(), retry, NOW, RETENTION).await;
    assert!(matches!(outcome, Ok(SettleOutcome::Settled { .. })));
    assert_eq!(store.claims.made(), 0);
    let store = open(&disk.after_kill());
    assert_eq!(attempts_claimed(&found(&store, item.id).await), 1);
}

#[tokio::test]
async fn start_recovers_owed_webhooks_and_releases_claims() {
    let disk = Disk::default();
    let store = open(&disk);
    let (waiting, claimed) = (owed(&store, 1).await, owed(&store, 2).await);
    store.claim(claimed.subject(), 0, NOW).await.unwrap();
    // A sweep postpones the attempt under way, which writes its claim to disk.
    let postponed = store.postpone(claimed.due().unwrap(), NOW).await.unwrap();
    assert!(matches!(postponed, PostponeOutcome::Postponed(_)));

    let store = open(&disk.after_kill());
    let now = NOW.plus(MILLI);
    let lanes = store.pending_lanes().await.unwrap();
    assert_eq!(lanes, [waiting.lane()]);
    let idle = |_: DeliverySubject| false;
    let recovered = store.recover(lanes[0], now, None, 100, idle).await.unwrap();
    let mut seen: Vec<_> = recovered
        .iter()
        .map(|owed| {
            let pointer = owed.pointer;
            (
                pointer.subject,
                pointer.attempts_claimed,
                owed.next_attempt_at,
            )
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [(waiting.subject(), 0, NOW), (claimed.subject(), 1, now)]
    );
    let claim = store.claim(claimed.subject(), 1, now).await.unwrap();
    assert!(matches!(claim, ClaimOutcome::Claimed(_)));
}
