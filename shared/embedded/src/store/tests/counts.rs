//! Hourly counts.

use std::collections::BTreeMap;
use std::time::Duration;

use countersign_conformance::samples::{
    app, app_id, attempt, confirmation, missed, text_from, with_delivery,
};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::miss::MissReason;
use countersign_domain::delivery::Progress;
use countersign_domain::hourly::{Hour, HourSum, OTHER, Split, Step, Sums};
use countersign_domain::store::AppDocument;

use super::*;

const HOUR: Duration = Duration::from_hours(1);

/// The counts of each hour since [`NOW`], by the label of a split.
type Shown = BTreeMap<(u64, String, Step), u64>;

async fn shown(items: &SqliteItems, split: Option<Split>) -> Shown {
    let summed = summed(items, split).await;
    assert!(summed.is_complete);
    by_step(summed)
}

async fn summed(items: &SqliteItems, split: Option<Split>) -> SummedHours {
    let all = Hour(0)..Hour::of(NOW.plus(HOUR * 10_000));
    items.sum_hours(all, Sums::new(split)).await.unwrap()
}

fn by_step(summed: SummedHours) -> Shown {
    let mut shown = Shown::new();
    for HourSum {
        hour,
        label,
        counts,
    } in summed.sums.into_hours(100)
    {
        for step in [
            Step::Started,
            Step::Texted,
            Step::Verified,
            Step::Delivered,
            Step::LoggedIn,
        ] {
            let count = counts.get(step);
            if count > 0 {
                let hour = hour.0 - Hour::of(NOW).0;
                shown.insert((hour, label.clone(), step), count);
            }
        }
    }
    shown
}

fn totals(shown: &Shown) -> BTreeMap<Step, u64> {
    let mut totals = BTreeMap::new();
    for ((_, _, step), count) in shown {
        *totals.entry(*step).or_default() += count;
    }
    totals
}

/// Replaces the present document.
async fn replace(items: &SqliteItems, new: &Confirmation) -> ReplaceResult {
    let key = Key::from(new.id);
    let seen = items.get(&key).await.unwrap().unwrap();
    let replaced = items.replace(&key, &seen, new.clone().into_document());
    replaced.await.unwrap()
}

/// Returns the confirmation after its webhook was accepted at [`NOW`].
fn delivered(verified: &Confirmation) -> Confirmation {
    with_delivery(verified, |delivery| {
        delivery.attempts.push(attempt(1, 200));
        delivery.progress = Progress::Delivered { at: NOW };
    })
}

fn of_app(name: &str, n: u8) -> Confirmation {
    Confirmation {
        app: app_id(name),
        ..acquisition(n)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn counts_equal_what_happened() {
    for seed in 0..8 {
        let (_parent, directory) = directory();
        let mut items = Arc::new(open(&directory));
        let mut chance = Chance::from_seed(seed);
        let mut happened = BTreeMap::<Step, u64>::new();
        let mut open_ones: Vec<Confirmation> = Vec::new();
        for n in 0..120 {
            if chance.below(20) == 0 {
                // Nothing is lost or repeated by a restart.
                items.close();
                items = Arc::new(open(&directory));
            }
            let new = if chance.below(2) == 0 {
                acquisition(n)
            } else {
                confirmation(n)
            };
            let key = Key::from(new.id);
            // Of several callers, one creates it.
            let creates = (0..3).map(|_| {
                let (items, key, new) = (Arc::clone(&items), key.clone(), new.clone());
                tokio::spawn(
                    async move { items.create(&key, new.into_document(), NOW, None).await },
                )
            });
            for created in creates.collect::<Vec<_>>() {
                created.await.unwrap().unwrap();
            }
            *happened.entry(Step::Started).or_default() += 1;
            open_ones.push(new);
            let pick = chance.below(open_ones.len() as u64);
            let item = open_ones.swap_remove(usize::try_from(pick).unwrap());
            match chance.below(4) {
                0 => open_ones.push(item),
                1 => {
                    let late = missed(&item, MissReason::WrongSender, NOW);
                    replace(&items, &late).await;
                    *happened.entry(Step::Texted).or_default() += 1;
                    if chance.below(2) == 0 {
                        replace(&items, &verified(&late, &text(1), NOW)).await;
                        *happened.entry(Step::Verified).or_default() += 1;
                    }
                }
                _ => {
                    let done = verified(&item, &text(1), NOW);
                    let key = Key::from(item.id);
                    let seen = items.get(&key).await.unwrap().unwrap();
                    // Two texts at the same time: one of them completes it.
                    let both = (0..2).map(|_| {
                        let (items, key, seen) = (Arc::clone(&items), key.clone(), seen.clone());
                        let done = done.clone().into_document();
                        tokio::spawn(async move { items.replace(&key, &seen, done).await })
                    });
                    for replaced in both.collect::<Vec<_>>() {
                        replaced.await.unwrap().unwrap();
                    }
                    *happened.entry(Step::Texted).or_default() += 1;
                    *happened.entry(Step::Verified).or_default() += 1;
                    replace(&items, &delivered(&done)).await;
                    *happened.entry(Step::Delivered).or_default() += 1;
                }
            }
        }
        let found = shown(&items, None).await;
        assert_eq!(totals(&found), happened, "{seed}");
        for split in [Split::App, Split::Country, Split::Provider] {
            assert_eq!(
                totals(&shown(&items, Some(split)).await),
                happened,
                "{seed}"
            );
        }
    }
}

#[tokio::test]
async fn a_count_has_the_hour_country_and_provider_of_its_step() {
    let (_parent, directory) = directory();
    let items = open(&directory);
    let item = acquisition(1);
    create(&items, &item.id.into(), &item.clone().into_document()).await;
    let at = NOW.plus(HOUR);
    let text = text_from(1, "+442079460018");
    replace(&items, &verified(&item, &text, at)).await;
    let row = |hour, label: &str, step| ((hour, label.to_owned(), step), 1);
    assert_eq!(
        shown(&items, Some(Split::Country)).await,
        Shown::from([
            row(0, "US", Step::Started),
            row(1, "GB", Step::Texted),
            row(1, "GB", Step::Verified)
        ])
    );
    assert_eq!(
        shown(&items, Some(Split::Provider)).await,
        Shown::from([
            row(0, "", Step::Started),
            row(1, "generic", Step::Texted),
            row(1, "generic", Step::Verified)
        ])
    );
}

#[tokio::test]
async fn items_of_test_keys_are_not_counted() {
    let (_parent, directory) = directory();
    let items = open(&directory);
    let item = Confirmation {
        test: true,
        ..acquisition(1)
    };
    create(&items, &item.id.into(), &item.clone().into_document()).await;
    replace(&items, &verified(&item, &text(1), NOW)).await;
    assert_eq!(shown(&items, None).await, Shown::new());
}

#[tokio::test]
async fn deleted_app_is_no_longer_named() {
    let (_parent, directory) = directory();
    let items = open(&directory);
    for (n, name) in (1..).zip(["shop", "shop", "bank"]) {
        let item = of_app(name, n);
        create(&items, &item.id.into(), &item.into_document()).await;
    }
    let document = AppDocument {
        app: app("shop"),
        keys: Vec::new(),
        client_secrets: Vec::new(),
        deleted_at: None,
    };
    let key = Key::App(app_id("shop"));
    create(&items, &key, &document.clone().into_document()).await;
    let seen = items.get(&key).await.unwrap().unwrap();
    let deleted = AppDocument {
        deleted_at: Some(NOW),
        ..document
    };
    let deleted = items.replace(&key, &seen, deleted.into_document()).await;
    assert_eq!(deleted.unwrap(), ReplaceResult::Made);
    let row = |label: &str, count| ((0, label.to_owned(), Step::Started), count);
    let expected = Shown::from([row(OTHER, 2), row("bank", 1)]);
    assert_eq!(shown(&items, Some(Split::App)).await, expected);
    let item = of_app("bank", 9);
    create(&items, &item.id.into(), &item.into_document()).await;
    assert_eq!(totals(&shown(&items, None).await)[&Step::Started], 4);
}

#[tokio::test]
async fn counts_outlive_backup_restoration_and_repair() {
    let (parent, directory) = directory();
    let items = open(&directory);
    for n in 1..5 {
        create(&items, &id(n).into(), &acquisition(n).into_document()).await;
    }
    let counted = shown(&items, Some(Split::Country)).await;
    let copy = parent.path().join("copy");
    fs::write(&copy, "").unwrap();
    let left_out = Backup::write(&directory, &copy, &[], NOW).unwrap();
    assert_eq!(left_out, Vec::<String>::new());
    items.close();
    repair(&directory).unwrap();
    assert_eq!(
        shown(&open(&directory), Some(Split::Country)).await,
        counted
    );

    let restored = PrivateDirectory::create(&parent.path().join("restored")).unwrap();
    let mut new = NewStore::begin(&restored, NOW).unwrap();
    new.copy(&Backup::open(&copy).unwrap(), &mut |_| {})
        .unwrap();
    new.finish().unwrap();
    assert_eq!(shown(&open(&restored), Some(Split::Country)).await, counted);
}

/// Removes the table, as in the file of an earlier release.
fn age(directory: &PrivateDirectory) {
    let connection = Connection::open(file(directory)).unwrap();
    connection
        .execute_batch("DROP TABLE hourly_counts")
        .unwrap();
}

#[tokio::test]
async fn store_of_an_earlier_release_begins_to_count() {
    let (parent, directory) = directory();
    let items = open(&directory);
    create(&items, &id(1).into(), &acquisition(1).into_document()).await;
    items.close();
    age(&directory);

    // A backup, a check and a repair need no server of this release before.
    let copy = parent.path().join("copy");
    fs::write(&copy, "").unwrap();
    assert!(
        Backup::write(&directory, &copy, &[], NOW)
            .unwrap()
            .is_empty()
    );
    assert!(found(&directory).unwrap().is_sound());
    repair(&directory).unwrap();
    age(&directory);

    let items = open(&directory);
    assert_eq!(shown(&items, None).await, Shown::new());
    create(&items, &id(2).into(), &acquisition(2).into_document()).await;
    assert_eq!(totals(&shown(&items, None).await)[&Step::Started], 1);
    assert!(items.get(&id(1).into()).await.unwrap().is_some());
    assert!(!items.is_damaged());
}

#[tokio::test]
async fn counts_are_removed_after_90_days() {
    let (_parent, directory) = directory();
    let items = open(&directory);
    for (n, hours) in (1..).zip([0, 1, 2]) {
        let item = Confirmation {
            created_at: NOW.plus(HOUR * hours),
            ..acquisition(n)
        };
        create(&items, &item.id.into(), &item.into_document()).await;
    }
    let hours = async || {
        let counts = shown(&items, None).await.into_keys();
        counts.map(|(hour, ..)| hour).collect::<Vec<u64>>()
    };
    items.purge(NOW.plus(HOUR * 24 * 90), 10).await.unwrap();
    assert_eq!(hours().await, [0, 1, 2]);
    items
        .purge(NOW.plus(HOUR * (24 * 90 + 2)), 10)
        .await
        .unwrap();
    assert_eq!(hours().await, [2]);
}

/// Fills the table with the counts of many apps, and returns the number of the page with the row of the app whose
/// name begins with `d`, and of rows on that page.
fn fill(directory: &PrivateDirectory) -> (usize, usize) {
    let connection = Connection::open(file(directory)).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = DELETE; BEGIN")
        .unwrap();
    for hour in 0..40 {
        for app in 0..50 {
            let hour = Hour::of(NOW).0 + hour;
            let values = format!("({hour}, 'mark-{hour}-{app}', '', '', 'started', 1)");
            connection
                .execute(&format!("INSERT INTO hourly_counts VALUES {values}"), [])
                .unwrap();
        }
    }
    connection.execute_batch("COMMIT").unwrap();
    drop(connection);
    let content = fs::read(file(directory)).unwrap();
    let mark = format!("mark-{}-", Hour::of(NOW).0 + 20);
    let count = |page: &[u8]| {
        page.windows(mark.len())
            .filter(|part| *part == mark.as_bytes())
            .count()
    };
    let pages = content.chunks(4096).map(count).enumerate();
    pages.max_by_key(|(_, marks)| *marks).unwrap()
}

#[tokio::test]
async fn damaged_counts_harm_nothing_else() {
    let (parent, directory) = directory();
    open(&directory).close();
    let (page, _) = fill(&directory);
    let mut content = fs::read(file(&directory)).unwrap();
    content[page * 4096..page * 4096 + 8].fill(0xff);
    fs::write(file(&directory), content).unwrap();

    let items = open(&directory);
    // This count belongs on the damaged page.
    let item = Confirmation {
        created_at: NOW.plus(HOUR * 20),
        ..of_app("mark", 1)
    };
    create(&items, &item.id.into(), &item.clone().into_document()).await;
    assert!(items.is_damaged());
    assert!(items.get(&item.id.into()).await.unwrap().is_some());
    let partly = summed(&items, None).await;
    assert!(!partly.is_complete);
    let kept = totals(&by_step(partly))[&Step::Started];
    assert!((1500..2000).contains(&kept), "{kept}");
    items.close();

    let copy = parent.path().join("copy");
    fs::write(&copy, "").unwrap();
    let left_out = Backup::write(&directory, &copy, &[], NOW).unwrap();
    assert_eq!(left_out, ["hourly counts: a part cannot be read"]);
    assert!(found(&directory).unwrap().is_damaged);
    repair(&directory).unwrap();
    assert!(found(&directory).unwrap().is_sound());
    let items = open(&directory);
    assert_eq!(totals(&shown(&items, None).await)[&Step::Started], kept);
    create(&items, &id(2).into(), &acquisition(2).into_document()).await;
    assert_eq!(totals(&shown(&items, None).await)[&Step::Started], kept + 1);
}
