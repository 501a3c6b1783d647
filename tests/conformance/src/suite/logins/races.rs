//! Concurrent callers: exactly one wins, whatever their order.

use std::sync::Arc;

use countersign_domain::login::transitions::{
    CancelOutcome, ConfirmOutcome, CreateOutcome, DenyOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{Login, MAX_WATCHERS, State, Status};

use super::steps::{Store, confirmed, confirmed_sealed, created, scanned, stored};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::logins::{
    answer, browser, browser_device, denial, new_login, phone, receipt, sealed_with_proof, watcher,
};
use crate::samples::{NOW, app_id};
use crate::stores::Stores;
use crate::suite::Case;
use crate::suite::races::{MANY, at_once};

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "login race: one of 64 creations with the same id wins",
        run: |store| Box::pin(creates(store)),
    },
    Case {
        name: "login race: 64 creations by one browser create one login",
        run: |store| Box::pin(one_browser(store)),
    },
    Case {
        name: "login race: one of 64 phones opens the login, another blocks it",
        run: |store| Box::pin(phones(store)),
    },
    Case {
        name: "login race: same phone 64 times opens the login once",
        run: |store| Box::pin(one_phone(store)),
    },
    Case {
        name: "login race: one of 64 confirmations counts",
        run: |store| Box::pin(confirmations(store)),
    },
    Case {
        name: "login race: either a confirmation or a denial wins",
        run: |store| Box::pin(confirm_or_deny(store)),
    },
    Case {
        name: "login race: one of 64 redemptions gets the payload",
        run: |store| Box::pin(redeems(store)),
    },
    Case {
        name: "login race: one of two receipts gets the sealed payload",
        run: |store| Box::pin(sealed_redeems(store)),
    },
    Case {
        name: "login race: either a redemption or a cancellation wins",
        run: |store| Box::pin(redeem_or_cancel(store)),
    },
    Case {
        name: "login race: every watcher is kept, and the phone opens the login",
        run: |store| Box::pin(watchers(store)),
    },
];

/// The number of times that a race is run, each time on a new login.
const ROUNDS: u8 = 4;

fn count<T>(all: &[T], holds: impl Fn(&T) -> bool) -> usize {
    all.iter().filter(|one| holds(one)).count()
}

/// Reads the stored login again.
async fn found(store: &Store, item: &Login) -> Result<Login, Failure> {
    let found = store.logins.find(item.id, NOW).await?;
    found.ok_or_else(|| Failure::new("the login is gone"))
}

async fn creates(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let new = move |n: u8| Login {
            browser_token: browser(n),
            ..new_login(round)
        };
        let outcomes = at_once(MANY, |n| {
            let store = Arc::clone(&store);
            async move { store.logins.create(new(n), NOW).await }
        })
        .await?;
        equal(
            "created",
            count(&outcomes, |o| *o == CreateOutcome::Created),
            1,
        )?;
        let taken = count(&outcomes, |o| *o == CreateOutcome::Taken);
        equal("taken", taken, usize::from(MANY) - 1)?;
        let winners = (0..).zip(&outcomes);
        for (n, _) in winners.filter(|(_, outcome)| **outcome == CreateOutcome::Created) {
            stored(&store, &new(n), NOW).await?;
        }
    }
    Ok(())
}

async fn one_browser(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let outcomes = at_once(MANY, |_| {
            let store = Arc::clone(&store);
            async move { store.logins.create(new_login(round), NOW).await }
        })
        .await?;
        let made = count(&outcomes, |o| *o == CreateOutcome::Created);
        equal("made", made, 1)?;
        let repeated = CreateOutcome::Repeated(Box::new(new_login(round)));
        let others = usize::from(MANY) - 1;
        equal("repeated", count(&outcomes, |o| *o == repeated), others)?;
        stored(&store, &new_login(round), NOW).await?;
    }
    Ok(())
}

async fn phones(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = created(&store, round).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), item.id);
            async move {
                store
                    .logins
                    .initiate(id, &app_id("demo"), phone(n, &[], NOW), NOW)
                    .await
            }
        })
        .await?;
        let opened = count(&outcomes, |o| matches!(o, InitiateOutcome::Opened(_)));
        equal("opened", opened, 1)?;
        let second = count(&outcomes, |o| matches!(o, InitiateOutcome::SecondPhone(_)));
        equal("blocked", second, 1)?;
        let ended = InitiateOutcome::Ended(Status::Blocked);
        let late = count(&outcomes, |o| *o == ended);
        equal("refused", late, usize::from(MANY) - 2)?;
        let first = (0..)
            .zip(&outcomes)
            .find(|(_, outcome)| matches!(outcome, InitiateOutcome::Opened(_)))
            .map_or(0, |(n, _)| n);
        let is = found(&store, &item).await?;
        equal("status", is.status(NOW), Status::Blocked)?;
        let token = is.phone().map(|phone| phone.token);
        equal("the first phone", token, Some(phone(first, &[], NOW).token))?;
    }
    Ok(())
}

async fn one_phone(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = created(&store, round).await?;
        let outcomes = at_once(MANY, |_| {
            let (store, id) = (Arc::clone(&store), item.id);
            async move {
                store
                    .logins
                    .initiate(id, &app_id("demo"), phone(1, &[], NOW), NOW)
                    .await
            }
        })
        .await?;
        let is = found(&store, &item).await?;
        let opened = InitiateOutcome::Opened(Box::new(is.clone()));
        equal("opened", count(&outcomes, |o| *o == opened), 1)?;
        let repeated = InitiateOutcome::Repeated(Box::new(is));
        let others = usize::from(MANY) - 1;
        equal("repeated", count(&outcomes, |o| *o == repeated), others)?;
    }
    Ok(())
}

async fn confirmations(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = scanned(&store, round).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), item.id);
            let answer = answer(1, &format!("payload {n}"));
            async move { store.logins.confirm(id, answer, NOW).await }
        })
        .await?;
        let won = |o: &ConfirmOutcome| matches!(o, ConfirmOutcome::Confirmed(_));
        equal("confirmed", count(&outcomes, won), 1)?;
        let refused = ConfirmOutcome::Ended(Status::Confirmed);
        let others = usize::from(MANY) - 1;
        equal("refused", count(&outcomes, |o| *o == refused), others)?;
        let winner = (0_u8..).zip(&outcomes).find(|(_, outcome)| won(outcome));
        let winner = winner.map_or(0, |(n, _)| n);
        let State::Confirmed { payload, .. } = found(&store, &item).await?.state else {
            return Err(Failure::new("the login is not confirmed"));
        };
        equal(
            "payload",
            payload.payload().as_str(),
            format!("payload {winner}").as_str(),
        )?;
    }
    Ok(())
}

/// The outcome of one of the concurrent callers.
#[derive(Debug, PartialEq)]
enum Either {
    Confirm(ConfirmOutcome),
    Deny(DenyOutcome),
}

async fn confirm_or_deny(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = scanned(&store, round).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id) = (Arc::clone(&store), item.id);
            async move {
                Ok(if n % 2 == 0 {
                    Either::Confirm(store.logins.confirm(id, answer(1, "yes"), NOW).await?)
                } else {
                    Either::Deny(store.logins.deny(id, denial(1, "no"), NOW).await?)
                })
            }
        })
        .await?;
        let half = usize::from(MANY) / 2;
        let has = |outcome: &Either| count(&outcomes, |o| o == outcome);
        let is = found(&store, &item).await?;
        match is.status(NOW) {
            Status::Confirmed => {
                let won = Either::Confirm(ConfirmOutcome::Confirmed(Box::new(is)));
                equal("confirmed", has(&won), 1)?;
                equal(
                    "repeated",
                    has(&Either::Confirm(ConfirmOutcome::Repeated)),
                    half - 1,
                )?;
                let refused = Either::Deny(DenyOutcome::Ended(Status::Confirmed));
                equal("refused", has(&refused), half)?;
            }
            Status::Denied => {
                let won = Either::Deny(DenyOutcome::Denied(Box::new(is)));
                equal("denied", has(&won), 1)?;
                equal(
                    "repeated",
                    has(&Either::Deny(DenyOutcome::Repeated)),
                    half - 1,
                )?;
                let refused = Either::Confirm(ConfirmOutcome::Ended(Status::Denied));
                equal("refused", has(&refused), half)?;
            }
            other => return Err(Failure::new(format_args!("the login is {other:?}"))),
        }
    }
    Ok(())
}

async fn redeems(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = confirmed(&store, round).await?;
        let outcomes = at_once(MANY, |_| {
            let (store, id, own) = (Arc::clone(&store), item.id, item.browser_token);
            async move { store.logins.redeem(id, &own, &receipt(1), None, NOW).await }
        })
        .await?;
        let got = count(&outcomes, |o| matches!(o, RedeemOutcome::Redeemed { .. }));
        equal("redeemed", got, 1)?;
        let refused = RedeemOutcome::AlreadyRedeemed;
        let others = usize::from(MANY) - 1;
        equal("refused", count(&outcomes, |o| *o == refused), others)?;
        let is = found(&store, &item).await?.status(NOW);
        equal("status", is, Status::Consumed)?;
    }
    Ok(())
}

async fn sealed_redeems(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = confirmed_sealed(&store, round).await?;
        let outcomes = at_once(MANY, |n| {
            let (store, id, own) = (Arc::clone(&store), item.id, item.browser_token);
            async move {
                store
                    .logins
                    .redeem(id, &own, &receipt(n % 2), None, NOW)
                    .await
            }
        })
        .await?;
        let got = count(&outcomes, |o| matches!(o, RedeemOutcome::Redeemed { .. }));
        equal("redeemed", got, 1)?;
        let repeated = RedeemOutcome::Repeated(sealed_with_proof());
        let half = usize::from(MANY) / 2;
        equal("repeated", count(&outcomes, |o| *o == repeated), half - 1)?;
        let refused = RedeemOutcome::AlreadyRedeemed;
        equal("refused", count(&outcomes, |o| *o == refused), half)?;
    }
    Ok(())
}

async fn redeem_or_cancel(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = confirmed(&store, round).await?;
        let won = at_once(MANY, |n| {
            let (store, id, own) = (Arc::clone(&store), item.id, item.browser_token);
            async move {
                Ok(if n % 2 == 0 {
                    let outcome = store
                        .logins
                        .redeem(id, &own, &receipt(1), None, NOW)
                        .await?;
                    matches!(outcome, RedeemOutcome::Redeemed { .. })
                } else {
                    let outcome = store.logins.cancel(id, &own, NOW).await?;
                    matches!(outcome, CancelOutcome::Cancelled(_))
                })
            }
        })
        .await?;
        equal("won", count(&won, |won| *won), 1)?;
    }
    Ok(())
}

async fn watchers(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = created(&store, round).await?;
        let most = u8::try_from(MAX_WATCHERS).unwrap_or(u8::MAX);
        let outcomes = at_once(most + 1, |n| {
            let (store, id, own) = (Arc::clone(&store), item.id, browser_device(round));
            async move {
                if n == most {
                    let opening = phone(1, &[], NOW);
                    let outcome = store
                        .logins
                        .initiate(id, &app_id("demo"), opening, NOW)
                        .await?;
                    return Ok(matches!(outcome, InitiateOutcome::Opened(_)));
                }
                store
                    .logins
                    .attach_watcher(id, &own, watcher(n), NOW)
                    .await?;
                Ok(true)
            }
        })
        .await?;
        holds(
            "the phone opened the login",
            outcomes.iter().all(|done| *done),
        )?;
        let is = found(&store, &item).await?;
        equal("status", is.status(NOW), Status::Scanned)?;
        let mut names = is.watchers;
        names.sort();
        let all: Vec<_> = (0..most).map(watcher).collect();
        equal("watchers", names, all)?;
    }
    Ok(())
}
