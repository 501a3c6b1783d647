//! The Session object's `riskAnalytics` (mobile SDK, section 2).

use super::{Assessment, RiskStatus};
use crate::login::sighting::Place;

/// What the phone is told of the risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskAnalytics {
    /// `riskStatus`.
    pub status: RiskStatus,
    /// `riskFlagString`: for people, and there where the status is not clear.
    pub flag_string: Option<String>,
    /// `geoData`.
    pub geo: GeoData,
}

/// Where the two are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeoData {
    /// `mobile`.
    pub mobile: PlaceNames,
    /// `browser`.
    pub browser: PlaceNames,
}

/// The names of a place; absent where nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceNames {
    /// `city`.
    pub city: Option<String>,
    /// `country_code`.
    pub country_code: Option<String>,
}

impl PlaceNames {
    fn of(place: &Place) -> Self {
        Self {
            city: place.city.as_ref().map(|city| city.as_str().to_owned()),
            country_code: place.country.map(|country| country.to_string()),
        }
    }
}

impl RiskAnalytics {
    /// What the phone is told of a judgement and of the two places.
    #[must_use]
    pub fn of(assessment: &Assessment, browser: &Place, mobile: &Place) -> Self {
        let status = assessment.status();
        Self {
            status,
            flag_string: (status > RiskStatus::Clear).then(|| assessment.text()),
            geo: GeoData {
                mobile: PlaceNames::of(mobile),
                browser: PlaceNames::of(browser),
            },
        }
    }
}
