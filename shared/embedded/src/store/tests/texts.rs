//! Tests of removing nonces and parts of texts.

use countersign_conformance::samples::{MILLI, NOW, before};
use countersign_domain::confirmation::text::store::{
    ContentHash, KeptPart, NonceHash, PARTS_RETENTION, TakeOutcome, TakenNonce, TextKey,
    TextStore as _,
};
use countersign_domain::primitives::time::Timestamp;
use redb::{ReadableDatabase as _, ReadableTableMetadata as _};

use super::super::EmbeddedStore;
use super::super::tables::{FORGET_NONCES, FORGET_TEXTS, NONCES, TEXTS};
use super::disk::Disk;
use super::{database, open};

const WANTED: TakenNonce = TakenNonce {
    content: ContentHash([1; 32]),
    purge_at: Timestamp::from_millis(NOW.as_millis() + 60_000),
};

fn part(number: u8) -> KeptPart {
    KeptPart {
        number,
        message_id: format!("id-{number}"),
        text: "CS-7Q2M".to_owned(),
    }
}

/// Returns the numbers of nonces and of texts, in the tables and in their indexes.
fn counts(store: &EmbeddedStore) -> [u64; 4] {
    let read = database(store).begin_read().unwrap();
    [
        read.open_table(NONCES).unwrap().len().unwrap(),
        read.open_table(FORGET_NONCES).unwrap().len().unwrap(),
        read.open_table(TEXTS).unwrap().len().unwrap(),
        read.open_table(FORGET_TEXTS).unwrap().len().unwrap(),
    ]
}

#[tokio::test]
async fn purge_removes_nonces_at_their_end_and_no_earlier() {
    let store = open(&Disk::default());
    let taken = store.take_nonce(NonceHash([1; 32]), WANTED, NOW);
    assert_eq!(taken.await.unwrap(), TakeOutcome::Taken);
    let end = WANTED.purge_at;
    assert_eq!(store.purge(before(end, MILLI), 10).await.unwrap(), 0);
    assert_eq!(counts(&store), [1, 1, 0, 0]);
    assert_eq!(store.purge(end, 10).await.unwrap(), 1);
    assert_eq!(counts(&store), [0, 0, 0, 0]);
    assert_eq!(store.purge(end, 10).await.unwrap(), 0);
}

#[tokio::test]
async fn purge_removes_all_parts_ten_minutes_after_the_first() {
    let store = open(&Disk::default());
    let later = NOW.plus(PARTS_RETENTION / 2);
    for (number, at) in [(1, NOW), (2, later)] {
        let kept = store.keep_part(TextKey([1; 32]), part(number), at);
        assert_eq!(kept.await.unwrap().len(), usize::from(number));
    }
    let end = NOW.plus(PARTS_RETENTION);
    assert_eq!(store.purge(before(end, MILLI), 10).await.unwrap(), 0);
    assert_eq!(counts(&store), [0, 0, 1, 1]);
    assert_eq!(store.purge(end, 10).await.unwrap(), 1);
    assert_eq!(counts(&store), [0, 0, 0, 0]);
}

#[tokio::test]
async fn text_that_begins_anew_is_removed_at_its_own_end() {
    let store = open(&Disk::default());
    let key = TextKey([1; 32]);
    store.keep_part(key, part(1), NOW).await.unwrap();
    // The reference is used for another text before the first one was purged.
    let anew = NOW.plus(PARTS_RETENTION);
    assert_eq!(store.keep_part(key, part(2), anew).await.unwrap().len(), 1);
    assert_eq!(store.purge(anew, 10).await.unwrap(), 0);
    assert_eq!(counts(&store), [0, 0, 1, 1]);
    let end = anew.plus(PARTS_RETENTION);
    assert_eq!(store.purge(end, 10).await.unwrap(), 1);
    assert_eq!(counts(&store), [0, 0, 0, 0]);
}

#[tokio::test]
async fn purge_of_nonces_and_texts_keeps_to_its_limit() {
    let store = open(&Disk::default());
    for n in 1..=3 {
        let taken = store.take_nonce(NonceHash([n; 32]), WANTED, NOW);
        taken.await.unwrap();
        store
            .keep_part(TextKey([n; 32]), part(1), NOW)
            .await
            .unwrap();
    }
    let end = NOW.plus(PARTS_RETENTION);
    assert_eq!(store.purge(end, 2).await.unwrap(), 4);
    assert_eq!(counts(&store), [1, 1, 1, 1]);
    assert_eq!(store.purge(end, 2).await.unwrap(), 2);
    assert_eq!(counts(&store), [0, 0, 0, 0]);
}
