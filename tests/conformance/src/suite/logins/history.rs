//! The cases of login histories, by which later logins are judged.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::login::history::{HistoryQuery, NameOutcome, NewNames, RiskHistory};
use countersign_domain::login::risk::{
    BrowserMark, ConfirmedLogin, DENIAL_WINDOW, DENIALS, History, LastConfirmation, Novelty,
    REMEMBERED,
};
use countersign_domain::login::sighting::Coordinates;
use countersign_domain::login::{Login, UserKey};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::address_block::AddressBlock;

use crate::check::{Checked, Failure, equal};
use crate::samples::logins::new_login;
use crate::samples::{MILLI, NOW, app_id, before};
use crate::suite::Case;

pub(super) const CASES: &[Case<dyn RiskHistory>] = &[
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
];

type Store = Arc<dyn RiskHistory>;

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
        person: None,
    }
}

fn of_person(person: (UserKey, BrowserMark)) -> HistoryQuery {
    let item: Login = new_login(1);
    HistoryQuery {
        app: item.app.clone(),
        browser: item.browser.block(),
        person: Some(person),
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
    let found = history.recent(&of_person((user(1), mark(1))), NOW).await?;
    equal("recent of a new name", found, History::default())
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
        let expected = History {
            denials: 0,
            browser,
            last_confirmation,
        };
        let found = history.recent(&of_person((user(1), mark(n))), now).await?;
        equal("recent", found, expected)?;
    }
    Ok(())
}

async fn new_names_left_out(history: Store) -> Checked {
    let note = |n, new_names| history.note_name(user(n), login(n, None, NOW), new_names);
    let outcome = note(1, NewNames::LeaveOut).await?;
    equal("a new name", outcome, NameOutcome::LeftOut)?;
    let found = history.recent(&of_person((user(1), mark(1))), NOW).await?;
    equal("recent", found.browser, Novelty::Unknown)?;
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
        let found = history.recent(&of_person((user(1), mark(n))), NOW).await?;
        equal("recent", found.browser, Novelty::Known)?;
    }
    Ok(())
}

async fn persons_apart(history: Store) -> Checked {
    let here = point(1.0)?;
    history
        .note_confirmation(user(1), login(1, Some(here), NOW))
        .await?;
    let found = history.recent(&of_person((user(2), mark(1))), NOW).await?;
    equal("recent", found, History::default())
}
