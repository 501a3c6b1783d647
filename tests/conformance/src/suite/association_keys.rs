mod races;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::quota::{Allowance, Quota, QuotaExceeded, QuotaLimit};
use countersign_domain::login::association_key::transitions::{
    RegisterRefusal, Registration, RevokeOutcome,
};
use countersign_domain::login::{AssociationKey, KeyState, MAX_KEYS};

use super::Case;
use crate::check::{Checked, equal, holds};
use crate::samples::association_keys::{association_key, registered, user};
use crate::samples::{MILLI, NOW, app_id};

type Store = Arc<countersign_domain::store::Store>;

/// Returns the cases of stores of association keys.
pub(super) fn cases() -> impl Iterator<Item = &'static Case<countersign_domain::store::Store>> {
    CASES.iter().chain(races::CASES)
}

const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "association keys: key belongs to one user of an app, and to one of each app",
        run: |store| Box::pin(owners(store)),
    },
    Case {
        name: "association keys: list has a user's active keys, oldest first",
        run: |store| Box::pin(listing(store)),
    },
    Case {
        name: "association keys: active keys of apps are listed in order, page by page",
        run: |store| Box::pin(pages(store)),
    },
    Case {
        name: "association keys: all keys of a user are revoked at once",
        run: |store| Box::pin(lost_phone(store)),
    },
    Case {
        name: "association keys: users have a limit, and a revocation makes room",
        run: |store| Box::pin(limit(store)),
    },
    Case {
        name: "association keys: apps have a limit, in which revoked keys count",
        run: |store| Box::pin(limit_of_app(store)),
    },
    Case {
        name: "association keys: apps have a rate, in which only new keys count",
        run: |store| Box::pin(rate(store)),
    },
];

/// Returns the tombstone of a key that was revoked at [`NOW`].
fn tombstone(key: &AssociationKey) -> AssociationKey {
    let owner = key.owner_key();
    AssociationKey {
        state: KeyState::Revoked { owner, at: NOW },
        ..key.clone()
    }
}

async fn register(
    store: &Store,
    key: &AssociationKey,
    expected: Result<Registration, RegisterRefusal>,
) -> Checked {
    let outcome = store
        .register_association_key(key.clone(), Allowance::Unlimited, NOW)
        .await?;
    equal("register", outcome, expected)
}

async fn revoke(store: &Store, key: &AssociationKey, expected: RevokeOutcome) -> Checked {
    let outcome = store.revoke_association_key(&key.app, key.id, NOW).await?;
    equal("revoke", outcome, expected)
}

async fn stored(store: &Store, key: &AssociationKey) -> Checked {
    let found = store.find_association_key(&key.app, key.id).await?;
    equal("find", found.as_ref(), Some(key))
}

async fn listed(store: &Store, app: &str, owner: &str, expected: &[AssociationKey]) -> Checked {
    let found = store
        .association_keys_of(&app_id(app), &user(owner))
        .await?;
    equal("list", found.as_slice(), expected)
}

async fn register_within(
    store: &Store,
    key: &AssociationKey,
    quota: Quota,
    expected: Result<Registration, RegisterRefusal>,
) -> Checked {
    let allowance = Allowance::Within(quota);
    let outcome = store
        .register_association_key(key.clone(), allowance, NOW)
        .await?;
    equal("register within the quota", outcome, expected)
}

async fn limit_of_app(store: Store) -> Checked {
    let quota = Quota {
        max_open: NonZeroU32::MIN.saturating_add(1),
        ..Quota::ASSOCIATION_KEYS
    };
    let (first, second) = (
        association_key("shop", "zoe", 1),
        association_key("shop", "max", 2),
    );
    for key in [&first, &second] {
        register_within(&store, key, quota, Ok(Registration::New)).await?;
    }
    let third = association_key("shop", "ida", 3);
    register_within(&store, &third, quota, Err(RegisterRefusal::AppFull)).await?;
    listed(&store, "shop", "ida", &[]).await?;
    register_within(&store, &first, quota, Ok(Registration::Repeated)).await?;
    let theirs = association_key("shop", "max", 1);
    register_within(&store, &theirs, quota, Err(RegisterRefusal::OwnedByAnother)).await?;
    let elsewhere = association_key("shop-2", "ida", 3);
    register_within(&store, &elsewhere, quota, Ok(Registration::New)).await?;
    revoke(&store, &first, RevokeOutcome::Revoked).await?;
    register_within(&store, &third, quota, Err(RegisterRefusal::AppFull)).await?;
    register_within(&store, &first, quota, Err(RegisterRefusal::Revoked)).await?;
    let larger = Quota {
        max_open: quota.max_open.saturating_add(1),
        ..quota
    };
    register_within(&store, &third, larger, Ok(Registration::New)).await?;
    listed(&store, "shop", "ida", &[third]).await?;
    let fourth = association_key("shop", "ida", 4);
    register_within(&store, &fourth, larger, Err(RegisterRefusal::AppFull)).await
}

async fn rate(store: Store) -> Checked {
    let quota = Quota {
        per_minute: NonZeroU32::MIN,
        burst: NonZeroU32::MIN,
        ..Quota::ASSOCIATION_KEYS
    };
    let key = association_key("shop", "zoe", 1);
    register_within(&store, &key, quota, Ok(Registration::New)).await?;
    let exceeded = Err(RegisterRefusal::QuotaExceeded(QuotaExceeded {
        limit: QuotaLimit::Rate,
        retry_after: Duration::from_mins(1),
    }));
    let second = association_key("shop", "zoe", 2);
    register_within(&store, &second, quota, exceeded).await?;
    register_within(&store, &key, quota, Ok(Registration::Repeated)).await?;
    listed(&store, "shop", "zoe", &[key]).await?;
    let elsewhere = association_key("shop-2", "zoe", 1);
    register_within(&store, &elsewhere, quota, Ok(Registration::New)).await
}

async fn owners(store: Store) -> Checked {
    let key = association_key("shop", "zoe", 1);
    register(&store, &key, Ok(Registration::New)).await?;
    for owner in ["max", "Zoe", "zoe "] {
        let theirs = association_key("shop", owner, 1);
        register(&store, &theirs, Err(RegisterRefusal::OwnedByAnother)).await?;
        listed(&store, "shop", owner, &[]).await?;
    }
    stored(&store, &key).await?;
    // One app's name is a prefix of the other's.
    let elsewhere = association_key("shop-2", "max", 1);
    register(&store, &elsewhere, Ok(Registration::New)).await?;
    stored(&store, &key).await?;
    stored(&store, &elsewhere).await?;
    listed(&store, "shop", "zoe", std::slice::from_ref(&key)).await?;
    listed(&store, "shop", "max", &[]).await?;
    revoke(&store, &key, RevokeOutcome::Revoked).await?;
    stored(&store, &elsewhere).await?;
    listed(&store, "shop-2", "max", &[elsewhere]).await
}

async fn listing(store: Store) -> Checked {
    // The ids are hashes, so their order differs from that of the times.
    let times = [3_u8, 1, 2, 1];
    let mut expected = Vec::new();
    for (n, time) in (1_u8..).zip(times) {
        let key = registered("shop", "zoe", n, NOW.plus(MILLI * u32::from(time)));
        register(&store, &key, Ok(Registration::New)).await?;
        expected.push(key);
    }
    let other = association_key("shop", "max", 9);
    register(&store, &other, Ok(Registration::New)).await?;
    expected.sort_by_key(|key| (key.registered_at(), key.id));
    listed(&store, "shop", "zoe", &expected).await?;
    let first = expected.remove(0);
    revoke(&store, &first, RevokeOutcome::Revoked).await?;
    listed(&store, "shop", "zoe", &expected).await?;
    listed(&store, "shop", "max", &[other]).await
}

async fn pages(store: Store) -> Checked {
    // One app's name is a prefix of the other's.
    let (shop, other) = (app_id("shop"), app_id("shop-2"));
    let mut keys = Vec::new();
    for n in 0..7 {
        let key = association_key("shop", &format!("user-{n}"), n);
        register(&store, &key, Ok(Registration::New)).await?;
        keys.push(key);
    }
    let test = association_key("shop", "zoe", 20);
    let registered = store.register_test_key(test, Allowance::Unlimited, NOW);
    equal("register", registered.await?, Ok(Registration::New))?;
    revoke(&store, &keys.remove(3), RevokeOutcome::Revoked).await?;
    keys.sort_by_key(|key| key.id.to_string());
    let elsewhere = association_key("shop-2", "zoe", 1);
    register(&store, &elsewhere, Ok(Registration::New)).await?;
    keys.push(elsewhere.clone());
    let both = [other.clone(), shop];
    for size in [1, 2, 3, 100] {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = store.list_association_keys(&both, after.as_ref(), size);
            let page = page.await?;
            equal("left out", page.left_out, 0)?;
            holds("a page is within its size", page.keys.len() <= size)?;
            found.extend(page.keys);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        equal("keys", found, keys.clone())?;
    }
    let page = store.list_association_keys(&[other], None, 100).await?;
    equal("keys of one app", page.keys, vec![elsewhere])
}

async fn lost_phone(store: Store) -> Checked {
    let (first, second) = (
        registered("shop", "zoe", 1, NOW),
        registered("shop", "zoe", 2, NOW.plus(MILLI)),
    );
    let others = [
        association_key("shop", "max", 3),
        association_key("shop-2", "zoe", 1),
    ];
    for key in [&second, &first].into_iter().chain(&others) {
        register(&store, key, Ok(Registration::New)).await?;
    }
    let (shop, zoe) = (app_id("shop"), user("zoe"));
    let revoked = store.revoke_association_keys_of(&shop, &zoe, NOW).await?;
    equal("revoked", revoked, vec![first.id, second.id])?;
    for key in [&first, &second] {
        stored(&store, &tombstone(key)).await?;
    }
    for key in &others {
        stored(&store, key).await?;
    }
    let again = store.revoke_association_keys_of(&shop, &zoe, NOW).await?;
    equal("revoked again", again, Vec::new())
}

async fn limit(store: Store) -> Checked {
    let most = u8::try_from(MAX_KEYS).unwrap_or(u8::MAX);
    for n in 0..most {
        let key = association_key("shop", "zoe", n);
        register(&store, &key, Ok(Registration::New)).await?;
    }
    let surplus = association_key("shop", "zoe", most);
    for _ in 0..2 {
        register(&store, &surplus, Err(RegisterRefusal::TooMany)).await?;
        equal(
            "find",
            store.find_association_key(&surplus.app, surplus.id).await?,
            None,
        )?;
    }
    let first = association_key("shop", "zoe", 0);
    register(&store, &first, Ok(Registration::Repeated)).await?;
    let others = association_key("shop", "max", most);
    register(&store, &others, Ok(Registration::New)).await?;
    register(&store, &surplus, Err(RegisterRefusal::OwnedByAnother)).await?;
    let next = association_key("shop", "zoe", most + 1);
    register(&store, &next, Err(RegisterRefusal::TooMany)).await?;
    revoke(&store, &first, RevokeOutcome::Revoked).await?;
    register(&store, &first, Err(RegisterRefusal::Revoked)).await?;
    register(&store, &next, Ok(Registration::New)).await?;
    let last = association_key("shop", "zoe", most + 2);
    register(&store, &last, Err(RegisterRefusal::TooMany)).await?;
    let keys = store
        .association_keys_of(&app_id("shop"), &user("zoe"))
        .await?;
    equal("keys", keys.len(), MAX_KEYS)
}
