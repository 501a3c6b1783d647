//! The rules.

use super::{Assessment, DENIALS, Flag, History, Novelty};
use crate::app::login::RiskPolicy;
use crate::login::sighting::{NetworkClass, Sighting};
use crate::primitives::time::Timestamp;

/// From which distance on browser and phone count as far apart, in km.
pub const MAX_KM: f64 = 500.0;

/// Faster than this nobody travels, in km/h.
pub const MAX_KM_PER_HOUR: f64 = 1_000.0;

/// Distances up to this one say nothing about speed, in km: addresses are located no better, and
/// two logins within a minute would make a flight of every error.
pub const SPEED_FLOOR_KM: f64 = 100.0;

/// Judges a login. The highest of what is noticed counts, and distance alone never forbids.
#[must_use]
pub fn assess(
    browser: &Sighting,
    phone: &Sighting,
    policy: RiskPolicy,
    history: &History,
    now: Timestamp,
) -> Assessment {
    let mut flags = networks(browser, phone);
    // On one line they are side by side, whatever is said of where that line is.
    if browser.block() != phone.block() {
        flags.extend(places(browser, phone));
    }
    if history.denials >= DENIALS {
        flags.push(if policy.denials_forbid {
            Flag::DenialsRefused
        } else {
            Flag::Denials
        });
    }
    match history.browser {
        Novelty::New => flags.push(Flag::NewBrowser),
        // Where the browser is new, to speak of the last login would tell a stranger of it.
        Novelty::Known if is_too_fast(phone, history, now) => flags.push(Flag::TooFast),
        Novelty::Known | Novelty::Unknown => {}
    }
    Assessment::of(flags)
}

/// What the networks say by themselves.
fn networks(browser: &Sighting, phone: &Sighting) -> Vec<Flag> {
    let mut flags = Vec::new();
    match browser.network {
        NetworkClass::Attacker => flags.push(Flag::BrowserAttacker),
        NetworkClass::Tor => flags.push(Flag::BrowserTor),
        NetworkClass::Vpn => flags.push(Flag::BrowserVpn),
        NetworkClass::Hosting => flags.push(Flag::BrowserHosting),
        NetworkClass::Access | NetworkClass::Unknown => {}
    }
    if phone.network == NetworkClass::Tor {
        flags.push(Flag::PhoneTor);
    }
    flags
}

/// What the two places say.
fn places(browser: &Sighting, phone: &Sighting) -> Option<Flag> {
    let countries = browser.place.country.zip(phone.place.country);
    if countries.is_some_and(|(browser, phone)| browser != phone) {
        let hidden = matches!(browser.network, NetworkClass::Vpn | NetworkClass::Hosting);
        return Some(if hidden {
            Flag::CountriesDifferHidden
        } else {
            Flag::CountriesDiffer
        });
    }
    let Some((browser, phone)) = browser.place.coordinates.zip(phone.place.coordinates) else {
        return Some(Flag::PlaceUnknown);
    };
    (browser.distance_km(&phone) > MAX_KM).then_some(Flag::FarApart)
}

/// Whether the phone would have had to fly, and faster than anything does.
fn is_too_fast(phone: &Sighting, history: &History, now: Timestamp) -> bool {
    let Some((last, here)) = history.last_confirmation.zip(phone.place.coordinates) else {
        return false;
    };
    let km = last.coordinates.distance_km(&here);
    let hours = now.since(last.at).as_secs_f64() / 3_600.0;
    km > SPEED_FLOOR_KM && km > hours * MAX_KM_PER_HOUR
}
