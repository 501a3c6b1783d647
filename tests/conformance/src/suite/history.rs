//! The cases of login histories, by which later logins are judged.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::login::history::{HistoryQuery, NameOutcome, NamedUser, NewNames};
use countersign_domain::login::risk::{
    BrowserMark, ConfirmedLogin, DENIAL_WINDOW, DENIALS, Familiarity, History, LastConfirmation,
    NameHistory, Novelty, REMEMBERED,
};
use countersign_domain::login::sighting::Coordinates;
use countersign_domain::login::{Login, UserKey};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::AddressBlock;

use crate::check::{Checked, Failure, equal};
use crate::samples::association_keys::user as named;
use crate::samples::logins::new_login;
use crate::samples::{MILLI, NOW, app_id, before};
use crate::suite::Case;

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "history: starts empty",
        run: |history| Box::pin(starts_empty(history)),
    },
    Case {
        name: "history: denials count per app and address block, for ten minutes",
        run: |history| Box::pin(denials(history)),
    },
    Case {
        name: "history: browsers and the last place are remembered for a limited time",
        run: |history| Box::pin(confirmations(history)),
    },
    Case {
        name: "history: new name can be left out",
        run: |history| Box::pin(new_names_left_out(history)),
    },
    Case {
        name: "history: persons have separate histories",
        run: |history| Box::pin(persons_apart(history)),
    },
    Case {
        name: "history: claimed logins never count as verified",
        run: |history| Box::pin(claimed_are_not_verified(history)),
    },
    Case {
        name: "history: verified logins never count as claimed",
        run: |history| Box::pin(verified_are_not_claimed(history)),
    },
];

type Store = Arc<countersign_domain::store::Store>;

fn user(n: u8) -> UserKey {
    UserKey::from_bytes([n; 16])
}

fn mark(n: u8) -> BrowserMark {
    BrowserMark::from_bytes([n; 16])
}

fn block(text: &str) -> Result<AddressBlock, Failure> {
    let address = text
        .parse()
        .map_err(|_| Failure::new("invalid sample: address"))?;
    Ok(AddressBlock::of(address))
}

fn of_address(app: &str, browser: AddressBlock) -> HistoryQuery {
    HistoryQuery {
        app: app_id(app),
        browser,
        user: None,
    }
}

/// Asks about the claimed logins of user `n`, of whom nothing is verified.
fn of_person(n: u8, browser: u8) -> HistoryQuery {
    of_user(NamedUser {
        claimed: user(n),
        verified: user(n + 100),
        browser: mark(browser),
    })
}

/// Asks about both histories of a real name.
fn of_name(name: &str, browser: u8) -> HistoryQuery {
    let login = new_login(1);
    of_user(NamedUser {
        browser: mark(browser),
        ..NamedUser::of(&named(name), &login.app, &login.browser)
    })
}

fn of_user(user: NamedUser) -> HistoryQuery {
    let item: Login = new_login(1);
    HistoryQuery {
        app: item.app.clone(),
        browser: item.browser.block(),
        user: Some(user),
    }
}

/// Returns a history of a name with claimed logins alone.
fn claimed(browser: Novelty, last_confirmation: Option<LastConfirmation>) -> History {
    History {
        denials: 0,
        name: Some(NameHistory {
            claimed: Familiarity {
                browser,
                last_confirmation,
            },
            verified: Familiarity::default(),
        }),
    }
}

fn point(degrees: f64) -> Result<Coordinates, Failure> {
    Coordinates::from_degrees(degrees, degrees).map_err(|_| Failure::new("invalid sample: point"))
}

fn login(n: u8, coordinates: Option<Coordinates>, at: Timestamp) -> ConfirmedLogin {
    ConfirmedLogin {
        browser: mark(n),
        coordinates,
        at,
    }
}

async fn starts_empty(history: Store) -> Checked {
    let here = of_address("demo", block("203.0.113.7")?);
    equal(
        "recent",
        history.recent(&here, NOW).await?,
        History::default(),
    )?;
    let found = history.recent(&of_person(1, 1), NOW).await?;
    equal(
        "recent of a new name",
        found,
        claimed(Novelty::Unknown, None),
    )
}

async fn denials(history: Store) -> Checked {
    let (v4, v6) = (block("203.0.113.7")?, block("2001:db8:1:2::1")?);
    for n in 0..DENIALS {
        let at = NOW.plus(Duration::from_secs(u64::try_from(n).unwrap_or(0)));
        history.note_denial(&app_id("demo"), v4, at).await?;
    }
    history.note_denial(&app_id("demo"), v6, NOW).await?;
    history.note_denial(&app_id("other"), v6, NOW).await?;
    let second = Duration::from_secs(1);
    let end = NOW.plus(DENIAL_WINDOW);
    for (app, block, at, expected) in [
        ("demo", v4, NOW.plus(second * 3), DENIALS),
        ("other", v4, NOW, 0),
        ("demo", block("203.0.113.8")?, NOW, 0),
        ("demo", block("2001:db8:1:2:ffff::9")?, NOW, 1),
        ("other", v6, NOW, 1),
        ("demo", v6, before(end, MILLI), 1),
        ("demo", v6, end, 0),
        ("demo", v4, end, DENIALS - 1),
        ("demo", v4, end.plus(second * 3), 0),
    ] {
        let found = history.recent(&of_address(app, block), at).await?;
        equal("denials", found.denials, expected)?;
    }
    Ok(())
}

async fn confirmations(history: Store) -> Checked {
    let (here, there) = (point(1.0)?, point(-89.9999)?);
    let later = NOW.plus(Duration::from_hours(1));
    history
        .note_confirmation(user(1), login(1, Some(here), NOW))
        .await?;
    history
        .note_confirmation(user(1), login(2, Some(there), later))
        .await?;
    history
        .note_confirmation(user(1), login(2, None, later.plus(MILLI)))
        .await?;
    let last = Some(LastConfirmation {
        at: later,
        coordinates: there,
    });
    let at = later.plus(MILLI);
    for (n, now, browser, last_confirmation) in [
        (1, at, Novelty::Known, last),
        (2, at, Novelty::Known, last),
        (3, at, Novelty::New, last),
        (1, before(NOW.plus(REMEMBERED), MILLI), Novelty::Known, last),
        (1, NOW.plus(REMEMBERED), Novelty::New, last),
        (
            2,
            before(later.plus(REMEMBERED), MILLI),
            Novelty::Known,
            last,
        ),
        (2, later.plus(REMEMBERED), Novelty::Known, None),
        (
            2,
            later.plus(REMEMBERED).plus(MILLI),
            Novelty::Unknown,
            None,
        ),
        (
            3,
            later.plus(REMEMBERED).plus(MILLI),
            Novelty::Unknown,
            None,
        ),
    ] {
        let found = history.recent(&of_person(1, n), now).await?;
        equal("recent", found, claimed(browser, last_confirmation))?;
    }
    Ok(())
}

async fn new_names_left_out(history: Store) -> Checked {
    let note = |n, new_names| history.note_name(user(n), login(n, None, NOW), new_names);
    let outcome = note(1, NewNames::LeaveOut).await?;
    equal("a new name", outcome, NameOutcome::LeftOut)?;
    let found = history.recent(&of_person(1, 1), NOW).await?;
    equal("recent", found, claimed(Novelty::Unknown, None))?;
    let outcome = note(1, NewNames::Remember).await?;
    equal("a new name", outcome, NameOutcome::New)?;
    for new_names in [NewNames::Remember, NewNames::LeaveOut] {
        let outcome = note(1, new_names).await?;
        equal("a known name", outcome, NameOutcome::Known)?;
    }
    // Another browser does not make a known name new.
    let outcome = history.note_name(user(1), login(2, None, NOW), NewNames::LeaveOut);
    equal("a known name", outcome.await?, NameOutcome::Known)?;
    for n in [1, 2] {
        let found = history.recent(&of_person(1, n), NOW).await?;
        equal("recent", found, claimed(Novelty::Known, None))?;
    }
    Ok(())
}

async fn persons_apart(history: Store) -> Checked {
    let here = point(1.0)?;
    history
        .note_confirmation(user(1), login(1, Some(here), NOW))
        .await?;
    let found = history.recent(&of_person(2, 1), NOW).await?;
    equal("recent", found, claimed(Novelty::Unknown, None))
}

/// Returns the histories of a name, compared with a login in the `n`th browser.
async fn compared(history: &Store, name: &str, n: u8) -> Result<NameHistory, Failure> {
    let found = history.recent(&of_name(name, n), NOW).await?;
    found
        .name
        .ok_or_else(|| Failure::new("no history of the name"))
}

async fn claimed_are_not_verified(history: Store) -> Checked {
    let app = app_id("demo");
    let (zoe, here) = (named("zoe"), point(1.0)?);
    let first = login(1, None, NOW);
    history
        .note_confirmation(zoe.verified_key(&app), first)
        .await?;
    let before = compared(&history, "zoe", 1).await?.verified;
    for n in 1..=9 {
        let stranger = login(n, Some(here), NOW);
        let outcome = history.note_name(zoe.claimed_key(&app), stranger, NewNames::Remember);
        let expected = if n == 1 {
            NameOutcome::New
        } else {
            NameOutcome::Known
        };
        equal("a claimed name", outcome.await?, expected)?;
    }
    let after = compared(&history, "zoe", 1).await?;
    equal("verified", after.verified, before)?;
    equal(
        "claimed in the first of nine browsers",
        after.claimed.browser,
        Novelty::New,
    )?;
    let other = compared(&history, "zoe", 9).await?;
    equal("verified elsewhere", other.verified.browser, Novelty::New)?;
    equal("claimed elsewhere", other.claimed.browser, Novelty::Known)?;
    let none = compared(&history, "max", 1).await?;
    equal("another name", none, NameHistory::default())
}

async fn verified_are_not_claimed(history: Store) -> Checked {
    let (app, here) = (app_id("demo"), point(1.0)?);
    let first = login(1, Some(here), NOW);
    history
        .note_confirmation(named("zoe").verified_key(&app), first)
        .await?;
    let verified = Familiarity {
        browser: Novelty::Known,
        last_confirmation: Some(LastConfirmation {
            at: NOW,
            coordinates: here,
        }),
    };
    let expected = NameHistory {
        verified,
        claimed: Familiarity::default(),
    };
    equal("zoe", compared(&history, "zoe", 1).await?, expected)?;
    // The claimed name is still new.
    let claim = login(2, None, NOW);
    let key = named("zoe").claimed_key(&app);
    let outcome = history.note_name(key, claim, NewNames::LeaveOut).await?;
    equal("a claimed name", outcome, NameOutcome::LeftOut)?;
    equal("zoe", compared(&history, "zoe", 1).await?, expected)
}
