//! Verified users are judged separately from anyone who claims their name.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const FAR: f64 = 9_000.0;

/// Returns a history of logins: the browser's number, the phone's distance in km, and the minutes since.
fn history(logins: &[(u8, f64, u64)]) -> PersonHistory {
    let login = |(n, km, minutes): &(u8, f64, u64)| ConfirmedLogin {
        browser: mark(*n),
        coordinates: place("DE", *km).coordinates,
        at: Timestamp::from_millis(NOW.as_millis() - minutes * 60_000),
    };
    let logins = logins.iter().map(login);
    logins.fold(PersonHistory::default(), PersonHistory::with)
}

/// Returns the mark of the `n`th browser. Number 0 is the browser of the login being judged.
fn mark(n: u8) -> BrowserMark {
    match n {
        0 => BrowserMark::from_sighting(&browser()),
        n => BrowserMark::from_bytes([n; 16]),
    }
}

fn flags_of_history(verified: &PersonHistory, claimed: &PersonHistory) -> Vec<Flag> {
    let history = History {
        denials: 0,
        name: Some(NameHistory {
            verified: verified.familiarity(&mark(0), NOW),
            claimed: claimed.familiarity(&mark(0), NOW),
        }),
    };
    flags_of(&browser(), &phone(), &history)
}

#[test]
fn only_verified_history_decides_as_soon_as_there_is_one() {
    let (known, new, too_fast) = (&[(0, 0.0, 9)][..], &[(1, 0.0, 9)][..], &[(0, FAR, 9)][..]);
    let forgotten = &[(0, 0.0, 30 * 24 * 60)][..];
    for (verified, claimed, flags) in [
        (&[][..], &[][..], vec![]),
        (&[], known, vec![]),
        (&[], new, vec![Flag::NewBrowser]),
        (&[], too_fast, vec![Flag::TooFast]),
        (known, &[], vec![]),
        (known, new, vec![]),
        (known, too_fast, vec![]),
        (new, known, vec![Flag::NewBrowser]),
        (new, too_fast, vec![Flag::NewBrowser]),
        (too_fast, known, vec![Flag::TooFast]),
        (too_fast, new, vec![Flag::TooFast]),
        (forgotten, new, vec![Flag::NewBrowser]),
    ] {
        let found = flags_of_history(&history(verified), &history(claimed));
        assert_eq!(found, flags, "{verified:?} {claimed:?}");
    }
}

#[test]
fn login_without_a_name_says_that_no_history_was_compared() {
    let nobody = History::default();
    assert_eq!(
        flags_of(&browser(), &phone(), &nobody),
        [Flag::NameUnchecked]
    );
    let judged = assess(&browser(), &phone(), RiskPolicy::default(), &nobody, NOW);
    assert_eq!(judged.status(), RiskStatus::Clear);
    let tor = Sighting {
        network: NetworkClass::Tor,
        ..browser()
    };
    let flags = [Flag::BrowserTor, Flag::NameUnchecked];
    assert_eq!(flags_of(&tor, &phone(), &nobody), flags);
}

fn logins() -> impl Strategy<Value = Vec<(u8, f64, u64)>> {
    let near_or_far = prop_oneof![Just(0.0), Just(FAR)];
    vec((0_u8..4, near_or_far, 0_u64..60 * 24 * 29), 0..12)
}

proptest! {
    #[test]
    fn claimed_logins_never_change_the_judgement_of_a_verified_user(
        verified in logins(),
        claimed in logins(),
    ) {
        prop_assume!(!verified.is_empty());
        let verified = history(&verified);
        let alone = flags_of_history(&verified, &PersonHistory::default());
        prop_assert_eq!(flags_of_history(&verified, &history(&claimed)), alone);
    }

    #[test]
    fn claimed_logins_decide_for_an_unverified_name(claimed in logins()) {
        let claimed = history(&claimed);
        let as_if_verified = flags_of_history(&claimed, &PersonHistory::default());
        prop_assert_eq!(flags_of_history(&PersonHistory::default(), &claimed), as_if_verified);
    }
}
