//! Cases for document stores.

pub(super) mod due;
pub(super) mod open;
pub(super) mod pending;

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::audit::{AuditId, AuditRecord};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::{DeliveryKind, DeliverySubject};
use countersign_domain::login::Login;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{
    AppDocument, Collection, CreateResult, Document, Entity as _, Items, Key, KeyCount, PageStart,
    ReplaceResult, StoredDocument, Write,
};

use super::Case;
use super::races::{MANY, ROUNDS, at_once, only};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::documents::{asked, documents};
use crate::samples::logins::new_login;
use crate::samples::{MILLI, NOW, acquisition, app, app_id, before, key, text, verified};

type Kept = Arc<dyn Items>;

pub(super) const CASES: &[Case<dyn Items>] = &[
    Case {
        name: "documents: every kind, in every state, is read as it was created and as it was replaced",
        run: |items| Box::pin(every_kind(items)),
    },
    Case {
        name: "documents: a key has its own document, or none",
        run: |items| Box::pin(keys_apart(items)),
    },
    Case {
        name: "create: a present document stays until its purge, and no longer",
        run: |items| Box::pin(create_over(items)),
    },
    Case {
        name: "replace: only what was seen is replaced",
        run: |items| Box::pin(replace_what_was_seen(items)),
    },
    Case {
        name: "replace: what was created anew after its purge is not what was seen",
        run: |items| Box::pin(replace_what_was_purged(items)),
    },
    Case {
        name: "write both: both are written, or none, if one is not what was seen",
        run: |items| Box::pin(write_both_or_none(items)),
    },
    Case {
        name: "apps: list is sorted by name, and ends at its limit",
        run: |items| Box::pin(apps(items)),
    },
    Case {
        name: "audit: list is newest first, and ends at its limit",
        run: |items| Box::pin(audit(items)),
    },
    Case {
        name: "started: confirmations and logins of an app are listed newest first, page by page",
        run: |items| Box::pin(started(items)),
    },
    Case {
        name: "race: one of 64 documents is created, and the others find it",
        run: |items| Box::pin(racing_creates(items)),
    },
    Case {
        name: "race: one of 64 replaces what all have seen, and the others find that",
        run: |items| Box::pin(racing_replaces(items)),
    },
    Case {
        name: "race: one of 64 writes of two documents is made, and both are its own",
        run: |items| Box::pin(racing_pairs(items)),
    },
    Case {
        name: "race: 64 counts at once are all counted",
        run: |items| Box::pin(racing_counts(items)),
    },
    Case {
        name: "race: a purged document is replaced or created anew, not both",
        run: |items| Box::pin(create_or_replace(items)),
    },
];

/// Creates a document that must not exist.
async fn made(items: &dyn Items, key: &Key, document: &Document) -> Checked {
    let created = items.create(key, document.clone(), NOW, None).await?;
    equal("create", created, CreateResult::Made)
}

/// Reads a document that must exist.
async fn read(items: &dyn Items, key: &Key) -> Result<StoredDocument, Failure> {
    let found = items.get(key).await?;
    found.ok_or_else(|| Failure::new(format_args!("nothing under {key}")))
}

async fn replaced(items: &dyn Items, key: &Key, new: &Document) -> Checked {
    let seen = read(items, key).await?;
    let replaced = items.replace(key, &seen, new.clone()).await?;
    equal("replace", replaced, ReplaceResult::Made)?;
    equal("replaced", *read(items, key).await?.document, new.clone())
}

async fn every_kind(items: Kept) -> Checked {
    let all = documents();
    // Forward and backward, so that each state follows others of its kind and must leave nothing of
    // them behind.
    for (name, key, document) in all.iter().chain(all.iter().rev()) {
        let checked = match items.get(key).await? {
            Some(_) => replaced(&*items, key, document).await,
            None => created(&*items, key, document).await,
        };
        checked.map_err(|failure| failure.within(name))?;
    }
    Ok(())
}

async fn created(items: &dyn Items, key: &Key, new: &Document) -> Checked {
    made(items, key, new).await?;
    equal("created", *read(items, key).await?.document, new.clone())
}

async fn keys_apart(items: Kept) -> Checked {
    for n in 0..3 {
        made(&*items, &key_of(n), &acquisition(n).into_document()).await?;
    }
    for n in 0..3 {
        let found = *read(&*items, &key_of(n)).await?.document;
        equal("found", found, acquisition(n).into_document())?;
    }
    equal("nothing", items.get(&key_of(3)).await?, None)
}

/// Returns the key of the `n`th confirmation.
fn key_of(n: u8) -> Key {
    Key::Confirmation(acquisition(n).id)
}

async fn create_over(items: Kept) -> Checked {
    let first = acquisition(1).into_document();
    let end = acquisition(1).purge_at;
    made(&*items, &key_of(1), &first).await?;
    let seen = read(&*items, &key_of(1)).await?;
    let mut later = acquisition(1);
    later.purge_at = end.plus(Duration::from_hours(1));
    let later = later.into_document();
    for now in [NOW, before(end, MILLI)] {
        let created = items.create(&key_of(1), later.clone(), now, None).await?;
        equal(
            "before its purge",
            created,
            CreateResult::Present(seen.clone()),
        )?;
    }
    equal("still", read(&*items, &key_of(1)).await?, seen.clone())?;
    let created = items.create(&key_of(1), later.clone(), end, None).await?;
    equal("at its purge", created, CreateResult::Made)?;
    equal("anew", *read(&*items, &key_of(1)).await?.document, later)?;

    // An app is never purged.
    let end_of_time = Timestamp::from_millis(253_402_300_799_000);
    let (app, key) = (one_app("demo"), Key::App(app_id("demo")));
    made(&*items, &key, &app).await?;
    let created = items.create(&key, app, end_of_time, None).await?;
    holds("an app stays", matches!(created, CreateResult::Present(_)))
}

async fn replace_what_was_seen(items: Kept) -> Checked {
    let open = acquisition(1);
    made(&*items, &key_of(1), &open.clone().into_document()).await?;
    let seen = read(&*items, &key_of(1)).await?;
    let verified = verified(&open, &text(1), NOW).into_document();
    replaced(&*items, &key_of(1), &verified).await?;
    let newer = read(&*items, &key_of(1)).await?;
    holds("revisions differ", newer.revision != seen.revision)?;
    let refused = items
        .replace(&key_of(1), &seen, open.clone().into_document())
        .await?;
    equal(
        "seen before",
        refused,
        ReplaceResult::Changed(Some(newer.clone())),
    )?;
    equal("unchanged", read(&*items, &key_of(1)).await?, newer.clone())?;
    // Writing the same document again also counts as a write.
    replaced(&*items, &key_of(1), &verified).await?;
    let again = read(&*items, &key_of(1)).await?;
    holds("revisions differ", again.revision != newer.revision)?;
    let nothing = items
        .replace(&key_of(2), &seen, open.into_document())
        .await?;
    equal("nothing to replace", nothing, ReplaceResult::Changed(None))?;
    equal("nothing", items.get(&key_of(2)).await?, None)
}

async fn replace_what_was_purged(items: Kept) -> Checked {
    let document = acquisition(1).into_document();
    made(&*items, &key_of(1), &document).await?;
    let seen = read(&*items, &key_of(1)).await?;
    let end = acquisition(1).purge_at;
    let anew = items
        .create(&key_of(1), document.clone(), end, None)
        .await?;
    equal("anew", anew, CreateResult::Made)?;
    let now = read(&*items, &key_of(1)).await?;
    let refused = items.replace(&key_of(1), &seen, document).await?;
    equal("seen before", refused, ReplaceResult::Changed(Some(now)))
}

fn one_app(name: &str) -> Document {
    let (app, keys) = (app(name), vec![key(1)]);
    AppDocument {
        app,
        keys,
        client_secrets: Vec::new(),
        deleted_at: None,
    }
    .into_document()
}

async fn apps(items: Kept) -> Checked {
    equal("none", items.list(Collection::Apps, 9).await?.len(), 0)?;
    let names = ["shop", "a", "demo-2", "demo", "z9"];
    for name in names {
        made(&*items, &Key::App(app_id(name)), &one_app(name)).await?;
    }
    made(&*items, &key_of(1), &acquisition(1).into_document()).await?;
    let sorted = ["a", "demo", "demo-2", "shop", "z9"];
    for limit in [1, 3, 5, 100] {
        let listed = items.list(Collection::Apps, limit).await?;
        let listed = listed.into_iter().collect::<Result<Vec<_>, _>>()?;
        let wanted: Vec<_> = sorted.into_iter().take(limit).map(one_app).collect();
        equal("apps", listed, wanted)?;
    }
    Ok(())
}

async fn audit(items: Kept) -> Checked {
    equal("none", items.list(Collection::Audit, 9).await?.len(), 0)?;
    // Two within the same millisecond, and times with different numbers of digits.
    let ids = [
        (2_000, 1),
        (NOW.as_millis(), 1),
        (2_000, 2),
        (30, 9),
        (NOW.as_millis(), 0),
    ];
    for (at, nonce) in ids {
        let (key, record) = administration(at, nonce);
        made(&*items, &key, &record).await?;
    }
    made(&*items, &Key::App(app_id("shop")), &one_app("shop")).await?;
    let newest_first = [
        (NOW.as_millis(), 1),
        (NOW.as_millis(), 0),
        (2_000, 2),
        (2_000, 1),
        (30, 9),
    ];
    for limit in [1, 3, 5, usize::MAX] {
        let listed = items.list(Collection::Audit, limit).await?;
        let listed = listed.into_iter().collect::<Result<Vec<_>, _>>()?;
        let wanted = newest_first.into_iter().take(limit);
        let wanted: Vec<_> = wanted
            .map(|(at, nonce)| administration(at, nonce).1)
            .collect();
        equal("audit", listed, wanted)?;
    }
    Ok(())
}

async fn started(items: Kept) -> Checked {
    let confirmation = |n, app, at| {
        let item = Confirmation {
            app,
            created_at: Timestamp::from_millis(at),
            ..acquisition(n)
        };
        (item.id.into(), item.into_document())
    };
    let login = |n, app, at| {
        let item = Login {
            app,
            created_at: Timestamp::from_millis(at),
            ..new_login(n)
        };
        (item.id.into(), item.into_document())
    };
    listed_as_started(&*items, DeliveryKind::Confirmations, confirmation).await?;
    listed_as_started(&*items, DeliveryKind::Logins, login).await
}

async fn listed_as_started(
    items: &dyn Items,
    kind: DeliveryKind,
    new: fn(u8, AppId, u64) -> (Key, Document),
) -> Checked {
    let app = app_id("demo");
    let listed = async |from, before, limit| {
        let found = items.started(kind, &app, Timestamp::from_millis(from), before, limit);
        let found = found.await?.into_iter().map(|listed| {
            let (at, subject) = match listed.document? {
                Document::Confirmation(item) => (item.created_at, item.id.into()),
                Document::Login(item) => (item.created_at, item.id.into()),
                _ => return Err(Failure::new("another kind of document")),
            };
            equal("place", (listed.started_at, listed.subject), (at, subject))?;
            Ok((at.as_millis(), subject))
        });
        found.collect::<Result<Vec<(u64, DeliverySubject)>, _>>()
    };
    let end = PageStart::Time(Timestamp::from_millis(u64::MAX >> 12));
    equal("none", listed(0, end, 9).await?, vec![])?;
    // Two within the same millisecond, and times with different numbers of digits.
    let times = [(1, 900), (2, 10_000), (3, 10_000), (4, 10_001), (5, 30)];
    for (n, at) in times {
        let (key, document) = new(n, app.clone(), at);
        made(items, &key, &document).await?;
    }
    let (key, document) = new(6, app_id("other"), 10_000);
    made(items, &key, &document).await?;

    let all = listed(0, end, 9).await?;
    let at: Vec<_> = all.iter().map(|(at, _)| *at).collect();
    equal("times", at, vec![10_001, 10_000, 10_000, 900, 30])?;
    for limit in [1, 2, 3, 9] {
        let (mut before, mut paged) = (end, Vec::new());
        while let page = listed(0, before, limit).await?
            && let Some((at, subject)) = page.last().copied()
        {
            before = PageStart::Item(Timestamp::from_millis(at), subject);
            paged.extend(page);
        }
        equal("pages", &paged, &all)?;
    }
    let before = PageStart::Time(Timestamp::from_millis(10_001));
    equal("between", &listed(900, before, 9).await?[..], &all[1..4])?;
    equal("before", &listed(901, before, 9).await?[..], &all[1..3])?;
    equal("none before", listed(10_001, before, 9).await?, vec![])
}

fn administration(at: u64, nonce: u8) -> (Key, Document) {
    let at = Timestamp::from_millis(at);
    let nonce = [nonce; 8];
    let record = AuditRecord {
        by: format!("{nonce:?}"),
        ..asked(at)
    };
    (Key::Audit(AuditId { at, nonce }), record.into_document())
}

/// Returns the `n`th of a series of distinct documents.
fn count(n: u8) -> Document {
    KeyCount { keys: n.into() }.into_document()
}

fn place(round: u8) -> Key {
    let app: AppId = app_id(&format!("round-{round}"));
    Key::KeyCount(app)
}

async fn racing_creates(items: Kept) -> Checked {
    for round in 0..ROUNDS {
        let outcomes = at_once(MANY, |n| {
            let items = Arc::clone(&items);
            async move { items.create(&place(round), count(n), NOW, None).await }
        });
        let outcomes = outcomes.await?;
        let winner = only(&outcomes, |outcome| *outcome == CreateResult::Made)?;
        let kept = read(&*items, &place(round)).await?;
        equal("kept", *kept.document.clone(), count(winner))?;
        for (n, outcome) in (0..).zip(outcomes) {
            if n != winner {
                equal("found", outcome, CreateResult::Present(kept.clone()))?;
            }
        }
    }
    Ok(())
}

async fn racing_replaces(items: Kept) -> Checked {
    for round in 0..ROUNDS {
        made(&*items, &place(round), &count(255)).await?;
        let seen = read(&*items, &place(round)).await?;
        let outcomes = at_once(MANY, |n| {
            let (items, seen) = (Arc::clone(&items), seen.clone());
            async move { items.replace(&place(round), &seen, count(n)).await }
        });
        let outcomes = outcomes.await?;
        let winner = only(&outcomes, |outcome| *outcome == ReplaceResult::Made)?;
        let kept = read(&*items, &place(round)).await?;
        equal("kept", *kept.document.clone(), count(winner))?;
        for (n, outcome) in (0..).zip(outcomes) {
            if n != winner {
                equal("found", outcome, ReplaceResult::Changed(Some(kept.clone())))?;
            }
        }
    }
    Ok(())
}

/// Returns the write of a count over what is there.
async fn write(items: &dyn Items, key: Key, n: u8) -> Result<Write, Failure> {
    let seen = items.get(&key).await?;
    let new = count(n);
    Ok(Write { key, seen, new })
}

async fn write_both_or_none(items: Kept) -> Checked {
    let kept = async |expected: [Option<u8>; 2]| {
        for (n, expected) in (0..).zip(expected) {
            let found = items.get(&place(n)).await?.map(|stored| *stored.document);
            equal("kept", found, expected.map(count))?;
        }
        Ok::<_, Failure>(())
    };
    let writes = async |n| -> Result<[Write; 2], Failure> {
        let first = write(&*items, place(0), n).await?;
        Ok([first, write(&*items, place(1), n).await?])
    };
    let both_new = writes(1).await?;
    let made = items.write_both(both_new.clone()).await?;
    equal("two new ones", made, true)?;
    kept([Some(1), Some(1)]).await?;
    equal("present", items.write_both(both_new).await?, false)?;
    let twice = writes(2).await?;
    equal("seen", items.write_both(twice.clone()).await?, true)?;
    equal("seen before", items.write_both(twice).await?, false)?;
    kept([Some(2), Some(2)]).await?;
    // Either of them has changed since.
    for changed in 0..2 {
        let writes = writes(3).await?;
        replaced(&*items, &place(changed), &count(10)).await?;
        equal("changed", items.write_both(writes).await?, false)?;
    }
    kept([Some(10), Some(10)]).await?;
    // The same content is another revision.
    let before = writes(4).await?;
    let same = writes(10).await?;
    equal("same", items.write_both(same).await?, true)?;
    equal("same content", items.write_both(before).await?, false)?;
    kept([Some(10), Some(10)]).await?;
    // One is new, at either place.
    for new_one in [0, 1] {
        let mut pair = [
            write(&*items, place(0), 5).await?,
            write(&*items, place(2 + new_one), 5).await?,
        ];
        pair.rotate_left(new_one.into());
        equal("one is new", items.write_both(pair.clone()).await?, true)?;
        equal("again", items.write_both(pair).await?, false)?;
    }
    kept([Some(5), Some(10)]).await
}

async fn racing_pairs(items: Kept) -> Checked {
    for round in 0..ROUNDS {
        // The first place is new in each round, and the second one is everyone's.
        let seen = items.get(&place(MANY)).await?;
        let pair = |n| {
            let write = |key, seen| Write {
                key,
                seen,
                new: count(n),
            };
            let mut pair = [write(place(round), None), write(place(MANY), seen.clone())];
            pair.rotate_left(usize::from(n % 2));
            pair
        };
        let outcomes = at_once(MANY, |n| {
            let (items, pair) = (Arc::clone(&items), pair(n));
            async move { items.write_both(pair).await }
        });
        let winner = only(&outcomes.await?, |made| *made)?;
        for key in [place(round), place(MANY)] {
            equal("kept", *read(&*items, &key).await?.document, count(winner))?;
        }
    }
    Ok(())
}

async fn racing_counts(items: Kept) -> Checked {
    made(&*items, &place(0), &count(0)).await?;
    let counted = at_once(MANY, |_| {
        let items = Arc::clone(&items);
        async move {
            let mut seen = items.get(&place(0)).await?;
            while let Some(stored) = seen {
                let Document::KeyCount(KeyCount { keys: n }) = *stored.document else {
                    break;
                };
                let more = KeyCount { keys: n + 1 }.into_document();
                match items.replace(&place(0), &stored, more).await? {
                    ReplaceResult::Made => return Ok(true),
                    ReplaceResult::Changed(newer) => seen = newer,
                }
            }
            Ok(false)
        }
    });
    let counted = counted.await?;
    holds(
        "all have counted",
        counted.into_iter().all(|counted| counted),
    )?;
    equal(
        "counts",
        *read(&*items, &place(0)).await?.document,
        count(MANY),
    )
}

async fn create_or_replace(items: Kept) -> Checked {
    for round in 0..ROUNDS {
        let item = acquisition(round);
        let end = item.purge_at;
        made(&*items, &key_of(round), &item.clone().into_document()).await?;
        let seen = read(&*items, &key_of(round)).await?;
        let mut new = item.clone();
        new.purge_at = end.plus(Duration::from_hours(1));
        let (new, verified) = (
            new.into_document(),
            verified(&item, &text(1), NOW).into_document(),
        );
        let wins = at_once(MANY, |n| {
            let (items, seen) = (Arc::clone(&items), seen.clone());
            let (new, verified) = (new.clone(), verified.clone());
            async move {
                Ok(if n % 2 == 0 {
                    items.create(&key_of(round), new, end, None).await? == CreateResult::Made
                } else {
                    items.replace(&key_of(round), &seen, verified).await? == ReplaceResult::Made
                })
            }
        });
        let winner = only(&wins.await?, |won| *won)?;
        let wanted = if winner % 2 == 0 { new } else { verified };
        equal(
            "kept",
            *read(&*items, &key_of(round)).await?.document,
            wanted,
        )?;
    }
    Ok(())
}
