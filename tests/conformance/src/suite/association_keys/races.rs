use std::sync::Arc;

use countersign_domain::app::quota::Allowance;
use countersign_domain::login::association_key::transitions::{
    RegisterRefusal, Registration, RevokeOutcome,
};
use countersign_domain::login::{AssociationKey, MAX_KEYS};
use countersign_domain::primitives::unavailable::Unavailable;

use super::{Store, listed, register, stored, tombstone};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::association_keys::{association_key, user};
use crate::samples::{NOW, app_id};
use crate::suite::Case;
use crate::suite::races::{MANY, ROUNDS, at_once, only};

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "race: one of 64 users gets the key",
        run: |store| Box::pin(one_key(store)),
    },
    Case {
        name: "race: same registration 64 times registers once and repeats 63 times",
        run: |store| Box::pin(same_registration(store)),
    },
    Case {
        name: "race: users never exceed their limit of keys",
        run: |store| Box::pin(many_keys(store)),
    },
    Case {
        name: "race: key that was revoked stays revoked, whoever registers it",
        run: |store| Box::pin(register_or_revoke(store)),
    },
    Case {
        name: "race: one of 64 revocations of an association key takes effect",
        run: |store| Box::pin(revocations(store)),
    },
];

/// Registers 64 keys concurrently.
async fn register_all(
    store: &Store,
    key: impl Fn(u8) -> AssociationKey,
) -> Result<Vec<Result<Registration, RegisterRefusal>>, Failure> {
    at_once(MANY, |n| {
        let (store, key) = (Arc::clone(store), key(n));
        async move {
            store
                .register_association_key(key, Allowance::Unlimited, NOW)
                .await
        }
    })
    .await
}

async fn one_key(store: Store) -> Checked {
    for round in 0..ROUNDS {
        // First two users with 32 calls each, then 64 users.
        let users = if round % 2 == 0 { 2 } else { MANY };
        let owner = |n: u8| format!("user-{}", n % users);
        let outcomes = register_all(&store, |n| association_key("shop", &owner(n), round)).await?;
        let winner = only(&outcomes, |o| *o == Ok(Registration::New))?;
        for (n, outcome) in (0_u8..).zip(&outcomes) {
            let expected = match n {
                n if n == winner => Ok(Registration::New),
                n if owner(n) == owner(winner) => Ok(Registration::Repeated),
                _ => Err(RegisterRefusal::OwnedByAnother),
            };
            equal("outcome", *outcome, expected)?;
        }
        let key = association_key("shop", &owner(winner), round);
        stored(&store, &key).await?;
        for n in 0..users {
            let keys = store
                .association_keys_of(&app_id("shop"), &user(&owner(n)))
                .await?;
            let expected = owner(n) == owner(winner);
            equal("listed", keys.contains(&key), expected)?;
        }
    }
    Ok(())
}

async fn same_registration(store: Store) -> Checked {
    let key = association_key("shop", "zoe", 1);
    let outcomes = register_all(&store, |_| key.clone()).await?;
    let winner = only(&outcomes, |o| *o == Ok(Registration::New))?;
    for (n, outcome) in (0_u8..).zip(outcomes) {
        let repeated = n == winner || outcome == Ok(Registration::Repeated);
        holds("the others are repeated", repeated)?;
    }
    stored(&store, &key).await?;
    listed(&store, "shop", "zoe", &[key]).await
}

async fn many_keys(store: Store) -> Checked {
    let outcomes = register_all(&store, |n| association_key("shop", "zoe", n)).await?;
    let registered =
        |outcome: &&Result<Registration, RegisterRefusal>| **outcome == Ok(Registration::New);
    let count = outcomes.iter().filter(registered).count();
    equal("registered", count, MAX_KEYS)?;
    let keys = store
        .association_keys_of(&app_id("shop"), &user("zoe"))
        .await?;
    equal("listed", keys.len(), MAX_KEYS)?;
    for (n, outcome) in (0_u8..).zip(outcomes) {
        let key = association_key("shop", "zoe", n);
        let found = store
            .find_association_key(&key.app, key.id)
            .await?
            .is_some();
        equal("found", found, outcome == Ok(Registration::New))?;
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    Register(Result<Registration, RegisterRefusal>),
    Revoke(RevokeOutcome),
}

async fn register_or_revoke(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let key = association_key("shop", "zoe", round);
        let theirs = association_key("shop", "max", round);
        register(&store, &key, Ok(Registration::New)).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, key, theirs) = (Arc::clone(&store), key.clone(), theirs.clone());
            async move {
                Ok::<_, Unavailable>(match n % 4 {
                    0 => Done::Revoke(store.revoke_association_key(&key.app, key.id, NOW).await?),
                    1 => Done::Register(
                        store
                            .register_association_key(theirs, Allowance::Unlimited, NOW)
                            .await?,
                    ),
                    _ => Done::Register(
                        store
                            .register_association_key(key, Allowance::Unlimited, NOW)
                            .await?,
                    ),
                })
            }
        })
        .await?;
        only(&outcomes, |o| *o == Done::Revoke(RevokeOutcome::Revoked))?;
        for outcome in &outcomes {
            let allowed = *outcome != Done::Register(Ok(Registration::New))
                && *outcome != Done::Register(Err(RegisterRefusal::TooMany))
                && *outcome != Done::Revoke(RevokeOutcome::Unknown);
            holds("the key is not registered again", allowed)?;
        }
        stored(&store, &tombstone(&key)).await?;
        listed(&store, "shop", "zoe", &[]).await?;
        listed(&store, "shop", "max", &[]).await?;
    }
    Ok(())
}

async fn revocations(store: Store) -> Checked {
    let key = association_key("shop", "zoe", 1);
    register(&store, &key, Ok(Registration::New)).await?;
    let outcomes = at_once(MANY, |_| {
        let (store, key) = (Arc::clone(&store), key.clone());
        async move { store.revoke_association_key(&key.app, key.id, NOW).await }
    })
    .await?;
    only(&outcomes, |o| *o == RevokeOutcome::Revoked)?;
    holds(
        "the others came later",
        !outcomes.contains(&RevokeOutcome::Unknown),
    )?;
    stored(&store, &tombstone(&key)).await
}
