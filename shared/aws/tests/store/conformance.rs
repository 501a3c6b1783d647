//! Documents in DynamoDB pass the conformance suite.

use countersign_conformance::suite;

use crate::host::on_dynamodb_local;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn documents_conform() {
    let Some(host) = on_dynamodb_local("documents on DynamoDB Local").await else {
        return;
    };
    let make = async || host.items().await;
    suite::items(make).await.assert_passed();
    suite::due_index(make).await.assert_passed();
}
