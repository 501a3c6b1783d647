//! Erased data is gone from the store's files.

use std::time::Duration;

use countersign_conformance::samples::{metadata, text_from};
use countersign_domain::confirmation::{Confirmation, Flow, Redactable, State};
use countersign_domain::primitives::ids::ConfirmationId;

use futures_util::future::join_all;

use super::*;

/// Returns a verified confirmation with a unique number and unique metadata.
fn of_person(n: u32) -> (Key, Confirmation, Confirmation) {
    let open = Confirmation {
        id: ConfirmationId::from_bytes(Chance::from_seed(n.into()).bytes()),
        metadata: Redactable::Present(metadata(&format!(r#"{{"order":"{}"}}"#, order(n)))),
        ..acquisition(1)
    };
    let verified = verified(&open, &text_from(n, &number(n)), NOW);
    (open.id.into(), open, verified)
}

fn number(n: u32) -> String {
    format!("+1202555{n:04}")
}

fn order(n: u32) -> String {
    format!("order-{n:04}-of-a-person")
}

fn redacted(mut item: Confirmation) -> Confirmation {
    item.metadata = Redactable::Redacted;
    item.redacted_at = Some(NOW);
    assert!(matches!(item.flow, Flow::Acquisition));
    if let State::Verified(verified) = &mut item.state {
        verified.phone_number = Redactable::Redacted;
    }
    item
}

/// Changes the stored confirmation of a user, beginning with the verified one.
async fn change(items: &SqliteItems, n: u32, change: impl FnOnce(Confirmation) -> Confirmation) {
    let (key, _, verified) = of_person(n);
    let seen = items.get(&key).await.unwrap().unwrap();
    let new = change(verified).into_document();
    let replaced = items.replace(&key, &seen, new).await;
    assert_eq!(replaced.unwrap(), ReplaceResult::Made);
}

/// Returns how many of the texts occur in any of the store's files.
fn found_in_files(directory: &PrivateDirectory, texts: &[String]) -> usize {
    let files = fs::read_dir(directory.path()).unwrap();
    let contents: Vec<_> = files
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect();
    let contents: Vec<_> = contents
        .iter()
        .map(|content| String::from_utf8_lossy(content))
        .collect();
    let is_in = |text: &&String| contents.iter().any(|content| content.contains(*text));
    texts.iter().filter(is_in).count()
}

/// Waits until the write-ahead log is empty.
async fn log_is_emptied(directory: &PrivateDirectory) {
    let log = directory.path().join(format!("{STORE_FILE}-wal"));
    let mut again = tokio::time::interval(Duration::from_millis(20));
    let emptied = async {
        while fs::metadata(&log).unwrap().len() > 0 {
            again.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), emptied)
        .await
        .unwrap();
}

#[tokio::test]
async fn redacted_and_removed_numbers_are_gone_from_the_files() {
    const PEOPLE: u32 = 400;
    let (_parent, directory) = directory();
    let items = &open(&directory);
    for n in 0..PEOPLE + 17 {
        if n < PEOPLE {
            let (key, open, _) = of_person(n);
            create(items, &key, &open.into_document()).await;
        }
        // Each confirmation gets its number later, so that rows grow in full pages.
        if let Some(earlier) = n.checked_sub(17) {
            let (key, _, verified) = of_person(earlier);
            let seen = items.get(&key).await.unwrap().unwrap();
            let replaced = items.replace(&key, &seen, verified.into_document()).await;
            assert_eq!(replaced.unwrap(), ReplaceResult::Made);
        }
    }
    let everyone: Vec<_> = (0..PEOPLE).flat_map(|n| [number(n), order(n)]).collect();
    log_is_emptied(&directory).await;
    assert_eq!(found_in_files(&directory, &everyone), everyone.len());

    // Every eighth confirmation is redacted or removed.
    let texts = |is_erased: bool| {
        let people = (0..PEOPLE).filter(|n| (n % 8 == 3) == is_erased);
        let texts = people.flat_map(|n| [number(n), order(n)]);
        texts.collect::<Vec<_>>()
    };
    let erased = (0..PEOPLE).step_by(8).map(|n| n + 3).map(|n| {
        change(items, n, move |item| match n % 16 {
            3 => redacted(item),
            _ => Confirmation {
                purge_at: NOW,
                ..item
            },
        })
    });
    join_all(erased).await;
    let purged = items.purge(NOW, 10).await.unwrap();
    assert_eq!((purged.removed, purged.left), (25, 0));
    log_is_emptied(&directory).await;
    let (erased, kept) = (texts(true), texts(false));
    assert_eq!(erased.len(), 100);
    assert_eq!(found_in_files(&directory, &erased), 0);
    assert_eq!(found_in_files(&directory, &kept), kept.len());
}

/// Writes without a pause must not prevent the log from being emptied.
#[tokio::test]
async fn writer_empties_the_log_between_two_batches() {
    let (_parent, directory) = directory();
    let items = open(&directory);
    // Ensures that there is no other reader.
    items.soundness.wait().await.unwrap();
    let log = directory.path().join(format!("{STORE_FILE}-wal"));
    create(&items, &id(1).into(), &acquisition(1).into_document()).await;
    assert!(fs::metadata(&log).unwrap().len() > 0);
    let emptied = async {
        while fs::metadata(&log).unwrap().len() > 0 {
            items.writer.log().make_due();
            // The answer is sent before the log is emptied, and the next write begins afterwards.
            for _ in 0..2 {
                items.write("test", None, |_| Ok(())).await.unwrap();
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), emptied)
        .await
        .unwrap();
}
