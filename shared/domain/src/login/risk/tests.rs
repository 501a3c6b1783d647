//! Tables of cases for every rule.

mod first_impressions;
mod names;

use std::time::Duration;
use strum::VariantArray as _;

use super::*;
use crate::app::login::RiskPolicy;
use crate::login::sighting::{
    City, Coordinates, CountryCode, NetworkClass, Place, Sighting, UserAgent,
};
use crate::primitives::time::Timestamp;

const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

/// Length of a degree of latitude in km, which is the same everywhere.
const KM_PER_DEGREE: f64 = 111.195;

/// Returns a place `km` north of the equator.
fn place(country: &str, km: f64) -> Place {
    Place {
        country: country.parse::<CountryCode>().ok(),
        city: City::new("Testham"),
        coordinates: Coordinates::from_degrees(km / KM_PER_DEGREE, 10.0).ok(),
        credit: None,
    }
}

fn seen(address: &str, place: Place, network: NetworkClass) -> Sighting {
    let address = address.parse().unwrap();
    let agent = UserAgent::new("Mozilla/5.0 (X11; Linux) Firefox/140.0");
    Sighting::new(address, agent, place, network)
}

fn browser() -> Sighting {
    seen("203.0.113.7", place("DE", 0.0), NetworkClass::Access)
}

fn phone() -> Sighting {
    seen("198.51.100.9", place("DE", 10.0), NetworkClass::Access)
}

/// Returns the history of an unverified name.
fn claimed(claimed: Familiarity) -> History {
    History {
        denials: 0,
        name: Some(NameHistory {
            claimed,
            ..NameHistory::default()
        }),
    }
}

/// Returns the history of a name without a confirmed login.
fn no_history() -> History {
    claimed(Familiarity::default())
}

fn flags_of(browser: &Sighting, phone: &Sighting, history: &History) -> Vec<Flag> {
    let judged = assess(browser, phone, RiskPolicy::default(), history, NOW);
    judged.flags().to_vec()
}

#[test]
fn unsuspicious_login_is_clear() {
    let judged = assess(
        &browser(),
        &phone(),
        RiskPolicy::default(),
        &no_history(),
        NOW,
    );
    assert_eq!(judged, Assessment::default());
    assert_eq!(judged.status(), RiskStatus::Clear);
}

#[test]
fn networks_of_both_sides_are_judged() {
    use NetworkClass::{Access, Attacker, Hosting, Tor, Unknown, Vpn};
    for (of_browser, of_phone, flags, status) in [
        (Tor, Access, vec![Flag::BrowserTor], RiskStatus::Deny),
        (
            Attacker,
            Access,
            vec![Flag::BrowserAttacker],
            RiskStatus::Deny,
        ),
        (Vpn, Access, vec![Flag::BrowserVpn], RiskStatus::Warn),
        (
            Hosting,
            Access,
            vec![Flag::BrowserHosting],
            RiskStatus::Warn,
        ),
        (Access, Tor, vec![Flag::PhoneTor], RiskStatus::Warn),
        (
            Tor,
            Tor,
            vec![Flag::BrowserTor, Flag::PhoneTor],
            RiskStatus::Deny,
        ),
        (Access, Vpn, vec![], RiskStatus::Clear),
        (Access, Hosting, vec![], RiskStatus::Clear),
        (Unknown, Unknown, vec![], RiskStatus::Clear),
    ] {
        let browser = Sighting {
            network: of_browser,
            ..browser()
        };
        let phone = Sighting {
            network: of_phone,
            ..phone()
        };
        let found = flags_of(&browser, &phone, &no_history());
        assert_eq!(found, flags, "{of_browser:?} {of_phone:?}");
        assert_eq!(Assessment::from_flags(found).status(), status);
    }
}

#[test]
fn places_of_both_sides_are_judged() {
    use NetworkClass::{Access, Hosting, Vpn};
    let nowhere = Place::default;
    let country_alone = |country| Place {
        coordinates: None,
        ..place(country, 0.0)
    };
    let point_alone = |km| Place {
        country: None,
        ..place("DE", km)
    };
    for (network, of_browser, of_phone, flags) in [
        (Access, place("DE", 0.0), place("DE", 499.0), vec![]),
        (
            Access,
            place("DE", 0.0),
            place("DE", 501.0),
            vec![Flag::FarApart],
        ),
        (
            Access,
            place("DE", 0.0),
            place("FR", 1.0),
            vec![Flag::CountriesDiffer],
        ),
        (
            Access,
            place("DE", 0.0),
            place("FR", 9000.0),
            vec![Flag::CountriesDiffer],
        ),
        (
            Vpn,
            place("DE", 0.0),
            place("FR", 1.0),
            vec![Flag::CountriesDifferHidden, Flag::BrowserVpn],
        ),
        (
            Hosting,
            place("DE", 0.0),
            place("FR", 1.0),
            vec![Flag::CountriesDifferHidden, Flag::BrowserHosting],
        ),
        (
            Access,
            country_alone("DE"),
            country_alone("FR"),
            vec![Flag::CountriesDiffer],
        ),
        (
            Access,
            country_alone("DE"),
            country_alone("DE"),
            vec![Flag::PlaceUnknown],
        ),
        (
            Access,
            point_alone(0.0),
            point_alone(501.0),
            vec![Flag::FarApart],
        ),
        (
            Access,
            nowhere(),
            place("DE", 0.0),
            vec![Flag::PlaceUnknown],
        ),
        (
            Access,
            place("DE", 0.0),
            nowhere(),
            vec![Flag::PlaceUnknown],
        ),
        (Access, nowhere(), nowhere(), vec![Flag::PlaceUnknown]),
        (
            Vpn,
            nowhere(),
            nowhere(),
            vec![Flag::BrowserVpn, Flag::PlaceUnknown],
        ),
    ] {
        let browser = Sighting {
            network,
            place: of_browser,
            ..browser()
        };
        let phone = Sighting {
            place: of_phone,
            ..phone()
        };
        let found = flags_of(&browser, &phone, &no_history());
        assert_eq!(
            found, flags,
            "{network:?} {:?} {:?}",
            browser.place, phone.place
        );
    }
}

#[test]
fn distance_by_itself_never_blocks_a_login() {
    for km in [501.0, 5_000.0, 9_999.0] {
        let phone = Sighting {
            place: place("DE", km),
            ..phone()
        };
        let found = flags_of(&browser(), &phone, &no_history());
        assert_eq!(Assessment::from_flags(found).status(), RiskStatus::Warn);
    }
    for flag in [Flag::FarApart, Flag::TooFast, Flag::CountriesDiffer] {
        assert_eq!(flag.status(), RiskStatus::Warn);
    }
}

#[test]
fn devices_in_the_same_address_block_are_never_far_apart() {
    for (of_browser, of_phone, same) in [
        ("203.0.113.7", "203.0.113.7", true),
        ("203.0.113.7", "::ffff:203.0.113.7", true),
        ("203.0.113.7", "203.0.113.8", false),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
    ] {
        let browser = seen(of_browser, place("DE", 0.0), NetworkClass::Vpn);
        for (elsewhere, flag) in [
            (place("DE", 900.0), Flag::FarApart),
            (place("FR", 900.0), Flag::CountriesDifferHidden),
            (Place::default(), Flag::PlaceUnknown),
        ] {
            let phone = seen(of_phone, elsewhere, NetworkClass::Access);
            let found = flags_of(&browser, &phone, &no_history());
            assert_eq!(
                !found.contains(&flag),
                same,
                "{of_browser} {of_phone} {flag}"
            );
        }
    }
}

#[test]
fn only_the_phone_is_judged_where_a_server_opened_the_login() {
    let kept = Assessment::from_flags(Flag::VARIANTS.iter().copied()).about_the_phone();
    let expected = [Flag::PhoneTor, Flag::TooFast, Flag::NameUnchecked];
    assert_eq!(kept.flags(), expected);
}

#[test]
fn denied_logins_from_one_address_raise_a_flag() {
    for (denials, denials_forbid, status) in [
        (SUSPICIOUS_DENIALS - 1, false, RiskStatus::Clear),
        (SUSPICIOUS_DENIALS, false, RiskStatus::Warn),
        (99, false, RiskStatus::Warn),
        (SUSPICIOUS_DENIALS - 1, true, RiskStatus::Clear),
        (SUSPICIOUS_DENIALS, true, RiskStatus::Deny),
    ] {
        let history = History {
            denials,
            ..no_history()
        };
        let policy = RiskPolicy { denials_forbid };
        let judged = assess(&browser(), &phone(), policy, &history, NOW);
        assert_eq!(judged.status(), status, "{denials} {denials_forbid}");
    }
}

#[test]
fn new_browser_and_impossible_journey_raise_flags() {
    let last = |km: f64, minutes: u64| {
        let before = NOW.as_millis() - minutes * 60_000;
        Some(LastConfirmation {
            at: Timestamp::from_millis(before),
            coordinates: place("DE", km).coordinates.unwrap(),
        })
    };
    // The phone is 10 km north of the equator.
    for (browser_is, last_confirmation, flags) in [
        (Novelty::Unknown, None, vec![]),
        (Novelty::Known, None, vec![]),
        (Novelty::New, None, vec![Flag::NewBrowser]),
        (Novelty::Known, last(10.0 + 999.0, 60), vec![]),
        (Novelty::Known, last(10.0 + 1001.0, 60), vec![Flag::TooFast]),
        (Novelty::Known, last(10.0 + 1001.0, 61), vec![]),
        (Novelty::Known, last(10.0 + 99.0, 0), vec![]),
        (Novelty::Known, last(10.0 + 101.0, 0), vec![Flag::TooFast]),
        (Novelty::Known, last(10.0 + 101.0, 7), vec![]),
        // A stranger who names another person learns nothing about them.
        (Novelty::New, last(9000.0, 1), vec![Flag::NewBrowser]),
        (Novelty::Unknown, last(9000.0, 1), vec![]),
    ] {
        let history = claimed(Familiarity {
            browser: browser_is,
            last_confirmation,
        });
        let found = flags_of(&browser(), &phone(), &history);
        assert_eq!(found, flags, "{history:?}");
    }
    let nowhere = Sighting {
        place: Place::default(),
        ..phone()
    };
    let history = claimed(Familiarity {
        browser: Novelty::Known,
        last_confirmation: last(9000.0, 1),
    });
    assert_eq!(
        flags_of(&browser(), &nowhere, &history),
        [Flag::PlaceUnknown]
    );
}

#[test]
fn clock_that_went_back_causes_no_impossible_journey() {
    let at = NOW.plus(Duration::from_mins(5));
    let coordinates = phone().place.coordinates.unwrap();
    let history = claimed(Familiarity {
        browser: Novelty::Known,
        last_confirmation: Some(LastConfirmation { at, coordinates }),
    });
    assert_eq!(flags_of(&browser(), &phone(), &history), []);
}

#[test]
fn most_serious_flag_decides_and_comes_first() {
    let judged = Assessment::from_flags([Flag::PlaceUnknown, Flag::PhoneTor, Flag::BrowserTor]);
    assert_eq!(judged.status(), RiskStatus::Deny);
    assert_eq!(judged.flags()[0], Flag::BrowserTor);
    let mut sorted = Flag::VARIANTS.to_vec();
    sorted.sort_by_key(|flag| std::cmp::Reverse(flag.status()));
    assert_eq!(sorted, Flag::VARIANTS, "most serious first");
    let twice = Assessment::from_flags([Flag::PhoneTor, Flag::PhoneTor]);
    assert_eq!(twice.flags(), [Flag::PhoneTor]);
}

#[test]
fn severity_of_a_flag_follows_its_own_verdict() {
    for &flag in Flag::VARIANTS {
        let expected = match flag.status() {
            RiskStatus::Clear => "info",
            RiskStatus::Warn => "warn",
            RiskStatus::Deny => "deny",
        };
        assert_eq!(flag.severity().into_str(), expected, "{flag}");
    }
}

#[test]
fn browser_is_recognised_only_in_its_address_block() {
    let mark = |address: &str, agent: &str| {
        let mut sighting = seen(address, Place::default(), NetworkClass::Unknown);
        sighting.user_agent = UserAgent::new(agent);
        BrowserMark::from_sighting(&sighting)
    };
    let known = mark("2001:db8:1:2::1", "(Linux) Firefox/140.0");
    assert_eq!(known, mark("2001:db8:1:2::9", "(Linux) Firefox/141.0"));
    assert_ne!(known, mark("2001:db8:1:3::1", "(Linux) Firefox/140.0"));
    assert_ne!(known, mark("2001:db8:1:2::1", "(Windows) Firefox/140.0"));
}
