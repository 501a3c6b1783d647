//! The rules for judging the risk of a login.

use super::{Assessment, Familiarity, Flag, History, Novelty, SUSPICIOUS_DENIALS};
use crate::app::login::RiskPolicy;
use crate::login::sighting::{NetworkClass, Sighting};
use crate::primitives::time::Timestamp;

/// Distance from which browser and phone count as far apart, in km.
pub const MAX_KM: f64 = 500.0;

/// Speed above which a person cannot have traveled, in km/h.
pub const MAX_KM_PER_HOUR: f64 = 1_000.0;

/// Distance up to which speed is ignored, in km. Addresses are not located more precisely, and
/// within a minute any error would look like a flight.
pub const SPEED_FLOOR_KM: f64 = 100.0;

/// Judges the risk of a login. The most serious flag determines the verdict, and distance alone
/// never blocks a login.
#[must_use]
pub fn assess(
    browser: &Sighting,
    phone: &Sighting,
    policy: RiskPolicy,
    history: &History,
    now: Timestamp,
) -> Assessment {
    let mut flags = networks(browser, phone);
    // Devices on the same connection are in the same place, whatever their recorded locations say.
    if browser.block() != phone.block() {
        flags.extend(places(browser, phone));
    } else if !hides_its_users(browser.network) && !hides_its_users(phone.network) {
        flags.push(Flag::SameNetwork);
    }
    if history.denials >= SUSPICIOUS_DENIALS {
        flags.push(if policy.denials_forbid {
            Flag::DenialsRefused
        } else {
            Flag::Denials
        });
    }
    match &history.name {
        Some(name) => flags.extend(unfamiliar(phone, name.decisive(), now)),
        None => flags.push(Flag::NameUnchecked),
    }
    Assessment::from_flags(flags)
}

/// Returns the flag raised by the earlier logins under the name that the phone gave.
fn unfamiliar(phone: &Sighting, earlier: &Familiarity, now: Timestamp) -> Option<Flag> {
    match earlier.browser {
        Novelty::New => Some(Flag::NewBrowser),
        // A warning about the last login on a new browser would tell a stranger about that login.
        Novelty::Known => is_too_fast(phone, earlier, now).then_some(Flag::TooFast),
        Novelty::Unknown => None,
    }
}

/// Returns the flags raised by the networks.
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

/// Returns whether people anywhere can appear to come from an address in such a network.
const fn hides_its_users(network: NetworkClass) -> bool {
    match network {
        NetworkClass::Hosting | NetworkClass::Vpn | NetworkClass::Tor | NetworkClass::Attacker => {
            true
        }
        NetworkClass::Access | NetworkClass::Unknown => false,
    }
}

/// Returns the flag raised by the distance between both places.
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

/// Returns whether the phone would have had to travel impossibly fast.
fn is_too_fast(phone: &Sighting, earlier: &Familiarity, now: Timestamp) -> bool {
    let Some((last, here)) = earlier.last_confirmation.zip(phone.place.coordinates) else {
        return false;
    };
    let km = last.coordinates.distance_km(&here);
    let hours = now.since(last.at).as_secs_f64() / 3_600.0;
    km > SPEED_FLOOR_KM && km > hours * MAX_KM_PER_HOUR
}
