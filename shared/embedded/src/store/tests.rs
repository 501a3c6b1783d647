#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::sync::{Arc, mpsc};

use countersign_conformance::chance::Chance;
use countersign_conformance::samples::documents::documents;
use countersign_conformance::samples::{NOW, acquisition, id, text, verified};
use countersign_domain::store::Entity as _;
use futures_util::future;
use tempfile::{TempDir, tempdir};
use tokio::runtime::Runtime;

use super::*;

mod counts;
mod damage;
mod erasure;

fn directory() -> (TempDir, PrivateDirectory) {
    let parent = tempdir().unwrap();
    let directory = PrivateDirectory::create(&parent.path().join("data")).unwrap();
    (parent, directory)
}

fn open(directory: &PrivateDirectory) -> SqliteItems {
    SqliteItems::open_in(directory, CreatePermission::MayBeNew).unwrap()
}

fn file(directory: &PrivateDirectory) -> std::path::PathBuf {
    directory.path().join(STORE_FILE)
}

async fn create(items: &SqliteItems, key: &Key, document: &Document) {
    let created = items.create(key, document.clone(), NOW, None).await;
    assert_eq!(created.unwrap(), CreateResult::Made);
}

/// Returns the last sample for each key.
fn samples() -> Vec<(Key, Document)> {
    let all = documents().into_iter();
    let all: std::collections::BTreeMap<_, _> = all.map(|(_, key, one)| (key, one)).collect();
    all.into_iter().collect()
}

/// Returns a closed store with every kind of document and many confirmations.
async fn filled() -> (TempDir, PrivateDirectory, Vec<(Key, Document)>) {
    let (parent, directory) = directory();
    let items = open(&directory);
    let mut all = samples();
    all.extend((100..250).map(|n| (id(n).into(), acquisition(n).into_document())));
    for (key, document) in &all {
        create(&items, key, document).await;
    }
    items.close();
    (parent, directory, all)
}

fn found(directory: &PrivateDirectory) -> Result<Findings, OpenError> {
    Findings::of_store(directory, &mut |_| {})
}

/// What an index names would otherwise seem damaged after a change between two statements.
#[test]
fn statements_of_one_read_see_the_same_state() {
    let (_parent, directory) = directory();
    let items = open(&directory);
    let runtime = Runtime::new().unwrap();
    let new = |n| (Key::from(id(n)), acquisition(n).into_document());
    let count = |connection: &Connection| {
        let count = "SELECT count(*) FROM documents";
        Ok::<i64, Fault>(connection.query_row(count, [], |row| row.get(0))?)
    };
    let read = items.read(|connection| {
        let before = count(connection)?;
        let (key, document) = new(1);
        runtime.block_on(create(&items, &key, &document));
        Ok((before, count(connection)?))
    });
    let (before, after) = read.unwrap();
    assert_eq!(before, after);

    let (begun, has_begun) = mpsc::channel();
    let (commit, is_committed) = mpsc::channel();
    let read = items
        .long_reads
        .read(ReadOwner::Operator, move |connection| {
            let before = count(connection)?;
            begun.send(()).unwrap();
            is_committed.recv().unwrap();
            Ok((before, count(connection)?))
        });
    let write = async {
        has_begun.recv().unwrap();
        let (key, document) = new(2);
        create(&items, &key, &document).await;
        commit.send(()).unwrap();
    };
    let (read, ()) = runtime.block_on(future::join(read, write));
    let (before, after) = read.unwrap();
    assert_eq!(before, after);
}

#[tokio::test]
async fn restart_keeps_everything() {
    let (_parent, directory, all) = filled().await;
    let items = open(&directory);
    for (key, document) in &all {
        assert_eq!(*items.get(key).await.unwrap().unwrap().document, *document);
    }
    items.close();
    let error = items.create(&all[0].0, all[0].1.clone(), NOW, None).await;
    error.unwrap_err();
    let findings = found(&directory).unwrap();
    assert!(findings.is_sound());
    assert_eq!(
        findings.inventory.documents.values().sum::<u64>(),
        all.len() as u64
    );
}

/// Damage is an error of the call that encounters it. No read ever returns anything other than what
/// was stored, and a check finds everything that is missing or wrong.
#[tokio::test]
async fn damage_is_an_error_where_it_is_met_and_a_check_finds_it() {
    let (_parent, directory, all) = filled().await;
    let whole = fs::read(file(&directory)).unwrap();
    let mut refused = 0;
    for seed in 0..60 {
        let mut chance = Chance::from_seed(seed);
        let mut damaged = whole.clone();
        for _ in 0..=chance.below(20) {
            let at = usize::try_from(chance.below(damaged.len() as u64)).unwrap();
            damaged[at] ^= chance.bytes::<1>()[0] | 1;
        }
        fs::write(file(&directory), &damaged).unwrap();
        for beside in ["-wal", "-shm"] {
            let _ = fs::remove_file(directory.path().join(format!("{STORE_FILE}{beside}")));
        }
        let findings = found(&directory);
        let Ok(items) = SqliteItems::open_in(&directory, CreatePermission::Existing) else {
            refused += 1;
            assert!(findings.map_or(true, |found| !found.is_sound()), "{seed}");
            continue;
        };
        let mut is_whole = true;
        for (key, document) in &all {
            match items.get(key).await {
                Ok(Some(stored)) => assert_eq!(*stored.document, *document, "{seed}"),
                Ok(None) | Err(_) => is_whole = false,
            }
        }
        // Writes succeed or are refused, and never end the writer's thread.
        for n in 0..50 {
            let new = acquisition(n).into_document();
            let _ = items
                .create(&id(n).into(), new, NOW, NonZeroU32::new(9))
                .await;
            let _ = items.purge(NOW, 9).await;
        }
        items.close();
        assert!(
            is_whole || findings.map_or(true, |found| !found.is_sound()),
            "{seed}"
        );
    }
    assert!(refused < 60, "no damaged store was opened");
}

#[tokio::test]
async fn columns_that_contradict_a_document_are_found_and_repaired() {
    let (_parent, directory) = directory();
    let items = open(&directory);
    let owing = verified(&acquisition(1), &text(1), NOW);
    create(&items, &id(1).into(), &owing.clone().into_document()).await;
    create(&items, &id(2).into(), &acquisition(2).into_document()).await;
    items.close();
    for change in [
        "UPDATE documents SET line = NULL, attempt_at = NULL, attempts = NULL",
        "UPDATE documents SET purge_at = purge_at + 1",
        "UPDATE documents SET attempt_at = attempt_at + 1 WHERE attempt_at IS NOT NULL",
    ] {
        let connection = Connection::open(file(&directory)).unwrap();
        connection.execute_batch(change).unwrap();
        drop(connection);
        let findings = found(&directory).unwrap();
        assert!(
            !findings.misplaced.is_empty() && !findings.is_sound(),
            "{change}"
        );
        assert!(findings.inventory.damaged.is_empty(), "{change}");
        repair(&directory).unwrap();
        assert!(found(&directory).unwrap().is_sound(), "{change}");
    }
    let items = open(&directory);
    assert_eq!(items.pending_webhooks().await.unwrap(), 1);
}

#[tokio::test]
async fn changed_body_damages_only_its_document() {
    let (_parent, directory, all) = filled().await;
    let connection = Connection::open(file(&directory)).unwrap();
    let key = Key::from(id(100));
    let name = key.to_string();
    connection
        .execute(
            "UPDATE documents SET body = CAST(replace(CAST(body AS TEXT), 'demo', 'mine') AS BLOB) \
             WHERE key = ?1",
            [name],
        )
        .unwrap();
    drop(connection);
    let items = open(&directory);
    let error = items.get(&key).await.unwrap_err();
    assert!(
        std::error::Error::source(&error)
            .unwrap()
            .to_string()
            .contains("damaged")
    );
    items
        .create(&key, acquisition(100).into_document(), NOW, None)
        .await
        .unwrap_err();
    for (other, document) in all.iter().filter(|(other, _)| *other != key) {
        assert_eq!(
            *items.get(other).await.unwrap().unwrap().document,
            *document
        );
    }
    assert!(items.is_writable());
    items.close();
    let findings = found(&directory).unwrap();
    assert_eq!(findings.inventory.damaged.len(), 1);
    assert!(findings.inventory.damaged[0].contains(&key.to_string()));
}

/// Earlier formats were never released, so there is nothing to migrate: every command explains what to
/// do.
#[tokio::test]
async fn another_format_is_refused_everywhere() {
    let (_parent, directory, _) = filled().await;
    let there = tempdir().unwrap();
    let place = there.path().join("backup");
    fs::write(&place, b"").unwrap();
    for (format, advice) in [(6, "move the directory away"), (8, "a later release")] {
        let connection = Connection::open(file(&directory)).unwrap();
        connection
            .pragma_update(None, "user_version", format)
            .unwrap();
        drop(connection);
        let opened = SqliteItems::open_in(&directory, CreatePermission::MayBeNew).unwrap_err();
        let checked = found(&directory).unwrap_err();
        let backed_up = Backup::write(&directory, &place, &[], NOW).unwrap_err();
        for refusal in [
            opened.to_string(),
            checked.to_string(),
            backed_up.to_string(),
        ] {
            assert!(refusal.contains(advice), "{refusal}");
            assert!(refusal.contains(&format!("format {format}")), "{refusal}");
        }
    }
}

/// Returns the numbers of the pages in a write-ahead log (SQLite's file format, section 4.1).
fn pages_in(log: &[u8]) -> Vec<u32> {
    // The log is emptied when writes pause.
    if log.is_empty() {
        return Vec::new();
    }
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap());
    let size = usize::try_from(number(8)).unwrap();
    let frames = (32..log.len()).step_by(24 + size);
    let begun_since = |at: &usize| log[at + 8..at + 16] == log[16..24];
    frames.filter(begun_since).map(number).collect()
}

/// Every acknowledged write is in the log, whatever a power cut does to the end of the log and to the
/// pages that were being copied from it into the file.
#[tokio::test]
async fn power_cut_loses_nothing_that_was_answered() {
    let (_parent, directory) = directory();
    let items = open(&directory);
    let level = |connection: &WriteBatch<'_>| {
        Ok(connection.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0))?)
    };
    let level = items.write("test", None, level).await.unwrap();
    assert_eq!(level, 2, "FULL: a commit is flushed before it returns");
    let mut chance = Chance::from_seed(7);
    let mut torn = 0;
    for n in 0..40 {
        create(&items, &id(n).into(), &acquisition(n).into_document()).await;
        let there = tempdir().unwrap();
        let there = PrivateDirectory::create(there.path()).unwrap();
        let beside =
            |directory: &PrivateDirectory| directory.path().join(format!("{STORE_FILE}-wal"));
        let mut log = fs::read(beside(&directory)).unwrap();
        let mut whole = fs::read(file(&directory)).unwrap();
        for page in pages_in(&log) {
            let start = (usize::try_from(page).unwrap() - 1) * 4096;
            // The first page contains the format; it is written in one sector.
            if start > 0 && start < whole.len() {
                let from = start + usize::try_from(chance.below(4096)).unwrap();
                whole[from..start + 4096].fill(0x5a);
                torn += 1;
            }
        }
        log.resize(
            log.len() + usize::try_from(chance.below(9_000)).unwrap(),
            0x5a,
        );
        for (path, content) in [(file(&there), whole), (beside(&there), log)] {
            // With the file modes of a store.
            fs::copy(file(&directory), &path).unwrap();
            fs::write(path, content).unwrap();
        }
        let kept = open(&there);
        for m in 0..=n {
            let found = kept.get(&id(m).into()).await.unwrap();
            let expected = acquisition(m).into_document();
            assert_eq!(*found.unwrap().document, expected, "{m} of {n}");
        }
        kept.close();
        assert!(found(&there).unwrap().is_sound(), "{n}");
    }
    assert!(torn > 100, "{torn} pages");
}

#[tokio::test]
async fn waiting_writes_share_a_flush_and_a_panic_or_damage_ends_only_its_own() {
    let (_parent, directory) = directory();
    let items = Arc::new(open(&directory));
    let (release, released) = mpsc::channel::<()>();
    let (begun, has_begun) = mpsc::channel::<()>();
    let blocked = Arc::clone(&items);
    let first = tokio::spawn(async move {
        let wait = move |_: &WriteBatch<'_>| {
            begun.send(()).unwrap();
            released.recv().unwrap();
            Ok(())
        };
        blocked.write("test", None, wait).await
    });
    tokio::task::spawn_blocking(move || has_begun.recv().unwrap())
        .await
        .unwrap();
    let before = items.write_counts();
    let writes = (0..20).map(|n| {
        let items = Arc::clone(&items);
        async move {
            let row = Row::new(&id(n).into(), &acquisition(n).into_document()).unwrap();
            items
                .write("test", None, move |connection| {
                    row.insert(connection)?;
                    if n == 3 {
                        Err(row::Damage::Checksum.into())
                    } else {
                        Ok(())
                    }
                })
                .await
        }
    });
    let writes = futures_util::future::join_all(writes);
    // The writes are polled first, so all of them are in the queue when the first one ends.
    let (outcomes, ()) = tokio::join!(writes, async { release.send(()).unwrap() });
    first.await.unwrap().unwrap();
    let refused: Vec<_> = outcomes.iter().filter(|outcome| outcome.is_err()).collect();
    assert_eq!(refused.len(), 1);
    let after = items.write_counts();
    assert_eq!(after.flushes - before.flushes, 2);
    assert_eq!(after.operations - before.operations, 20);
    assert_eq!(items.get(&id(3).into()).await.unwrap(), None);
    assert!(items.get(&id(4).into()).await.unwrap().is_some());

    let panicked = items.write::<()>("test", None, |_| panic!("a bug")).await;
    panicked.unwrap_err();
    create(&items, &id(30).into(), &acquisition(30).into_document()).await;
}

#[tokio::test]
async fn backup_of_a_store_that_is_written_to_is_whole() {
    let (_parent, directory) = directory();
    let items = Arc::new(open(&directory));
    for n in 0..50 {
        create(&items, &id(n).into(), &acquisition(n).into_document()).await;
    }
    let writing = {
        let items = Arc::clone(&items);
        tokio::spawn(async move {
            for n in 50..200 {
                create(&items, &id(n).into(), &acquisition(n).into_document()).await;
            }
        })
    };
    let (there, copy) = (tempdir().unwrap(), directory.clone());
    let path = there.path().join("backup");
    fs::write(&path, b"").unwrap();
    let files = [("inbound-secret".to_owned(), b"secret".to_vec())];
    let backup = tokio::task::spawn_blocking(move || {
        Backup::write(&copy, &path, &files, NOW).unwrap();
        Backup::open(&path).unwrap()
    });
    let backup = backup.await.unwrap();
    writing.await.unwrap();
    let findings = backup.check(&mut |_| {}).unwrap();
    assert!(findings.is_sound());
    assert!(findings.inventory.documents["confirmations"] >= 50);
    assert_eq!(
        backup.files().unwrap(),
        [("inbound-secret".to_owned(), b"secret".to_vec())]
    );
}
