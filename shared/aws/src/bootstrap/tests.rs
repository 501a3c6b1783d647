#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::future::pending;

use countersign_domain::use_cases::Times;
use tokio::time::Instant;

use super::*;
use crate::store::DueShards;

fn bootstrap() -> Bootstrap {
    let variable = |name: &str| {
        name.starts_with("AWS_")
            .then(|| "http://127.0.0.1:1".to_owned())
    };
    let lambda = config::read::<Lambda>("", &variable).unwrap();
    Bootstrap {
        times: Times::default(),
        due_shards: DueShards::default(),
        services: Services::new(lambda),
        metrics: Arc::new(EmbeddedMetrics::new(
            "shop".to_owned(),
            "shop-one".to_owned(),
        )),
        connections: Connections::default(),
        key_uses: KeyUseRecorder::default(),
    }
}

#[tokio::test(start_paused = true)]
async fn hanging_start_ends_before_lambda_ends_it() {
    let began = Instant::now();
    let wiring = async |_: Bootstrap, (): ()| pending::<Result<(), Unavailable>>().await;
    assert!(begin(bootstrap(), (), wiring).await.is_err());
    let connecting = async |bootstrap: Bootstrap, (): ()| {
        bootstrap.connections.require(pending());
        Ok(())
    };
    assert!(begin(bootstrap(), (), connecting).await.is_err());
    assert_eq!(began.elapsed(), 2 * START_TIMEOUT);
    assert!(START_TIMEOUT < Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn start_waits_for_its_connections() {
    let began = Instant::now();
    let wiring = async |bootstrap: Bootstrap, seconds: u64| {
        bootstrap.connections.require(async move {
            // sleep: on a paused clock, so that no time passes
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            Ok(())
        });
        Ok("wired")
    };
    assert_eq!(begin(bootstrap(), 4, wiring).await.unwrap(), "wired");
    assert_eq!(began.elapsed(), Duration::from_secs(4));
}
