//! Where an address is, as far as anybody knows. What is unknown is absent, never a guess.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The longest name of a city that is kept, in characters.
const MAX_CITY: usize = 80;

/// Where an address is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// The country.
    pub country: Option<CountryCode>,
    /// The city.
    pub city: Option<City>,
    /// The point on the globe.
    pub coordinates: Option<Coordinates>,
}

impl Place {
    /// How people are told of it: `Berlin, DE`, `DE`, or that nobody knows.
    #[must_use]
    pub fn describe(&self) -> String {
        match (&self.city, &self.country) {
            (Some(city), Some(country)) => format!("{}, {country}", city.as_str()),
            (Some(city), None) => city.as_str().to_owned(),
            (None, Some(country)) => country.to_string(),
            (None, None) => "unknown place".to_owned(),
        }
    }
}

/// Two capital letters that name a country (ISO 3166-1 alpha-2). No list is kept: whoever locates
/// addresses says what there is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode([u8; 2]);

/// A text or a number that names no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a well-formed {0}")]
pub struct MalformedPlace(&'static str);

impl FromStr for CountryCode {
    type Err = MalformedPlace;

    /// Reads a code.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct City(String);

impl City {
    /// A city's name as it is kept: no control characters, at most 80 characters. `None` where
    /// nothing is left.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_CITY)
            .collect();
        let plain = plain.trim();
        (!plain.is_empty()).then(|| Self(plain.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How many of the least units of [`Coordinates`] make a degree.
const PER_DEGREE: f64 = 10_000.0;

/// The mean radius of the Earth in km (IUGG).
const EARTH_RADIUS: f64 = 6_371.008_8;

/// A point on the globe, to a ten-thousandth of a degree (11 m), which is far finer than any
/// address is located. Whole numbers, so that a store gives back what it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinates {
    latitude: i32,
    longitude: i32,
}

impl Coordinates {
    /// The point at these degrees: latitude north, longitude east.
    pub fn from_degrees(latitude: f64, longitude: f64) -> Result<Self, MalformedPlace> {
        let within = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
        if !within {
            return Err(MalformedPlace("latitude and longitude"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most 1,800,000, as was just seen"
        )]
        let units = |degrees: f64| (degrees * PER_DEGREE).round() as i32;
        Ok(Self {
            latitude: units(latitude),
            longitude: units(longitude),
        })
    }

    /// The point at these ten-thousandths of a degree: what a store keeps.
    pub fn from_units(latitude: i32, longitude: i32) -> Result<Self, MalformedPlace> {
        Self::from_degrees(
            f64::from(latitude) / PER_DEGREE,
            f64::from(longitude) / PER_DEGREE,
        )
    }

    /// Latitude and longitude in ten-thousandths of a degree.
    #[must_use]
    pub const fn units(&self) -> (i32, i32) {
        (self.latitude, self.longitude)
    }

    /// The way from here to there over the surface of a round Earth, in km (haversine formula).
    #[must_use]
    pub fn distance_km(&self, other: &Self) -> f64 {
        let radians = |units: i32| (f64::from(units) / PER_DEGREE).to_radians();
        let (here, there) = (radians(self.latitude), radians(other.latitude));
        let north = (there - here) / 2.0;
        let east = (radians(other.longitude) - radians(self.longitude)) / 2.0;
        let haversine = north.sin().powi(2) + here.cos() * there.cos() * east.sin().powi(2);
        // Rounding may carry the haversine of two opposite points a little over 1.
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
    fn known_distances() {
        // Great circles as published for the cities' usual coordinates, to half a per cent.
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
        fn a_distance_is_the_same_both_ways_and_at_most_half_round(
            a in -90.0..=90.0_f64, b in -180.0..=180.0_f64,
            c in -90.0..=90.0_f64, d in -180.0..=180.0_f64,
        ) {
            let (here, there) = (at(a, b), at(c, d));
            let way = here.distance_km(&there);
            prop_assert!((0.0..=20_016.0).contains(&way));
            prop_assert!((way - there.distance_km(&here)).abs() < 1e-6);
        }

        #[test]
        fn units_read_back(latitude in -900_000..=900_000, longitude in -1_800_000..=1_800_000) {
            let point = Coordinates::from_units(latitude, longitude).unwrap();
            prop_assert_eq!(point.units(), (latitude, longitude));
        }
    }

    #[test]
    fn what_is_off_the_globe_is_refused() {
        for (latitude, longitude) in [(90.1, 0.0), (0.0, -180.1), (f64::NAN, 0.0), (0.0, f64::NAN)]
        {
            assert!(Coordinates::from_degrees(latitude, longitude).is_err());
        }
        assert!(Coordinates::from_units(i32::MAX, i32::MIN).is_err());
    }

    #[test]
    fn countries_are_two_capitals() {
        assert_eq!("DE".parse::<CountryCode>().unwrap().to_string(), "DE");
        for bad in ["", "D", "de", "DEU", "Ü", "D1"] {
            assert!(bad.parse::<CountryCode>().is_err(), "{bad}");
        }
    }

    #[test]
    fn cities_are_short_and_plain() {
        assert_eq!(City::new(" Kö\nln ").unwrap().as_str(), "Köln");
        assert_eq!(City::new("\u{7}"), None);
        assert_eq!(City::new(&"x".repeat(99)).unwrap().as_str().len(), 80);
    }

    #[test]
    fn people_are_told_what_is_known() {
        let country = "DE".parse::<CountryCode>().ok();
        let city = City::new("Berlin");
        let place = |city: &Option<City>, country| Place {
            country,
            city: city.clone(),
            coordinates: None,
        };
        assert_eq!(place(&city, country).describe(), "Berlin, DE");
        assert_eq!(place(&None, country).describe(), "DE");
        assert_eq!(place(&city, None).describe(), "Berlin");
        assert_eq!(Place::default().describe(), "unknown place");
    }
}
