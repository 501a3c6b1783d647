use std::num::NonZeroU32;
use std::sync::Arc;

use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::quota::{Allowance, Quota, QuotaLimit};
use countersign_domain::app::scope::Scope;
use countersign_domain::delivery::{ClaimOutcome, Decision};
use countersign_domain::login::association_key::transitions::RegisterRefusal;
use countersign_domain::login::phone_registration::{
    Failure as SetupFailure, SetupStatus, transitions,
};
use countersign_domain::login::{KeyKind, PhoneRegistration};
use countersign_domain::store::{MAX_REGISTRATIONS, StartRegistrationOutcome};
use futures_util::future::join_all;

use super::Case;
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::association_keys::{association_key, passkey, point, user};
use crate::samples::phone_registrations::{accepted, registration, signed};
use crate::samples::{MILLI, NOW, app_id};

type Store = Arc<countersign_domain::store::Store>;

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "phone registrations: user's list has the caller's ones, oldest first",
        run: |store| Box::pin(listing(store)),
    },
    Case {
        name: "phone registrations: users have a limit for a day, and apps a rate",
        run: |store| Box::pin(limits(store)),
    },
    Case {
        name: "phone registrations: key is registered with its kind, and a webhook is due",
        run: |store| Box::pin(completion(store)),
    },
    Case {
        name: "phone registrations: interrupted completion is repeated",
        run: |store| Box::pin(interruption(store)),
    },
    Case {
        name: "phone registrations: concurrent completions register one key and owe one webhook",
        run: |store| Box::pin(race(store)),
    },
    Case {
        name: "phone registrations: key that cannot be registered ends the registration",
        run: |store| Box::pin(refusal(store)),
    },
    Case {
        name: "phone registrations: all of a user are cancelled at once",
        run: |store| Box::pin(cancellation(store)),
    },
];

async fn start(store: &Store, item: &PhoneRegistration) -> Checked {
    let started = store.start_phone_registration(item.clone(), Allowance::Unlimited, NOW);
    equal("start", started.await?, StartRegistrationOutcome::Created)
}

/// Stores a registration in a later state.
async fn put(store: &Store, item: &PhoneRegistration) -> Checked {
    start(store, item).await?;
    let decide = |_: Option<PhoneRegistration>| Decision {
        outcome: (),
        write: Some(item.clone()),
    };
    store.change(item.id, decide).await?;
    Ok(())
}

async fn get(store: &Store, item: &PhoneRegistration) -> Result<PhoneRegistration, Failure> {
    let found = store.find::<PhoneRegistration>(item.id, NOW).await?;
    found.ok_or_else(|| Failure::new("the registration is gone"))
}

async fn listing(store: Store) -> Checked {
    let later = |n, test| PhoneRegistration {
        created_at: NOW.plus(MILLI),
        test,
        ..registration("shop", "zoe", n)
    };
    let (first, second, test) = (
        registration("shop", "zoe", 2),
        later(1, false),
        later(3, true),
    );
    for item in [&second, &first, &test] {
        start(&store, item).await?;
    }
    start(&store, &registration("shop", "max", 4)).await?;
    start(&store, &registration("other", "zoe", 5)).await?;
    let app = app_id("shop");
    let found = store
        .phone_registrations_of(Scope::live(&app), &user("zoe"), NOW)
        .await?;
    equal("list", found, vec![first.clone(), second, test.clone()])?;
    let scope = Scope {
        mode: KeyMode::Test,
        ..Scope::live(&app)
    };
    let found = store
        .phone_registrations_of(scope, &user("zoe"), NOW)
        .await?;
    equal("list of a test key", found, vec![test])?;
    let gone = store
        .phone_registrations_of(Scope::live(&app), &user("zoe"), first.purge_at)
        .await?;
    equal("list after a day", gone, Vec::new())
}

async fn limits(store: Store) -> Checked {
    let most = u8::try_from(MAX_REGISTRATIONS).unwrap_or(u8::MAX);
    for n in 0..most {
        start(&store, &registration("shop", "zoe", n)).await?;
    }
    let one_more = registration("shop", "zoe", most);
    let started = store.start_phone_registration(one_more.clone(), Allowance::Unlimited, NOW);
    equal(
        "one more",
        started.await?,
        StartRegistrationOutcome::TooMany,
    )?;
    let found = store.find::<PhoneRegistration>(one_more.id, NOW).await?;
    equal("refused one", found, None)?;
    let later = one_more.purge_at;
    let started = store.start_phone_registration(one_more, Allowance::Unlimited, later);
    equal(
        "a day later",
        started.await?,
        StartRegistrationOutcome::Created,
    )?;
    let quota = Quota {
        burst: NonZeroU32::MIN,
        ..Quota::ASSOCIATION_KEYS
    };
    for (n, fits) in [(101, true), (102, false)] {
        let new = registration("shop", "max", n);
        let started = store.start_phone_registration(new, Allowance::Within(quota), NOW);
        let within = match started.await? {
            StartRegistrationOutcome::Created => true,
            StartRegistrationOutcome::Exceeded(exceeded) => {
                equal("limit", exceeded.limit, QuotaLimit::Rate)?;
                false
            }
            StartRegistrationOutcome::TooMany => {
                return Err(Failure::new("the user has too many"));
            }
        };
        equal("within the rate", within, fits)?;
    }
    Ok(())
}

async fn completion(store: Store) -> Checked {
    let item = accepted(signed("shop", "zoe", 1, passkey(true)));
    put(&store, &item).await?;
    let (done, refused) = store
        .finish_phone_registration(item.clone(), None, NOW)
        .await?;
    equal("refusal", refused, None)?;
    equal("status", done.status(NOW), SetupStatus::Completed)?;
    equal("stored", get(&store, &item).await?, done)?;
    let keys = store
        .association_keys_of(&app_id("shop"), &user("zoe"))
        .await?;
    let kinds: Vec<_> = keys
        .iter()
        .map(|key| (key.id, key.kind().cloned()))
        .collect();
    equal(
        "keys",
        kinds,
        vec![(point(1).key_id(), Some(passkey(true)))],
    )?;
    let claimed = store.claim(item.id.into(), 0, NOW).await?;
    holds(
        "the webhook is claimed",
        matches!(claimed, ClaimOutcome::Claimed(_)),
    )?;
    // A test's key is apart from real ones.
    let test = PhoneRegistration {
        test: true,
        ..accepted(signed("shop", "max", 2, KeyKind::Browser))
    };
    put(&store, &test).await?;
    store.finish_phone_registration(test, None, NOW).await?;
    let app = app_id("shop");
    let keys = store.association_keys_of(&app, &user("max")).await?;
    equal("real keys", keys, Vec::new())?;
    let keys = store.test_keys_of(&app, &user("max"), NOW).await?;
    equal("test keys", keys.len(), 1)
}

async fn interruption(store: Store) -> Checked {
    let item = accepted(signed("shop", "zoe", 1, KeyKind::Browser));
    put(&store, &item).await?;
    // The call that registered the key went no further.
    let key = item.accepted_key(NOW);
    let key = key.ok_or_else(|| Failure::new("no key is accepted"))?;
    let registered = store
        .register_association_key(key, Allowance::Unlimited, NOW)
        .await?;
    holds("the key is registered", registered.is_ok())?;
    let (done, refused) = store.finish_phone_registration(item, None, NOW).await?;
    equal("refusal", refused, None)?;
    equal("status", done.status(NOW), SetupStatus::Completed)
}

async fn race(store: Store) -> Checked {
    let item = accepted(signed("shop", "zoe", 1, KeyKind::Browser));
    put(&store, &item).await?;
    let finish = |_| store.finish_phone_registration(item.clone(), NonZeroU32::new(9), NOW);
    for finished in join_all((0..4).map(finish)).await {
        let (done, refused) = finished?;
        equal("refusal", refused, None)?;
        equal("status", done.status(NOW), SetupStatus::Completed)?;
    }
    let keys = store
        .association_keys_of(&app_id("shop"), &user("zoe"))
        .await?;
    equal("keys", keys.len(), 1)?;
    let claims = || store.claim(item.id.into(), 0, NOW);
    let mut claimed = 0;
    for outcome in join_all([claims(), claims()]).await {
        claimed += usize::from(matches!(outcome?, ClaimOutcome::Claimed(_)));
    }
    equal("claimed webhooks", claimed, 1)
}

async fn refusal(store: Store) -> Checked {
    let taken = association_key("shop", "max", 1);
    let registered = store
        .register_association_key(taken, Allowance::Unlimited, NOW)
        .await?;
    holds("the key is registered", registered.is_ok())?;
    let item = accepted(signed("shop", "zoe", 1, KeyKind::Browser));
    put(&store, &item).await?;
    let (done, refused) = store.finish_phone_registration(item, None, NOW).await?;
    equal("refusal", refused, Some(RegisterRefusal::OwnedByAnother))?;
    equal("failure", done.failure(), Some(SetupFailure::KeyRefused))?;
    let item = accepted(signed("shop", "zoe", 2, KeyKind::Browser));
    put(&store, &item).await?;
    let one = Some(NonZeroU32::MIN);
    let (_, refused) = store.finish_phone_registration(item, one, NOW).await?;
    equal("first key within the quota", refused, None)?;
    let item = accepted(signed("shop", "zoe", 3, KeyKind::Browser));
    put(&store, &item).await?;
    let (done, refused) = store.finish_phone_registration(item, one, NOW).await?;
    equal("refusal", refused, Some(RegisterRefusal::AppFull))?;
    equal("failure", done.failure(), Some(SetupFailure::KeyRefused))?;
    // Another call finds the quota full while this one registers the key that it counted.
    let item = accepted(signed("shop", "eve", 4, KeyKind::Browser));
    put(&store, &item).await?;
    let end = |current| transitions::finish(current, false, NOW);
    store.change(item.id, end).await?;
    let (done, _) = store.finish_phone_registration(item, None, NOW).await?;
    equal("failure", done.failure(), Some(SetupFailure::KeyRefused))?;
    let keys = store
        .association_keys_of(&app_id("shop"), &user("eve"))
        .await?;
    equal("keys of a failed registration", keys, Vec::new())
}

async fn cancellation(store: Store) -> Checked {
    let (open, shown) = (
        registration("shop", "zoe", 1),
        signed("shop", "zoe", 2, KeyKind::Browser),
    );
    let typed = accepted(signed("shop", "zoe", 3, KeyKind::Browser));
    let others = registration("shop", "max", 4);
    for item in [&open, &shown, &typed, &others] {
        put(&store, item).await?;
    }
    let app = app_id("shop");
    let zoe = user("zoe");
    let cancelled = store.cancel_phone_registrations_of(&app, &zoe, NOW);
    equal("cancelled", cancelled.await?, 2)?;
    for item in [&open, &shown] {
        let failure = get(&store, item).await?.failure();
        equal("failure", failure, Some(SetupFailure::Cancelled))?;
    }
    equal(
        "typed",
        get(&store, &typed).await?.status(NOW),
        SetupStatus::Completed,
    )?;
    equal(
        "other user's",
        get(&store, &others).await?.status(NOW),
        SetupStatus::Created,
    )?;
    let again = store.cancel_phone_registrations_of(&app, &zoe, NOW);
    equal("again", again.await?, 0)
}
