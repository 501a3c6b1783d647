//! The calls and the write capacity that changes consume, including the index.

use countersign_conformance::samples::logins::{answer_of, phone, sealed, sealed_login};
use countersign_conformance::samples::{NOW, RETENTION, acquisition, settled, signature, text};
use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::{Status, transitions};
use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{
    DeliverySubject, KeptSignature, SWEEP_LEASE, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::login;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{ConfirmationFilter, PageStart, Period, Store};

use crate::host::{new_table, on_dynamodb_local, store_with};
use crate::metered::Meter;

/// A signature and a key id of realistic length.
fn real_signature() -> KeptSignature {
    KeptSignature {
        key_id: KeyId::from_stored("xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M".to_owned()),
        der: vec![0x30; 72],
        ..signature(1)
    }
}

/// Returns a store whose calls are measured. Without DynamoDB Local, reports `test` as skipped.
async fn measured(test: &str) -> Option<(Store, Meter)> {
    let host = on_dynamodb_local(test).await?;
    let meter = Meter::default();
    let settings = meter.config(host);
    let table = new_table(&host.client()).await;
    Some((store_with(settings, &table), meter))
}

#[tokio::test]
async fn change_costs_its_item_and_its_index_entry() {
    let Some((store, meter)) = measured("the cost of changes in DynamoDB").await else {
        return;
    };
    let cost = || (meter.reads().len(), meter.writes());
    let due_at = NOW.plus(SWEEP_LEASE * 2);
    // `item` is the cost of the item itself: one unit per KiB, rounded up.
    let deliver = async |subject: DeliverySubject, item: f64| {
        store.claim(subject, 0, NOW).await.unwrap();
        assert_eq!(cost(), (1, vec![item]), "claim, without the index");
        let retry = settled(1, 503, Settlement::Retry { at: NOW, due_at });
        store.settle(subject, retry, NOW, RETENTION).await.unwrap();
        let moved = "settle, with the index entry deleted and written";
        assert_eq!(cost(), (1, vec![item + 2.0]), "{moved}");
        store.claim(subject, 1, NOW).await.unwrap();
        cost();
        let delivered = SettledAttempt {
            signature: Some(real_signature()),
            ..settled(2, 200, Settlement::Delivered)
        };
        let delivered = store.settle(subject, delivered, NOW, RETENTION).await;
        let ended = SettleOutcome::Settled { pointer: None };
        assert_eq!(delivered.unwrap(), ended);
        assert_eq!(
            cost(),
            (1, vec![item + 1.0]),
            "settle, with its index entry"
        );
    };

    let confirmation = acquisition(1);
    let id = confirmation.id;
    let created = store.start_confirmation(confirmation, Allowance::Unlimited, NOW);
    created.await.unwrap();
    assert_eq!(cost(), (0, vec![2.0]), "create, with the entry of the list");
    let text = text(1);
    let verify = |current| transitions::verify(current, &text, NOW, RETENTION);
    store.change(id, verify).await.unwrap();
    assert_eq!(cost(), (1, vec![2.0]), "verify, with its index entry");
    deliver(id.into(), 1.0).await;

    let mut login = sealed_login(1);
    login.callback = acquisition(1).callback;
    let (id, app) = (login.id, login.app.clone());
    let created = store.start_login(login, Allowance::Unlimited, NOW);
    created.await.unwrap();
    assert_eq!(cost(), (0, vec![2.0]), "create, with the entry of the list");
    let initiate = |current| login::transitions::initiate(current, &app, phone(1, &[], NOW), NOW);
    store.change(id, initiate).await.unwrap().unwrap();
    assert_eq!(cost(), (1, vec![1.0]), "initiate");
    let confirm = |current| login::transitions::confirm(current, answer_of(1, sealed()), NOW);
    store.change(id, confirm).await.unwrap().unwrap();
    assert_eq!(cost(), (1, vec![3.0]), "confirm, with its index entry");
    deliver(id.into(), 2.0).await;
}

#[tokio::test]
async fn page_reads_what_it_shows_and_no_more_than_five_times_its_limit() {
    let Some((store, meter)) = measured("the cost of lists in DynamoDB").await else {
        return;
    };
    for n in 0..12 {
        let started = store.start_confirmation(acquisition(n), Allowance::Unlimited, NOW);
        started.await.unwrap();
    }
    let period = Period {
        from: Timestamp::from_millis(0),
        before: PageStart::Time(NOW.plus(RETENTION)),
    };
    let app = acquisition(0).app;
    meter.reads();
    for (status, limit, shown, reads) in [
        (None, 1, 1, 1.0),
        (None, 5, 5, 5.0),
        (None, 100, 12, 12.0),
        (Some(Status::Cancelled), 1, 0, 5.0),
        (Some(Status::Cancelled), 2, 0, 10.0),
        (Some(Status::Cancelled), 100, 0, 12.0),
    ] {
        let wanted = ConfirmationFilter {
            status,
            last_digits: None,
            period,
        };
        let permit = store.begin_list(&app, Allowance::Unlimited, NOW).unwrap();
        let page = store.list_confirmations(&permit, KeyMode::Live, &wanted, limit, NOW);
        let page = page.await.unwrap();
        assert_eq!(page.items.len(), shown);
        assert_eq!(page.next.is_some(), limit < 12, "{limit}");
        let read = meter.reads();
        let units: f64 = read.iter().sum();
        assert!((units - reads).abs() < 0.1, "{status:?}, {limit}: {read:?}");
        // Not one call for each item.
        assert!(read.len() <= 4, "{read:?}");
    }
}
