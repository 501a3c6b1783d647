//! The Session object's `riskAnalytics` (mobile SDK, section 2).

use super::risk::{Assessment, Flag, RiskStatus};
use super::sighting::Place;
use super::texts::Texts;

/// The risk in the form that the phone receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskAnalytics {
    /// Member `riskStatus`.
    pub status: RiskStatus,
    /// Member `riskFlagString`: a sentence for each flag with severity `warn` or `deny`; `None` if
    /// the status is clear.
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
    fn from_place(place: &Place) -> Self {
        Self {
            city: place.city.as_ref().map(|city| city.as_str().to_owned()),
            country_code: place.country.map(|country| country.to_string()),
        }
    }
}

impl RiskAnalytics {
    /// Describes an assessment and both places.
    #[must_use]
    pub fn new(
        assessment: &Assessment,
        browser: &Place,
        mobile: &Place,
        texts: &'static Texts,
    ) -> Self {
        let raises_risk = |flag: &Flag| flag.status() > RiskStatus::Clear;
        let flags = assessment.flags().iter().copied().filter(raises_risk);
        Self {
            status: assessment.status(),
            flag_string: texts.sentences(flags),
            geo: GeoData {
                mobile: PlaceNames::from_place(mobile),
                browser: PlaceNames::from_place(browser),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;
    use crate::login::sighting::{City, CountryCode};
    use crate::login::texts::Language;

    fn analytics(flags: &[Flag], language: Language) -> RiskAnalytics {
        let place = Place {
            country: "DE".parse::<CountryCode>().ok(),
            city: City::new("Testham"),
            coordinates: None,
            credit: None,
        };
        let assessment = Assessment::from_flags(flags.iter().copied());
        RiskAnalytics::new(
            &assessment,
            &place,
            &Place::default(),
            Texts::for_language(language),
        )
    }

    #[test]
    fn places_are_named_as_far_as_they_are_known() {
        let GeoData { mobile, browser } = analytics(&[], Language::English).geo;
        assert_eq!(browser.city.as_deref(), Some("Testham"));
        assert_eq!(browser.country_code.as_deref(), Some("DE"));
        assert_eq!((mobile.city, mobile.country_code), (None, None));
    }

    #[test]
    fn clear_login_has_no_flag_string() {
        for flags in [
            &[][..],
            &[Flag::PlaceUnknown],
            &[Flag::NameUnchecked],
            &[Flag::SameNetwork],
        ] {
            let clear = analytics(flags, Language::English);
            assert_eq!((clear.status, clear.flag_string), (RiskStatus::Clear, None));
        }
    }

    #[test]
    fn flag_string_has_a_sentence_for_each_flag_that_raises_the_risk() {
        for &language in Language::VARIANTS {
            let texts = Texts::for_language(language);
            let flags = [Flag::PlaceUnknown, Flag::NewBrowser, Flag::BrowserVpn];
            let warned = analytics(&flags, language);
            assert_eq!(warned.status, RiskStatus::Warn);
            let [vpn, new] = [Flag::BrowserVpn, Flag::NewBrowser].map(|flag| texts.flag(flag));
            let both = match language {
                Language::Japanese => format!("{vpn}{new}"),
                _ => format!("{vpn} {new}"),
            };
            assert_eq!(warned.flag_string, Some(both));
        }
    }
}
