//! Lost responses: the client retries a call although the first attempt succeeded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_smithy_types::retry::RetryConfig;
use countersign_conformance::samples::{self, NOW, RETENTION, acquisition, app_id, id, text};
use countersign_domain::confirmation::miss::Unfit;
use countersign_domain::confirmation::store::ConfirmationStore;
use countersign_domain::confirmation::transitions::{CancelOutcome, MissOutcome, VerifyOutcome};
use countersign_domain::delivery::store::{DeliveryStore, Due};
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{
    ClaimOutcome, PostponeOutcome, SWEEP_LEASE, SettleOutcome, Settlement,
};
use countersign_domain::store::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::host::{Host, config, new_table, on_dynamodb_local, store_with};

/// A proxy in front of DynamoDB that drops the response to one write.
struct LossyProxy {
    endpoint: String,
    /// The write whose response is dropped: 1 for the next write, 0 for none.
    loses: Arc<AtomicUsize>,
}

impl LossyProxy {
    async fn to(host: Host) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let loses = Arc::new(AtomicUsize::new(0));
        let which = Arc::clone(&loses);
        let there = host.address();
        tokio::spawn(async move {
            while let Ok((here, _)) = listener.accept().await {
                let there = TcpStream::connect(there).await.unwrap();
                tokio::spawn(carry(here, there, Arc::clone(&which)));
            }
        });
        Self { endpoint, loses }
    }

    /// Drops the response to a later write; 1 is the next. The previous one must have been dropped.
    fn lose(&self, which: usize) {
        let left = self.loses.swap(which, Ordering::SeqCst);
        assert_eq!(left, 0, "the previous response was not dropped");
    }
}

/// Forwards bytes in both directions. To drop a response, closes both connections when it arrives.
async fn carry(mut here: TcpStream, mut there: TcpStream, loses: Arc<AtomicUsize>) {
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    let mut loses_this = false;
    loop {
        tokio::select! {
            read = here.read(&mut asked) => match read {
                Ok(length @ 1..) => {
                    let text = String::from_utf8_lossy(&asked[..length]);
                    if ["UpdateItem", "PutItem"].iter().any(|write| {
                        text.contains(&format!("DynamoDB_20120810.{write}"))
                    }) {
                        loses_this = counts_down_to_zero(&loses);
                    }
                    if there.write_all(&asked[..length]).await.is_err() {
                        return;
                    }
                }
                _ => return,
            },
            read = there.read(&mut answered) => match read {
                Ok(length @ 1..) if !loses_this => {
                    if here.write_all(&answered[..length]).await.is_err() {
                        return;
                    }
                }
                // The response has arrived, so the write was made.
                _ => return,
            },
        }
    }
}

fn counts_down_to_zero(counter: &AtomicUsize) -> bool {
    let less = |count: usize| count.checked_sub(1);
    counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less) == Ok(1)
}

async fn store(host: Host) -> (LossyProxy, Store) {
    let proxy = LossyProxy::to(host).await;
    let table = new_table(&host.client()).await;
    let retries = RetryConfig::standard().with_max_attempts(3);
    let store = store_with(config(&proxy.endpoint).retry_config(retries), &table);
    (proxy, store)
}

async fn deliveries(host: Host) {
    let (proxy, store) = store(host).await;
    let (store, deliveries): (&dyn ConfirmationStore, &dyn DeliveryStore) = (&store, &store);
    store.create(acquisition(1), NOW).await.unwrap();
    proxy.lose(1);
    let verified = store.verify(id(1), &text(1), NOW, RETENTION).await.unwrap();
    let VerifyOutcome::Verified { pointer, .. } = verified else {
        panic!("{verified:?}");
    };

    let due_at = NOW.plus(SWEEP_LEASE);
    let due = Due {
        due_at,
        subject: id(1).into(),
        lane: acquisition(1).lane(),
    };
    proxy.lose(1);
    let postponed = deliveries.postpone(due, due_at).await.unwrap();
    assert_eq!(postponed, PostponeOutcome::Postponed(pointer));

    proxy.lose(1);
    let claim = deliveries.claim(id(1).into(), 0, NOW).await.unwrap();
    assert!(matches!(claim, ClaimOutcome::Claimed(_)), "{claim:?}");
    let other = deliveries.claim(id(1).into(), 0, NOW).await.unwrap();
    assert_eq!(other, ClaimOutcome::Stale, "the attempt is claimed already");

    let retry = Settlement::Retry {
        at: due_at,
        due_at: due_at.plus(SWEEP_LEASE),
    };
    let settled = samples::settled(1, 500, retry);
    proxy.lose(1);
    let settled = deliveries
        .settle(id(1).into(), settled, NOW, RETENTION)
        .await
        .unwrap();
    let SettleOutcome::Settled {
        pointer: Some(next),
    } = settled
    else {
        panic!("{settled:?}");
    };
    assert_eq!(next.attempts_claimed, 1);
    let item = store.find(id(1), NOW).await.unwrap().unwrap();
    assert_eq!(item.verified().unwrap().delivery.attempts.len(), 1);

    store.create(acquisition(2), NOW).await.unwrap();
    proxy.lose(1);
    let cancelled = store.cancel(id(2), &app_id("demo"), NOW).await.unwrap();
    assert!(
        matches!(cancelled, CancelOutcome::Cancelled(_)),
        "{cancelled:?}"
    );

    store.create(acquisition(3), NOW).await.unwrap();
    proxy.lose(1);
    let missed = store.record_miss(id(3), Unfit::Recipient, NOW).await;
    assert_eq!(missed.unwrap(), MissOutcome::Recorded);
}

#[tokio::test]
async fn lost_response_is_not_a_refusal() {
    if let Some(host) = on_dynamodb_local("lost answers on DynamoDB Local").await {
        deliveries(host).await;
    }
}
