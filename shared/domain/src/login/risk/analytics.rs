//! The Session object's `riskAnalytics` (mobile SDK, section 2).

use super::{Assessment, RiskStatus};
use crate::login::sighting::Place;

/// The risk in the form that the phone receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskAnalytics {
    /// Member `riskStatus`.
    pub status: RiskStatus,
    /// Member `riskFlagString`: text for people, present unless the status is clear.
    pub flag_string: Option<String>,
    /// Member `geoData`.
    pub geo: GeoData,
}

/// The locations of both devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeoData {
    /// Member `mobile`.
    pub mobile: PlaceNames,
    /// Member `browser`.
    pub browser: PlaceNames,
}

/// The names of a place; absent if unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceNames {
    /// Member `city`.
    pub city: Option<String>,
    /// Member `country_code`.
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
    /// Describes an assessment and both places.
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
