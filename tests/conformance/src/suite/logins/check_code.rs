//! Check codes: the payload needs the code that the phone shows, and the third wrong one blocks.

use std::sync::Arc;

use countersign_domain::login::transitions::{CancelOutcome, InitiateOutcome, RedeemOutcome};
use countersign_domain::login::{
    BlockReason, Login, MAX_MISSES, MissedCodes, Phone, SCANNED, State, Status,
};
use countersign_domain::primitives::unavailable::Unavailable;

use super::steps::{
    Got, Store, confirm_with, confirmed_sealed, create, first_phone, initiate, redeem, stored,
};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::logins::{
    browser, check_code, clear, in_state, new_login, phone, receipt, sealed_login,
    sealed_with_proof,
};
use crate::samples::{MILLI, NOW};
use crate::stores::Stores;
use crate::suite::Case;
use crate::suite::races::{MANY, ROUNDS, at_once};

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "login check code: payload needs the code that the phone shows",
        run: |store| Box::pin(needed(store)),
    },
    Case {
        name: "login check code: third different wrong code blocks the login",
        run: |store| Box::pin(third_miss(store)),
    },
    Case {
        name: "login check code: same wrong code counts once",
        run: |store| Box::pin(same_miss(store)),
    },
    Case {
        name: "login check code: right code is taken after two misses",
        run: |store| Box::pin(after_misses(store)),
    },
    Case {
        name: "login check code: other browsers' guesses do not count",
        run: |store| Box::pin(strangers(store)),
    },
    Case {
        name: "login check code: login with misses can be cancelled",
        run: |store| Box::pin(cancelled(store)),
    },
    Case {
        name: "login check code: phone opens a login with a code exactly if it requires one",
        run: |store| Box::pin(rule_is_kept(store)),
    },
    Case {
        name: "login check code: code that the login does not require is ignored",
        run: |store| Box::pin(ignored(store)),
    },
    Case {
        name: "login check code: same receipt gets the sealed payload again, whatever the code",
        run: |store| Box::pin(redeemed_again(store)),
    },
    Case {
        name: "login check code: only three of 64 wrong codes at once are compared",
        run: |store| Box::pin(wrong_codes_at_once(store)),
    },
    Case {
        name: "login check code: right code among 64 at once gets the payload or comes too late",
        run: |store| Box::pin(guesses_at_once(store)),
    },
];

/// The code that phone 1 shows.
const SHOWN: u8 = 42;

fn requiring_code(item: Login) -> Login {
    Login {
        requires_check_code: true,
        ..item
    }
}

/// Stores a login of browser `n` without a key that requires a code, confirmed by phone 1.
async fn checked(store: &Store, n: u8) -> Got {
    let item = requiring_code(new_login(n));
    create(store, &item).await?;
    let item = initiate(store, &item, &[], NOW).await?;
    confirm_with(store, &item, clear("yes"), NOW).await
}

/// The same with a key.
async fn checked_sealed(store: &Store, n: u8) -> Got {
    let item = requiring_code(sealed_login(n));
    create(store, &item).await?;
    let item = initiate(store, &item, &[], NOW).await?;
    confirm_with(store, &item, sealed_with_proof(), NOW).await
}

async fn of_both_kinds(store: &Store) -> Result<[Login; 2], Failure> {
    Ok([checked(store, 1).await?, checked_sealed(store, 2).await?])
}

async fn guess(
    store: &Store,
    item: &Login,
    code: Option<u8>,
) -> Result<RedeemOutcome, Unavailable> {
    let (own, code) = (item.browser_token, code.map(check_code));
    store
        .logins
        .redeem(item.id, &own, &receipt(1), code, NOW)
        .await
}

/// Returns the confirmed login with these misses.
fn with_misses(item: &Login, numbers: &[u8]) -> Result<Login, Failure> {
    let codes = numbers.iter().map(|number| check_code(*number)).collect();
    let all = MissedCodes::from_codes(codes);
    let all = all.map_err(|_| Failure::new("the sample has too many misses"))?;
    let mut item = item.clone();
    if let State::Confirmed { missed, .. } = &mut item.state {
        *missed = all;
    }
    Ok(item)
}

const fn wrong(tries_left: u8) -> RedeemOutcome {
    RedeemOutcome::CheckCodeWrong { tries_left }
}

async fn needed(store: Store) -> Checked {
    for item in of_both_kinds(&store).await? {
        let without = guess(&store, &item, None).await?;
        equal("redeem", without, RedeemOutcome::CheckCodeRequired)?;
        stored(&store, &item, NOW).await?;
        let item = redeem(&store, &item, NOW.plus(MILLI)).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn third_miss(store: Store) -> Checked {
    for item in of_both_kinds(&store).await? {
        equal("first", guess(&store, &item, Some(1)).await?, wrong(2))?;
        stored(&store, &with_misses(&item, &[1])?, NOW).await?;
        equal("second", guess(&store, &item, Some(2)).await?, wrong(1))?;
        stored(&store, &with_misses(&item, &[1, 2])?, NOW).await?;
        let state = State::Blocked {
            phone: first_phone(&item)?,
            at: NOW,
            reason: BlockReason::CheckCode,
        };
        let blocked = in_state(&item, state);
        let third = guess(&store, &item, Some(3)).await?;
        let answered = RedeemOutcome::CheckCodeBlocked(Box::new(blocked.clone()));
        equal("third", third, answered)?;
        stored(&store, &blocked, NOW).await?;
        for code in [Some(SHOWN), Some(3), None] {
            let late = guess(&store, &item, code).await?;
            equal("late", late, RedeemOutcome::Refused(Status::Blocked))?;
        }
        stored(&store, &blocked, NOW).await?;
    }
    Ok(())
}

async fn same_miss(store: Store) -> Checked {
    for item in of_both_kinds(&store).await? {
        for _ in 0..=MAX_MISSES {
            equal("redeem", guess(&store, &item, Some(1)).await?, wrong(2))?;
        }
        equal("redeem", guess(&store, &item, Some(2)).await?, wrong(1))?;
        equal("redeem", guess(&store, &item, Some(1)).await?, wrong(1))?;
        stored(&store, &with_misses(&item, &[1, 2])?, NOW).await?;
    }
    Ok(())
}

async fn after_misses(store: Store) -> Checked {
    for item in of_both_kinds(&store).await? {
        guess(&store, &item, Some(1)).await?;
        guess(&store, &item, Some(2)).await?;
        let item = redeem(&store, &with_misses(&item, &[1, 2])?, NOW).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn strangers(store: Store) -> Checked {
    let stranger = browser(99);
    for item in of_both_kinds(&store).await? {
        for code in [1, 2, 3, SHOWN] {
            let code = Some(check_code(code));
            let outcome = store
                .logins
                .redeem(item.id, &stranger, &receipt(1), code, NOW)
                .await?;
            equal("redeem", outcome, RedeemOutcome::Unknown)?;
        }
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn cancelled(store: Store) -> Checked {
    for item in of_both_kinds(&store).await? {
        guess(&store, &item, Some(1)).await?;
        let phone = item.phone().cloned().map(Box::new);
        let expected = in_state(&item, State::Cancelled { phone, at: NOW });
        let own = item.browser_token;
        let outcome = store.logins.cancel(item.id, &own, NOW).await?;
        let answered = CancelOutcome::Cancelled(Box::new(expected.clone()));
        equal("cancel", outcome, answered)?;
        stored(&store, &expected, NOW).await?;
    }
    Ok(())
}

async fn rule_is_kept(store: Store) -> Checked {
    let cases = [(false, true), (true, false), (true, true), (false, false)];
    for (n, (requires_check_code, has_code)) in (1..).zip(cases) {
        let item = Login {
            requires_check_code,
            ..new_login(n)
        };
        create(&store, &item).await?;
        let opening = Phone {
            check_code: has_code.then(|| check_code(SHOWN)),
            ..phone(1, &[], NOW)
        };
        let state = State::Scanned {
            phone: Box::new(opening.clone()),
            expires_at: NOW.plus(SCANNED),
        };
        let opened = in_state(&item, state);
        let (expected, answered) = if requires_check_code == has_code {
            let answered = InitiateOutcome::Opened(Box::new(opened.clone()));
            (opened, answered)
        } else {
            (item.clone(), InitiateOutcome::Unknown)
        };
        let outcome = store
            .logins
            .initiate(item.id, &item.app, opening, NOW)
            .await?;
        equal("initiate", outcome, answered)?;
        stored(&store, &expected, NOW).await?;
    }
    Ok(())
}

async fn ignored(store: Store) -> Checked {
    for item in [
        super::steps::confirmed(&store, 1).await?,
        confirmed_sealed(&store, 2).await?,
    ] {
        let outcome = guess(&store, &item, Some(1)).await?;
        let got = matches!(outcome, RedeemOutcome::Redeemed { .. });
        holds("the browser got the payload", got)?;
    }
    Ok(())
}

async fn redeemed_again(store: Store) -> Checked {
    let item = checked_sealed(&store, 1).await?;
    let item = redeem(&store, &item, NOW).await?;
    for code in [Some(SHOWN), Some(1), None] {
        let again = guess(&store, &item, code).await?;
        equal("again", again, RedeemOutcome::Repeated(sealed_with_proof()))?;
        let other = store
            .logins
            .redeem(
                item.id,
                &item.browser_token,
                &receipt(2),
                code.map(check_code),
                NOW,
            )
            .await?;
        equal("another", other, RedeemOutcome::AlreadyRedeemed)?;
    }
    stored(&store, &item, NOW).await
}

/// A login of either kind, for a round of a race.
async fn for_round(store: &Store, round: u8) -> Got {
    if round.is_multiple_of(2) {
        checked(store, round).await
    } else {
        checked_sealed(store, round).await
    }
}

async fn wrong_codes_at_once(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = Arc::new(for_round(&store, round).await?);
        let outcomes = at_once(MANY, |n| {
            let (store, item) = (Arc::clone(&store), Arc::clone(&item));
            // All are wrong, and all are different.
            let code = if n < SHOWN { n } else { n + 1 };
            async move { guess(&store, &item, Some(code)).await }
        })
        .await?;
        let number = |wanted: &RedeemOutcome| outcomes.iter().filter(|o| *o == wanted).count();
        equal("first misses", number(&wrong(2)), 1)?;
        equal("second misses", number(&wrong(1)), 1)?;
        let blocked = |o: &&RedeemOutcome| matches!(o, RedeemOutcome::CheckCodeBlocked(_));
        equal("blocks", outcomes.iter().filter(blocked).count(), 1)?;
        let refused = RedeemOutcome::Refused(Status::Blocked);
        equal("refused", number(&refused), usize::from(MANY) - 3)?;
    }
    Ok(())
}

async fn guesses_at_once(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let item = Arc::new(for_round(&store, round).await?);
        let outcomes = at_once(MANY, |n| {
            let (store, item) = (Arc::clone(&store), Arc::clone(&item));
            async move { guess(&store, &item, Some(n)).await }
        })
        .await?;
        let number = |wanted: &RedeemOutcome| outcomes.iter().filter(|o| *o == wanted).count();
        let got = |o: &&RedeemOutcome| matches!(o, RedeemOutcome::Redeemed { .. });
        let got = outcomes.iter().filter(got).count();
        let blocked = |o: &&RedeemOutcome| matches!(o, RedeemOutcome::CheckCodeBlocked(_));
        let blocked = outcomes.iter().filter(blocked).count();
        equal("one end", got + blocked, 1)?;
        let misses = number(&wrong(2)) + number(&wrong(1));
        holds("no fourth guess", misses < usize::from(MAX_MISSES))?;
        let found = store.logins.find(item.id, NOW).await?;
        let status = found.map(|found| found.status(NOW));
        let expected = if got == 1 {
            Status::Consumed
        } else {
            Status::Blocked
        };
        equal("status", status, Some(expected))?;
    }
    Ok(())
}
