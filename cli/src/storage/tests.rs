//! Opening storage.

use std::time::Duration;

use countersign_domain::delivery::signing::Signer as _;
use countersign_domain::primitives::time::Timestamp;

use super::*;

#[tokio::test]
async fn start_with_the_clock_ahead_removes_no_former_key() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::create(&folder.path().join("data")).unwrap();
    let lock = data.lock(Duration::ZERO).unwrap();
    let storage = open(&data, &lock, IfMissing::Refused, Arc::new(SystemClock)).unwrap();
    // The stored time is four weeks behind this test's clock.
    let then = SystemClock.now().as_millis() - 28 * 24 * 3_600_000;
    let then = Timestamp::from_millis(then);
    storage.signer.rotate(&OsEntropy, then).unwrap();
    let kept = storage.items.advance_steady(Duration::ZERO, then).await;
    assert_eq!(kept.unwrap(), then);
    storage.items.close();

    let storage = open(&data, &lock, IfMissing::Refused, Arc::new(SystemClock)).unwrap();
    assert_eq!(storage.signer.public_keys().await.unwrap().len(), 2);
    let admin = crate::admin::Admin::of_storage(&storage, false, None);
    let rotated = admin.signing_keys.as_ref().unwrap();
    rotated.rotate(&OsEntropy, SystemClock.now()).unwrap();
    assert_eq!(storage.signer.public_keys().await.unwrap().len(), 3);
}
