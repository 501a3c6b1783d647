//! The queries of a sweep, which depend on due deliveries and not on pending ones.

use std::sync::Arc;
use std::time::Duration;

use countersign_aws::store::{DueShards, DynamoItems};
use countersign_conformance::ports::{KeptQueue, SetClock, Uncounted};
use countersign_conformance::samples::{
    MILLI, NOW, acquisition, app_id, before, text, verified, with_delivery,
};
use countersign_domain::delivery::{Progress, SWEEP_LEASE};
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Document, Entity as _, Items as _, Key, Store};
use countersign_domain::use_cases::Ports;
use countersign_domain::use_cases::sweep::{SweepCursors, SweepLimit, sweep};
use countersign_system::entropy::OsEntropy;
use futures_util::future::join_all;

use crate::host::{items_over, new_table, on_dynamodb_local};
use crate::metered::Meter;

/// The number of apps, with one pending webhook each.
const LANES: u16 = 1_000;

/// Returns a confirmation of the `n`th app, with a webhook due at this time.
fn owing(n: u16, at: Timestamp) -> (Key, Document) {
    let mut item = with_delivery(&verified(&acquisition(1), &text(1), NOW), |delivery| {
        if let Progress::Pending { due_at, .. } = &mut delivery.progress {
            *due_at = at;
        }
    });
    let mut id = [0; 16];
    // The partition depends on the first byte.
    id[..2].copy_from_slice(&n.to_le_bytes());
    item.id = ConfirmationId::from_bytes(id);
    item.app = app_id(&format!("app{n}"));
    (Key::Confirmation(item.id), item.into_document())
}

/// Sweeps at a given time, and returns the number of deliveries found and the number of queries.
async fn swept(items: &Arc<DynamoItems>, meter: &Meter, now: Timestamp) -> (usize, usize) {
    meter.queries();
    let clock = Arc::new(SetClock::at(now));
    let store = Store::new(items.clone(), clock.clone());
    let ports = Ports {
        store: &store,
        queue: &KeptQueue::default(),
        clock: &*clock,
        entropy: &OsEntropy,
        metrics: &Uncounted,
    };
    let limit = SweepLimit {
        deliveries: 1_000,
        until: now,
    };
    let swept = sweep(ports, &**items, &mut SweepCursors::default(), limit).await;
    assert!(swept.failure.is_none(), "{swept:?}");
    (swept.found, meter.queries().len())
}

/// The first number of queries is that of a deployment without pending deliveries: one per partition.
#[tokio::test]
async fn queries_depend_on_what_is_due_and_not_on_a_thousand_lanes() {
    let Some(host) = on_dynamodb_local("the queries of a sweep").await else {
        return;
    };
    for (shards, partitions) in [(8, 10), (64, 66)] {
        let meter = Meter::default();
        let table = new_table(&host.client()).await;
        let shards = DueShards::new(shards).unwrap();
        let items = Arc::new(items_over(meter.config(host), &table, shards));
        assert_eq!(swept(&items, &meter, NOW).await, (0, partitions));
        let due_at = NOW.plus(SWEEP_LEASE);
        for first in (0..LANES).step_by(50) {
            let created = (first..first + 50).map(|n| {
                let items = items.clone();
                async move {
                    let due_at = due_at.plus(Duration::from_millis(u64::from(n)));
                    let (key, document) = owing(n, due_at);
                    items.create(&key, document, NOW, None).await.unwrap()
                }
            });
            join_all(created).await;
        }
        let none = swept(&items, &meter, before(due_at, MILLI)).await;
        assert_eq!(none, (0, partitions), "a thousand lanes are pending");
        let some = swept(&items, &meter, due_at.plus(MILLI * 9)).await;
        assert_eq!(some, (10, partitions), "ten of them are due");
        let (found, queries) = swept(&items, &meter, due_at.plus(SWEEP_LEASE / 2)).await;
        assert_eq!(found, 990, "all others are due");
        println!("{queries} queries over {partitions} partitions");
        assert!(queries <= 3 * partitions, "{queries}");
    }
}
