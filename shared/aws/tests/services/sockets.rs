use countersign_aws::config::Endpoint;
use countersign_domain::primitives::push::{NotifyOutcome, Push as _};
use countersign_domain::primitives::watcher::WatcherId;

#[tokio::test]
async fn notification_of_an_unknown_connection_reports_it_gone() {
    let Some(emulator) = super::emulator("connections of a WebSocket API").await else {
        return;
    };
    // The emulator has paths instead of host names for its APIs.
    let stage = format!("{emulator}/_aws/execute-api/0123abcd/socket");
    let services = super::at(emulator, "000000000031");
    let push = services.sockets(&stage.parse::<Endpoint>().unwrap());
    push.connect().await.unwrap();
    let watcher = "L0SM9cOFvHcCIhw=".parse::<WatcherId>().unwrap();
    assert_eq!(push.notify(&watcher).await.unwrap(), NotifyOutcome::Gone);
    push.close(&watcher).await.unwrap();
}
