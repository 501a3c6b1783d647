//! What nonces and parts of texts cost.

use std::time::Duration;

use countersign_domain::confirmation::text::store::{
    ContentHash, KeptPart, MAX_KEPT_PARTS, NonceHash, TakeOutcome, TakenNonce, TextKey,
    TextStore as _,
};

use super::*;

/// Splits the writes since the last call into refused calls and the units of the others.
fn refused_and_units(meter: &Meter) -> (usize, Vec<f64>) {
    let (refused, made): (Vec<_>, Vec<_>) =
        meter.writes().into_iter().partition(|units| units.is_nan());
    (refused.len(), made)
}

#[tokio::test]
async fn nonce_writes_one_unit_and_only_once() {
    let test = "the cost of nonces in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    let nonce = NonceHash([1; 32]);
    let [ours, other] = [2, 3].map(|n| TakenNonce {
        content: ContentHash([n; 32]),
        purge_at: NOW.plus(Duration::from_hours(1)),
    });
    let taken = store.take_nonce(nonce, ours, NOW).await.unwrap();
    assert_eq!(taken, TakeOutcome::Taken);
    assert_eq!(refused_and_units(&meter), (0, vec![1.0]), "taken");
    for wanted in [ours, other] {
        store.take_nonce(nonce, wanted, NOW).await.unwrap();
        assert_eq!(refused_and_units(&meter), (1, vec![]), "again");
    }
}

#[tokio::test]
async fn parts_of_a_text_write_one_unit_each_up_to_the_maximum() {
    let test = "the cost of parts in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    let part = |number| KeptPart {
        number,
        message_id: format!("message-{number}"),
        text: "x".repeat(67),
    };
    let most = u8::try_from(MAX_KEPT_PARTS).unwrap();
    for number in 1..=most {
        let kept = store.keep_part(TextKey([1; 32]), part(number), NOW).await;
        assert_eq!(kept.unwrap().len(), usize::from(number));
        let (refused, made) = refused_and_units(&meter);
        assert_eq!((refused, made.len()), (0, 1), "part {number}");
        // A unit is 1 KB, and the whole item is written.
        let units = f64::from(1 + u16::from(number) * 120 / 1024);
        assert!(made[0] <= units, "part {number}: {made:?}");
    }
    for number in [1, most, most + 1] {
        store
            .keep_part(TextKey([1; 32]), part(number), NOW)
            .await
            .unwrap();
        assert_eq!(
            refused_and_units(&meter),
            (1, vec![]),
            "part {number} again"
        );
    }
}
