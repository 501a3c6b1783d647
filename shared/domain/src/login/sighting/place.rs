//! Locations of IP addresses. Unknown parts are absent, never guessed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

use crate::primitives::visible_text::is_hidden;

/// Maximum length of a stored city name, in characters.
const MAX_CITY_CHARS: usize = 80;

/// The location of an IP address.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    /// The country, if known.
    pub country: Option<CountryCode>,
    /// The city, if known.
    pub city: Option<City>,
    /// The coordinates, if known.
    #[serde(rename = "at")]
    pub coordinates: Option<Coordinates>,
    /// The source to credit where the place is shown; `None` if the source does not require credit.
    pub credit: Option<PlaceCredit>,
}

/// A source of places whose license requires credit wherever they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceCredit {
    /// The free databases of DB-IP (CC BY 4.0).
    DbIp,
}

impl PlaceCredit {
    /// Returns the words of the credit, which are the same in every language.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::DbIp => "IP Geolocation by DB-IP",
        }
    }

    /// Returns the URL that the credit links to.
    #[must_use]
    pub const fn url(self) -> &'static str {
        match self {
            Self::DbIp => "https://db-ip.com",
        }
    }
}

impl Place {
    /// Returns the place's name, such as `Berlin, DE` or `DE`, if known.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        match (&self.city, &self.country) {
            (Some(city), Some(country)) => Some(format!("{}, {country}", city.as_str())),
            (Some(city), None) => Some(city.as_str().to_owned()),
            (None, Some(country)) => Some(country.to_string()),
            (None, None) => None,
        }
    }
}

/// A country, by two capital letters (ISO 3166-1 alpha-2). Valid codes are not listed here: the
/// source of locations defines them.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct CountryCode([u8; 2]);

/// The error for a malformed part of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a well-formed {0}")]
pub struct MalformedPlace(&'static str);

impl FromStr for CountryCode {
    type Err = MalformedPlace;

    /// Parses two capital letters.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            [a, b] if a.is_ascii_uppercase() && b.is_ascii_uppercase() => Ok(Self([*a, *b])),
            _ => Err(MalformedPlace("country code")),
        }
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.0.map(char::from);
        write!(f, "{a}{b}")
    }
}

impl fmt::Debug for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The name of a city.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct City(String);

impl City {
    /// Cleans a city's name: removes characters that screens do not draw, and truncates it to 80 characters.
    /// Returns `None` if nothing is left.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(|c| !is_hidden(*c))
            .take(MAX_CITY_CHARS)
            .collect();
        let plain = plain.trim();
        (!plain.is_empty()).then(|| Self(plain.to_owned()))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Number of units of [`Coordinates`] per degree.
const PER_DEGREE: f64 = 10_000.0;

/// Mean radius of the Earth in km (IUGG).
const EARTH_RADIUS: f64 = 6_371.008_8;

/// A point on the globe in units of a ten-thousandth of a degree (11 m), far more precise than the
/// location of any address. The numbers are integers, so that stores return exactly the values that
/// were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coordinates {
    #[serde(rename = "lat")]
    latitude: i32,
    #[serde(rename = "lon")]
    longitude: i32,
}

impl Coordinates {
    /// Creates a point from degrees of northern latitude and eastern longitude.
    ///
    /// # Errors
    ///
    /// Fails if there is no such point on the globe.
    pub fn from_degrees(latitude: f64, longitude: f64) -> Result<Self, MalformedPlace> {
        let within = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
        if !within {
            return Err(MalformedPlace("latitude and longitude"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most 1,800,000, as checked above"
        )]
        let units = |degrees: f64| (degrees * PER_DEGREE).round() as i32;
        Ok(Self {
            latitude: units(latitude),
            longitude: units(longitude),
        })
    }

    /// Returns the distance over the surface of a spherical Earth in km (haversine formula).
    #[must_use]
    pub fn distance_km(&self, other: &Self) -> f64 {
        let radians = |units: i32| (f64::from(units) / PER_DEGREE).to_radians();
        let (here, there) = (radians(self.latitude), radians(other.latitude));
        let north = (there - here) / 2.0;
        let east = (radians(other.longitude) - radians(self.longitude)) / 2.0;
        let haversine = north.sin().powi(2) + here.cos() * there.cos() * east.sin().powi(2);
        // Rounding may raise the haversine of opposite points slightly above 1.
        2.0 * EARTH_RADIUS * haversine.clamp(0.0, 1.0).sqrt().asin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(latitude: f64, longitude: f64) -> Coordinates {
        Coordinates::from_degrees(latitude, longitude).unwrap()
    }

    #[test]
    fn distances_agree_with_published_ones() {
        // Published great-circle distances for the cities' usual coordinates, to within half a
        // percent.
        for (from, to, km) in [
            (at(52.52, 13.405), at(48.8566, 2.3522), 877.5),
            (at(40.7128, -74.006), at(51.5074, -0.1278), 5570.2),
            (at(-33.8688, 151.2093), at(35.6762, 139.6503), 7823.0),
            (at(0.0, 179.9), at(0.0, -179.9), 22.24),
            (at(90.0, 0.0), at(-90.0, 0.0), 20_015.1),
            (at(10.0, 10.0), at(10.0, 10.0), 0.0),
        ] {
            let found = from.distance_km(&to);
            assert!((found - km).abs() <= km * 0.005, "{found} for {km}");
        }
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_at_most_half_the_circumference(
            a in -90.0..=90.0_f64, b in -180.0..=180.0_f64,
            c in -90.0..=90.0_f64, d in -180.0..=180.0_f64,
        ) {
            let (here, there) = (at(a, b), at(c, d));
            let way = here.distance_km(&there);
            prop_assert!((0.0..=20_016.0).contains(&way));
            prop_assert!((way - there.distance_km(&here)).abs() < 1e-6);
        }
    }

    #[test]
    fn point_off_the_globe_is_refused() {
        for (latitude, longitude) in [(90.1, 0.0), (0.0, -180.1), (f64::NAN, 0.0), (0.0, f64::NAN)]
        {
            assert!(Coordinates::from_degrees(latitude, longitude).is_err());
        }
    }

    #[test]
    fn country_is_two_capital_letters() {
        assert_eq!("DE".parse::<CountryCode>().unwrap().to_string(), "DE");
        for bad in ["", "D", "de", "DEU", "Ü", "D1"] {
            assert!(bad.parse::<CountryCode>().is_err(), "{bad}");
        }
    }

    #[test]
    fn city_name_is_cleaned_and_shortened() {
        assert_eq!(City::new(" Kö\nln ").unwrap().as_str(), "Köln");
        assert_eq!(
            City::new("\u{202e}nilreB\u{fdd0}").unwrap().as_str(),
            "nilreB"
        );
        assert_eq!(City::new("\u{7}"), None);
        assert_eq!(City::new(&"x".repeat(99)).unwrap().as_str().len(), 80);
    }

    #[test]
    fn description_contains_what_is_known() {
        let country = "DE".parse::<CountryCode>().ok();
        let city = City::new("Berlin");
        let place = |city: &Option<City>, country| Place {
            country,
            city: city.clone(),
            ..Place::default()
        };
        let name = |city, country| place(city, country).name();
        assert_eq!(name(&city, country).as_deref(), Some("Berlin, DE"));
        assert_eq!(name(&None, country).as_deref(), Some("DE"));
        assert_eq!(name(&city, None).as_deref(), Some("Berlin"));
        assert_eq!(Place::default().name(), None);
    }
}
