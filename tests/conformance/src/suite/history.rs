//! Cases for login histories, which are used to assess later logins.

use std::sync::Arc;

use countersign_domain::login::history::{HistoryQuery, NameOutcome, NamedUser, NewNames};
use countersign_domain::login::risk::{
    BrowserMark, ConfirmedLogin, Familiarity, History, LastConfirmation, NameHistory, Novelty,
};
use countersign_domain::login::sighting::Coordinates;
use countersign_domain::login::{Login, UserKey};
use countersign_domain::primitives::time::Timestamp;

use crate::check::{Checked, equal};
use crate::samples::NOW;
use crate::samples::logins::new_login;
use crate::suite::Case;

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "history: new name can be left out",
        run: |history| Box::pin(new_names_left_out(history)),
    },
    Case {
        name: "history: persons have separate histories",
        run: |history| Box::pin(persons_apart(history)),
    },
];

type Store = Arc<countersign_domain::store::Store>;

fn user(n: u8) -> UserKey {
    UserKey::from_bytes([n; 16])
}

fn mark(n: u8) -> BrowserMark {
    BrowserMark::from_bytes([n; 16])
}

/// Queries the claimed logins of user `n`, who has no verified ones.
fn of_person(n: u8, browser: u8) -> HistoryQuery {
    of_user(NamedUser {
        claimed: user(n),
        verified: user(n + 100),
        browser: mark(browser),
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

/// Returns a history of a name with claimed logins only.
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

fn login(n: u8, coordinates: Option<Coordinates>, at: Timestamp) -> ConfirmedLogin {
    ConfirmedLogin {
        browser: mark(n),
        coordinates,
        at,
    }
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
    // A different browser does not make a known name new.
    let outcome = history.note_name(user(1), login(2, None, NOW), NewNames::LeaveOut);
    equal("a known name", outcome.await?, NameOutcome::Known)?;
    for n in [1, 2] {
        let found = history.recent(&of_person(1, n), NOW).await?;
        equal("recent", found, claimed(Novelty::Known, None))?;
    }
    Ok(())
}

async fn persons_apart(history: Store) -> Checked {
    let here = Coordinates::from_degrees(1.0, 1.0).ok();
    history
        .note_confirmation(user(1), login(1, here, NOW))
        .await?;
    let found = history.recent(&of_person(2, 1), NOW).await?;
    equal("recent", found, claimed(Novelty::Unknown, None))
}
