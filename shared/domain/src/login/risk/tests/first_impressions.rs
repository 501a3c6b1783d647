//! Tables of cases for flags that reassure, and for logins without history.

use strum::VariantArray as _;

use super::*;

#[test]
fn same_network_reassures_unless_it_hides_its_users() {
    use NetworkClass::{Access, Attacker, Hosting, Tor, Unknown, Vpn};
    for (of_phone, of_browser_network, of_phone_network, raised) in [
        ("203.0.113.7", Access, Access, true),
        ("203.0.113.7", Unknown, Unknown, true),
        ("::ffff:203.0.113.7", Access, Unknown, true),
        ("203.0.113.8", Access, Access, false),
        ("203.0.113.7", Vpn, Access, false),
        ("203.0.113.7", Access, Vpn, false),
        ("203.0.113.7", Hosting, Hosting, false),
        ("203.0.113.7", Tor, Tor, false),
        ("203.0.113.7", Attacker, Attacker, false),
    ] {
        let browser = seen("203.0.113.7", place("DE", 0.0), of_browser_network);
        let phone = seen(of_phone, place("DE", 0.0), of_phone_network);
        let found = flags_of(&browser, &phone, &no_history());
        let case = format!("{of_phone} {of_browser_network:?} {of_phone_network:?}");
        assert_eq!(found.contains(&Flag::SameNetwork), raised, "{case}");
    }
}

#[test]
fn same_network_lowers_no_verdict() {
    for &flag in Flag::VARIANTS {
        let both = Assessment::from_flags([flag, Flag::SameNetwork]);
        assert_eq!(both.status(), flag.status(), "{flag}");
    }
}

#[test]
fn person_without_a_history_is_clear() {
    let mark = BrowserMark::from_sighting(&browser());
    let login = ConfirmedLogin {
        browser: BrowserMark::from_bytes([0; 16]),
        coordinates: place("DE", 9_000.0).coordinates,
        at: NOW,
    };
    let over = NOW.plus(HISTORY_RETENTION);
    for (person, now, flags) in [
        (PersonHistory::default(), NOW, vec![]),
        (
            PersonHistory::default().with(login),
            NOW,
            vec![Flag::NewBrowser],
        ),
        (PersonHistory::default().with(login), over, vec![]),
    ] {
        let history = claimed(person.familiarity(&mark, now));
        let judged = assess(&browser(), &phone(), RiskPolicy::default(), &history, now);
        assert_eq!(judged.flags(), flags, "{person:?}");
    }
}
