use countersign_aws::config::Endpoint;
use countersign_domain::primitives::push::{PokeOutcome, Push as _};
use countersign_domain::primitives::watcher::WatcherId;

#[tokio::test]
async fn poke_of_an_unknown_connection_reports_it_gone() {
    let Some(emulator) = super::emulator("connections of a WebSocket API").await else {
        return;
    };
    // The emulator has paths instead of host names for its APIs.
    let stage = format!("{emulator}/_aws/execute-api/0123abcd/socket");
    let services = super::at(emulator, "000000000031");
    let push = services.sockets(&stage.parse::<Endpoint>().unwrap());
    push.connect().await.unwrap();
    let watcher = "L0SM9cOFvHcCIhw=".parse::<WatcherId>().unwrap();
    assert_eq!(push.poke(&watcher).await.unwrap(), PokeOutcome::Gone);
    push.close(&watcher).await.unwrap();
}
