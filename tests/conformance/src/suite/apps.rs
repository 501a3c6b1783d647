mod random;

use std::sync::Arc;

use countersign_domain::api_key::ApiKeyRecord;
use countersign_domain::app::{App, AppKey, CallbackOrigin, InboundProfile};
use countersign_domain::callback_url::CallbackUrl;
use countersign_domain::code::CodePrefix;
use countersign_domain::ports::{
    AppStore, CreateAppOutcome, IssueKeyOutcome, KeyLookup, RevokeKeyOutcome, UpdateAppOutcome,
};
use countersign_domain::senders::Recipient;
use countersign_domain::template::MessageTemplate;

pub use random::against_model;

use super::Case;
use super::races::{MANY, at_once};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::{MILLI, NOW, app, app_id, key, senders};

type Store = Arc<dyn AppStore>;

/// Everything that an app store must do.
pub const APP_CASES: &[Case<dyn AppStore>] = &[
    Case {
        name: "apps: a new one is there, and of two with one name the first stays",
        run: |store| Box::pin(create(store)),
    },
    Case {
        name: "apps: listed by name",
        run: |store| Box::pin(listed(store)),
    },
    Case {
        name: "apps: a change holds at once, and changes nobody else",
        run: |store| Box::pin(update(store)),
    },
    Case {
        name: "apps: everything about one comes back",
        run: |store| Box::pin(round_trip(store)),
    },
    Case {
        name: "keys: unknown, active, revoked",
        run: |store| Box::pin(life_of_a_key(store)),
    },
    Case {
        name: "keys: two active ones, and room again after a revocation",
        run: |store| Box::pin(limit(store)),
    },
    Case {
        name: "keys: an app's own alone",
        run: |store| Box::pin(own_keys(store)),
    },
    Case {
        name: "keys: listed with the oldest first, revoked ones included",
        run: |store| Box::pin(listed_keys(store)),
    },
    Case {
        name: "keys: what was issued is never issued again",
        run: |store| Box::pin(issued_once(store)),
    },
    Case {
        name: "keys: a lookup gives the app as it is",
        run: |store| Box::pin(lookup_is_fresh(store)),
    },
    Case {
        name: "profile: what an app has and what it had",
        run: |store| Box::pin(profile(store)),
    },
    Case {
        name: "race: of 64 apps with one name one is made",
        run: |store| Box::pin(racing_apps(store)),
    },
    Case {
        name: "race: of 64 keys two are issued",
        run: |store| Box::pin(racing_keys(store)),
    },
    Case {
        name: "race: of 64 revocations one revokes",
        run: |store| Box::pin(racing_revocations(store)),
    },
    Case {
        name: "random: apps and keys as the model has them, seed 1",
        run: |store| Box::pin(against_model(store, 1)),
    },
    Case {
        name: "random: apps and keys as the model has them, a fresh seed",
        run: |store| Box::pin(against_model(store, crate::chance::Chance::fresh_seed())),
    },
];

async fn made(store: &Store, app: &App) -> Checked {
    let outcome = store.create_app(app.clone()).await?;
    equal("create app", outcome, CreateAppOutcome::Created)
}

async fn issued(store: &Store, app: &str, key: &ApiKeyRecord) -> Checked {
    let outcome = store.issue_key(&app_id(app), key.clone()).await?;
    equal("issue key", outcome, IssueKeyOutcome::Issued)
}

async fn revoked(store: &Store, app: &str, key: &ApiKeyRecord) -> Checked {
    let outcome = store.revoke_key(&app_id(app), &key.hash.id(), NOW).await?;
    equal("revoke key", outcome, RevokeKeyOutcome::Revoked)
}

async fn opens(store: &Store, key: &ApiKeyRecord, app: &App) -> Checked {
    let active = KeyLookup::Active(Arc::new(app.clone()));
    equal("lookup", store.lookup_key(&key.hash).await?, active)
}

async fn is_app(store: &Store, app: &App) -> Checked {
    let found = store.find_app(&app.id).await?;
    equal("find app", found.as_deref(), Some(app))
}

async fn create(store: Store) -> Checked {
    equal("find app", store.find_app(&app_id("demo")).await?, None)?;
    equal("list apps", store.list_apps().await?, Vec::new())?;
    let first = app("demo");
    made(&store, &first).await?;
    is_app(&store, &first).await?;
    let mut second = app("demo");
    second.created_at = NOW.plus(MILLI);
    second.senders = senders(&[(None, "55555")]);
    let outcome = store.create_app(second).await?;
    equal("create app", outcome, CreateAppOutcome::NameTaken)?;
    is_app(&store, &first).await?;
    equal("find app", store.find_app(&app_id("dem")).await?, None)?;
    let profile = store.inbound_profile().await?;
    equal("profile", profile.recipients.len(), 1)
}

async fn listed(store: Store) -> Checked {
    for name in ["shop-eu", "a", "shop", "demo", "a1", "a-b"] {
        made(&store, &app(name)).await?;
    }
    let apps = store.list_apps().await?;
    let names: Vec<&str> = apps.iter().map(|app| app.id.as_str()).collect();
    equal(
        "names",
        names,
        vec!["a", "a-b", "a1", "demo", "shop", "shop-eu"],
    )?;
    equal("the whole of each", apps[3].as_ref(), &app("demo"))
}

async fn update(store: Store) -> Checked {
    let mut changed = app("demo");
    changed.senders = senders(&[(None, "12345"), (Some("GB"), "+447700900001")]);
    let outcome = store.update_app(changed.clone()).await?;
    equal("update app", outcome, UpdateAppOutcome::Unknown)?;
    equal("find app", store.find_app(&changed.id).await?, None)?;
    let other = app("demo-2");
    made(&store, &app("demo")).await?;
    made(&store, &other).await?;
    let outcome = store.update_app(changed.clone()).await?;
    equal("update app", outcome, UpdateAppOutcome::Updated)?;
    is_app(&store, &changed).await?;
    is_app(&store, &other).await?;
    equal("list apps", store.list_apps().await?.len(), 2)
}

async fn round_trip(store: Store) -> Checked {
    let sample = |what| Failure::new(format_args!("a sample: {what}"));
    let callback = CallbackUrl::from_stored("https://example.com:8443/h?a=%22").ok();
    let mut full = app("full");
    full.app_key = AppKey::parse("cs_app_zZ9000000000000000000a").map_err(|_| sample("app key"))?;
    full.default_callback = callback.clone();
    full.callback_origins = vec![
        CallbackOrigin::from_stored("https://b.example:443".to_owned()),
        CallbackOrigin::from_stored("https://a.example:8443".to_owned()),
    ];
    full.template =
        MessageTemplate::parse("Anmeldung für Lädle: {code}").map_err(|_| sample("template"))?;
    full.prefix = CodePrefix::parse("LAEDLE").map_err(|_| sample("prefix"))?;
    full.senders = senders(&[
        (None, "+12025550199"),
        (None, "55555"),
        (Some("GB"), "+447700900002"),
        (Some("GB"), "+447700900001"),
        (Some("DE"), "+4915123456789"),
    ]);
    holds("the sample is whole", callback.is_some())?;
    made(&store, &full).await?;
    is_app(&store, &full).await?;
    let plain = App {
        id: full.id.clone(),
        ..app("plain")
    };
    store.update_app(plain.clone()).await?;
    is_app(&store, &plain).await
}

async fn life_of_a_key(store: Store) -> Checked {
    let (demo, key) = (app("demo"), key(1));
    made(&store, &demo).await?;
    let unknown = KeyLookup::Unknown;
    equal("lookup", store.lookup_key(&key.hash).await?, unknown)?;
    let outcome = store.issue_key(&app_id("nobody"), key.clone()).await?;
    equal("issue key", outcome, IssueKeyOutcome::UnknownApp)?;
    let unknown = KeyLookup::Unknown;
    equal("lookup", store.lookup_key(&key.hash).await?, unknown)?;
    issued(&store, "demo", &key).await?;
    opens(&store, &key, &demo).await?;
    revoked(&store, "demo", &key).await?;
    // At once.
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

async fn limit(store: Store) -> Checked {
    let demo = app("demo");
    made(&store, &demo).await?;
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
    opens(&store, &key(2), &demo).await?;
    opens(&store, &key(3), &demo).await
}

async fn own_keys(store: Store) -> Checked {
    // Names of which one begins with the other.
    let (demo, longer) = (app("demo"), app("demo-2"));
    made(&store, &demo).await?;
    made(&store, &longer).await?;
    issued(&store, "demo", &key(1)).await?;
    issued(&store, "demo-2", &key(2)).await?;
    issued(&store, "demo-2", &key(3)).await?;
    issued(&store, "demo", &key(4)).await?;
    opens(&store, &key(1), &demo).await?;
    opens(&store, &key(2), &longer).await?;
    for (app, key) in [("demo", key(2)), ("nobody", key(1)), ("demo", key(9))] {
        let outcome = store.revoke_key(&app_id(app), &key.hash.id(), NOW).await?;
        equal("revoke key", outcome, RevokeKeyOutcome::Unknown)?;
    }
    opens(&store, &key(1), &demo).await?;
    opens(&store, &key(2), &longer).await?;
    let keys = store.list_keys(&demo.id).await?;
    equal("list keys", keys, vec![key(1), key(4)])?;
    let keys = store.list_keys(&longer.id).await?;
    equal("list keys", keys, vec![key(2), key(3)])?;
    let keys = store.list_keys(&app_id("nobody")).await?;
    equal("list keys", keys, Vec::new())
}

async fn listed_keys(store: Store) -> Checked {
    made(&store, &app("demo")).await?;
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
    made(&store, &demo).await?;
    made(&store, &other).await?;
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
        holds("it is not issued again", !again)?;
    }
    let lookup = store.lookup_key(&key(1).hash).await?;
    equal("lookup", lookup, KeyLookup::Revoked)?;
    opens(&store, &key(2), &demo).await?;
    let keys = store.list_keys(&other.id).await?;
    equal("list keys", keys, Vec::new())
}

async fn lookup_is_fresh(store: Store) -> Checked {
    let mut demo = app("demo");
    made(&store, &demo).await?;
    issued(&store, "demo", &key(1)).await?;
    opens(&store, &key(1), &demo).await?;
    demo.senders = senders(&[(None, "12345")]);
    store.update_app(demo.clone()).await?;
    opens(&store, &key(1), &demo).await
}

async fn profile(store: Store) -> Checked {
    let empty = InboundProfile::default();
    equal("profile", store.inbound_profile().await?.as_ref(), &empty)?;
    let mut demo = app("demo");
    made(&store, &demo).await?;
    made(&store, &app("other")).await?;
    has(&store, &["CS"], &["+12025550199"]).await?;
    demo.prefix = CodePrefix::parse("SHOP").unwrap_or_default();
    demo.senders = senders(&[(None, "12345"), (Some("GB"), "+447700900001")]);
    store.update_app(demo.clone()).await?;
    let numbers = ["+12025550199", "+447700900001", "12345"];
    has(&store, &["CS", "SHOP"], &numbers).await?;
    // Sessions that were opened before the change refer to what was.
    demo.prefix = CodePrefix::parse("LAST").unwrap_or_default();
    demo.senders = senders(&[(None, "99999")]);
    store.update_app(demo.clone()).await?;
    let numbers = ["+12025550199", "+447700900001", "12345", "99999"];
    has(&store, &["CS", "LAST", "SHOP"], &numbers).await?;
    store.update_app(app("demo")).await?;
    has(&store, &["CS", "LAST", "SHOP"], &numbers).await
}

/// That the profile has these, in whatever order, each once.
async fn has(store: &Store, prefixes: &[&str], recipients: &[&str]) -> Checked {
    let profile = store.inbound_profile().await?;
    let mut found: Vec<&str> = profile.prefixes.iter().map(CodePrefix::as_str).collect();
    found.sort_unstable();
    equal("prefixes", found.as_slice(), prefixes)?;
    let mut found: Vec<&str> = profile.recipients.iter().map(Recipient::as_str).collect();
    found.sort_unstable();
    equal("recipients", found.as_slice(), recipients)
}

async fn racing_apps(store: Store) -> Checked {
    let new = |n: u8| App {
        created_at: NOW.plus(MILLI * n.into()),
        ..app("demo")
    };
    let outcomes = at_once(MANY, |n| {
        let store = Arc::clone(&store);
        async move { store.create_app(new(n)).await }
    })
    .await?;
    let made = outcomes
        .iter()
        .filter(|o| **o == CreateAppOutcome::Created)
        .count();
    equal("made", made, 1)?;
    let winner = (0_u8..).zip(&outcomes);
    for (n, _) in winner.filter(|(_, outcome)| **outcome == CreateAppOutcome::Created) {
        is_app(&store, &new(n)).await?;
    }
    Ok(())
}

async fn racing_keys(store: Store) -> Checked {
    made(&store, &app("demo")).await?;
    // Three rounds: none active before, one, two.
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
    made(&store, &app("demo")).await?;
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
