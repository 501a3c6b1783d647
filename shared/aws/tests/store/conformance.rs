//! Documents in DynamoDB pass the conformance suite.

use std::sync::Arc;

use countersign_conformance::suite;
use countersign_domain::store::Store;
use countersign_system::clock::SystemClock;

use crate::host::on_dynamodb_local;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn documents_conform() {
    let Some(host) = on_dynamodb_local("documents on DynamoDB Local").await else {
        return;
    };
    let make = async || host.items().await;
    suite::items(make).await.assert_passed();
    suite::due_index(make).await.assert_passed();
    let make = async || {
        let items = host.items().await;
        Arc::new(Store::new(items, Arc::new(SystemClock)))
    };
    suite::store(make).await.assert_passed();
}
