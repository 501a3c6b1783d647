//! Lost responses: the client retries a call although the first attempt succeeded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_smithy_types::retry::RetryConfig;
use countersign_conformance::samples::{NOW, acquisition, app_id, id, text, verified};
use countersign_domain::store::{
    CreateResult, Entity as _, Items as _, Key, KeyCount, ReplaceResult, Write,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::host::{Host, config, items_with, new_table, on_dynamodb_local};

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

    /// Drops the response to a later write; 1 is the next. The previous response must have been
    /// dropped already.
    fn lose(&self, which: usize) {
        let left = self.loses.swap(which, Ordering::SeqCst);
        assert_eq!(left, 0, "the previous response was not dropped");
    }
}

/// Forwards bytes in both directions. To drop a response, closes both connections when the response
/// arrives.
async fn carry(mut here: TcpStream, mut there: TcpStream, loses: Arc<AtomicUsize>) {
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    let mut loses_this = false;
    loop {
        tokio::select! {
            read = here.read(&mut asked) => match read {
                Ok(length @ 1..) => {
                    let text = String::from_utf8_lossy(&asked[..length]);
                    if ["UpdateItem", "PutItem", "TransactWriteItems"].iter().any(|write| {
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

#[tokio::test]
async fn lost_response_is_not_a_refusal() {
    let Some(host) = on_dynamodb_local("lost answers on DynamoDB Local").await else {
        return;
    };
    let proxy = LossyProxy::to(host).await;
    let table = new_table(&host.client()).await;
    let retries = RetryConfig::standard().with_max_attempts(3);
    let items = items_with(config(&proxy.endpoint).retry_config(retries), &table);
    let (key, open) = (Key::from(id(1)), acquisition(1));
    let document = open.clone().into_document();
    proxy.lose(1);
    let created = items.create(&key, document.clone(), NOW, None).await;
    assert_eq!(created.unwrap(), CreateResult::Made);
    let again = items.create(&key, document.clone(), NOW, None).await;
    assert!(
        matches!(again.unwrap(), CreateResult::Present(_)),
        "of another call"
    );

    let seen = items.get(&key).await.unwrap().unwrap();
    let verified = verified(&open, &text(1), NOW).into_document();
    proxy.lose(1);
    let replaced = items.replace(&key, &seen, verified.clone()).await;
    assert_eq!(replaced.unwrap(), ReplaceResult::Made);
    let again = items.replace(&key, &seen, document).await.unwrap();
    let ReplaceResult::Changed(Some(now)) = again else {
        panic!("{again:?}");
    };
    assert_eq!(*now.document, verified);

    let write = |app: &str| Write {
        key: Key::KeyCount(app_id(app)),
        seen: None,
        new: KeyCount { keys: 1 }.into_document(),
    };
    let both = [write("shop"), write("demo")];
    proxy.lose(1);
    assert!(items.write_both(both.clone()).await.unwrap());
    assert!(!items.write_both(both).await.unwrap(), "of another call");
}
