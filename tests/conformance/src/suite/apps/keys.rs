use std::sync::Arc;

use countersign_domain::app::App;
use countersign_domain::app::api_key::ApiKeyRecord;
use countersign_domain::store::{IssueKeyOutcome, Key, KeyLookup, KeyUse, RevokeKeyOutcome};

use super::{Store, create_app, replace_app};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::{MILLI, NOW, app, app_id, key, senders};
use crate::suite::Case;
use crate::suite::races::{MANY, at_once};

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "keys: lookup answers unknown, then active, then revoked",
        run: |store| Box::pin(lifecycle(store)),
    },
    Case {
        name: "keys: two can be active, and a revocation makes room",
        run: |store| Box::pin(two_active(store)),
    },
    Case {
        name: "keys: apps can list and revoke only their own",
        run: |store| Box::pin(own_keys(store)),
    },
    Case {
        name: "keys: list starts with the oldest, and includes revoked keys",
        run: |store| Box::pin(listed_keys(store)),
    },
    Case {
        name: "keys: issued key is never issued again",
        run: |store| Box::pin(issued_once(store)),
    },
    Case {
        name: "keys: lookup returns the current settings of the app",
        run: |store| Box::pin(lookup_is_fresh(store)),
    },
    Case {
        name: "keys: last use is recorded to the day",
        run: |store| Box::pin(last_use(store)),
    },
    Case {
        name: "race: two of 64 keys are issued",
        run: |store| Box::pin(racing_keys(store)),
    },
    Case {
        name: "race: one of 64 revocations takes effect",
        run: |store| Box::pin(racing_revocations(store)),
    },
];

async fn issued(store: &Store, app: &str, key: &ApiKeyRecord) -> Checked {
    let outcome = store.issue_key(&app_id(app), key.clone()).await?;
    equal("issue key", outcome, IssueKeyOutcome::Issued)
}

async fn revoked(store: &Store, app: &str, key: &ApiKeyRecord) -> Checked {
    let outcome = store.revoke_key(&app_id(app), &key.hash.id(), NOW).await?;
    equal("revoke key", outcome, RevokeKeyOutcome::Revoked)
}

async fn lookup_finds(store: &Store, key: &ApiKeyRecord, app: &App) -> Checked {
    let active = KeyLookup::Active(Arc::new(app.clone()));
    equal("lookup", store.lookup_key(&key.hash).await?, active)
}

async fn lifecycle(store: Store) -> Checked {
    let (demo, key) = (app("demo"), key(1));
    create_app(&store, &demo).await?;
    let unknown = KeyLookup::Unknown;
    equal("lookup", store.lookup_key(&key.hash).await?, unknown)?;
    let outcome = store.issue_key(&app_id("nobody"), key.clone()).await?;
    equal("issue key", outcome, IssueKeyOutcome::UnknownApp)?;
    let unknown = KeyLookup::Unknown;
    equal("lookup", store.lookup_key(&key.hash).await?, unknown)?;
    issued(&store, "demo", &key).await?;
    lookup_finds(&store, &key, &demo).await?;
    revoked(&store, "demo", &key).await?;
    // A revocation takes effect immediately.
    let lookup = store.lookup_key(&key.hash).await?;
    equal("lookup", lookup, KeyLookup::Revoked)?;
    let later = NOW.plus(MILLI);
    let outcome = store.revoke_key(&demo.id, &key.hash.id(), later).await?;
    equal("revoke key", outcome, RevokeKeyOutcome::AlreadyRevoked)?;
    let kept = ApiKeyRecord {
        revoked_at: Some(NOW),
        ..key
    };
    equal("list keys", store.list_keys(&demo.id).await?, vec![kept])
}

async fn two_active(store: Store) -> Checked {
    let demo = app("demo");
    create_app(&store, &demo).await?;
    issued(&store, "demo", &key(1)).await?;
    issued(&store, "demo", &key(2)).await?;
    for _ in 0..2 {
        let outcome = store.issue_key(&demo.id, key(3)).await?;
        equal("issue key", outcome, IssueKeyOutcome::TooMany)?;
        let lookup = store.lookup_key(&key(3).hash).await?;
        equal("lookup", lookup, KeyLookup::Unknown)?;
    }
    revoked(&store, "demo", &key(1)).await?;
    issued(&store, "demo", &key(3)).await?;
    let outcome = store.issue_key(&demo.id, key(4)).await?;
    equal("issue key", outcome, IssueKeyOutcome::TooMany)?;
    lookup_finds(&store, &key(2), &demo).await?;
    lookup_finds(&store, &key(3), &demo).await
}

async fn own_keys(store: Store) -> Checked {
    // One app's name is a prefix of the other's.
    let (demo, longer) = (app("demo"), app("demo-2"));
    create_app(&store, &demo).await?;
    create_app(&store, &longer).await?;
    issued(&store, "demo", &key(1)).await?;
    issued(&store, "demo-2", &key(2)).await?;
    issued(&store, "demo-2", &key(3)).await?;
    issued(&store, "demo", &key(4)).await?;
    lookup_finds(&store, &key(1), &demo).await?;
    lookup_finds(&store, &key(2), &longer).await?;
    for (app, key) in [("demo", key(2)), ("nobody", key(1)), ("demo", key(9))] {
        let outcome = store.revoke_key(&app_id(app), &key.hash.id(), NOW).await?;
        equal("revoke key", outcome, RevokeKeyOutcome::Unknown)?;
    }
    lookup_finds(&store, &key(1), &demo).await?;
    lookup_finds(&store, &key(2), &longer).await?;
    let keys = store.list_keys(&demo.id).await?;
    equal("list keys", keys, vec![key(1), key(4)])?;
    let keys = store.list_keys(&longer.id).await?;
    equal("list keys", keys, vec![key(2), key(3)])?;
    let keys = store.list_keys(&app_id("nobody")).await?;
    equal("list keys", keys, Vec::new())
}

async fn listed_keys(store: Store) -> Checked {
    create_app(&store, &app("demo")).await?;
    let mut expected = Vec::new();
    for n in 1..=8 {
        issued(&store, "demo", &key(n)).await?;
        revoked(&store, "demo", &key(n)).await?;
        expected.push(ApiKeyRecord {
            revoked_at: Some(NOW),
            ..key(n)
        });
    }
    issued(&store, "demo", &key(9)).await?;
    expected.push(key(9));
    let keys = store.list_keys(&app_id("demo")).await?;
    equal("list keys", keys, expected)
}

async fn issued_once(store: Store) -> Checked {
    let (demo, other) = (app("demo"), app("other"));
    create_app(&store, &demo).await?;
    create_app(&store, &other).await?;
    issued(&store, "demo", &key(1)).await?;
    issued(&store, "demo", &key(2)).await?;
    revoked(&store, "demo", &key(1)).await?;
    for (app, key) in [
        ("other", key(2)),
        ("demo", key(1)),
        ("other", key(1)),
        ("demo", key(2)),
    ] {
        let outcome = store.issue_key(&app_id(app), key).await;
        let again = matches!(outcome, Ok(IssueKeyOutcome::Issued));
        holds("the key is not issued again", !again)?;
    }
    let lookup = store.lookup_key(&key(1).hash).await?;
    equal("lookup", lookup, KeyLookup::Revoked)?;
    lookup_finds(&store, &key(2), &demo).await?;
    let keys = store.list_keys(&other.id).await?;
    equal("list keys", keys, Vec::new())
}

async fn lookup_is_fresh(store: Store) -> Checked {
    let mut demo = app("demo");
    create_app(&store, &demo).await?;
    issued(&store, "demo", &key(1)).await?;
    lookup_finds(&store, &key(1), &demo).await?;
    demo.senders = senders(&[(None, "12345")]);
    replace_app(&store, &demo).await?;
    lookup_finds(&store, &key(1), &demo).await
}

async fn last_use(store: Store) -> Checked {
    create_app(&store, &app("demo")).await?;
    let keys = [key(1), key(2)];
    for key in &keys {
        issued(&store, "demo", key).await?;
    }
    let recorded = async |n: u8| store.get::<KeyUse>(Key::KeyUse(key(n).hash)).await;
    equal("last uses", store.last_uses(&keys).await?, vec![None, None])?;
    store.note_key_use(&key(1).hash);
    equal("before it is recorded", recorded(1).await?, None)?;
    store.record_key_uses().await?;
    let days = store.last_uses(&keys).await?;
    let day = days[0].ok_or(Failure::new("the key was used"))?;
    equal("other key", days[1], None)?;
    equal("recorded", recorded(1).await?, Some(KeyUse { day }))?;
    equal("recorded", recorded(2).await?, None)?;
    revoked(&store, "demo", &key(1)).await?;
    equal("after the revocation", store.last_uses(&keys).await?, days)
}

async fn racing_keys(store: Store) -> Checked {
    create_app(&store, &app("demo")).await?;
    // Three rounds: with no active key at the start, with one, and with two.
    for (round, room) in [(0_u8, 2), (1, 1), (2, 0)] {
        let outcomes = at_once(MANY, |n| {
            let store = Arc::clone(&store);
            async move {
                store
                    .issue_key(&app_id("demo"), key(n + round * MANY))
                    .await
            }
        })
        .await?;
        let issued = outcomes
            .iter()
            .filter(|o| **o == IssueKeyOutcome::Issued)
            .count();
        equal("issued", issued, room)?;
        let keys = store.list_keys(&app_id("demo")).await?;
        let mut active = keys.iter().filter(|key| key.is_active());
        let first = active.next().map(|key| key.hash.id());
        equal("active", 1 + active.count(), 2)?;
        if let Some(first) = first.filter(|_| round == 0) {
            store.revoke_key(&app_id("demo"), &first, NOW).await?;
        }
    }
    Ok(())
}

async fn racing_revocations(store: Store) -> Checked {
    create_app(&store, &app("demo")).await?;
    issued(&store, "demo", &key(1)).await?;
    let outcomes = at_once(MANY, |n| {
        let store = Arc::clone(&store);
        let at = NOW.plus(MILLI * n.into());
        async move {
            let (app, key) = (app_id("demo"), key(1).hash.id());
            store.revoke_key(&app, &key, at).await
        }
    })
    .await?;
    let revoked = |o: &&RevokeKeyOutcome| **o == RevokeKeyOutcome::Revoked;
    equal("revoked", outcomes.iter().filter(revoked).count(), 1)
}
