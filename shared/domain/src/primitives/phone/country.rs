//! Countries, by their codes.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde_with::SerializeDisplay;
use thiserror::Error;

use super::plan;

/// Codes that people use in place of a country's ISO code: of its language, a former state, a part
/// of it, its sports teams or its cars.
const OTHER_CODES: [([u8; 2], &str); 22] = [
    (*b"CD", "ZR"),
    (*b"CH", "SUI"),
    (*b"CN", "ZH"),
    (*b"CW", "AN"),
    (*b"CZ", "CS"),
    (*b"DE", "DD GER"),
    (*b"DK", "DA DEN"),
    (*b"ES", "SP"),
    (*b"FI", "SF"),
    (*b"FR", "FX"),
    (*b"GB", "UK EN ENG SCO WAL NIR"),
    (*b"GR", "EL GRE"),
    (*b"HR", "CRO"),
    (*b"IN", "HI"),
    (*b"JP", "JA"),
    (*b"KR", "KO"),
    (*b"MM", "BU"),
    (*b"NL", "HOL NED"),
    (*b"PT", "POR"),
    (*b"RS", "YU"),
    (*b"RU", "SU"),
    (*b"TL", "TP"),
];

/// A country, by its two-letter code (ISO 3166-1 alpha-2) in upper case.
///
/// Stored documents may contain two letters that are not a country's code, because earlier versions did not
/// check them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, Deserialize,
)]
#[serde(try_from = "String")]
pub struct Country([u8; 2]);

/// The error for a text that is not a country code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a country has two letters (ISO 3166), such as US or GB{}", did_you_mean(*.suggestion))]
pub struct UnknownCountry {
    suggestion: Option<Country>,
}

/// The error for a text that is neither a country code nor the beginning of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a country is two letters (ISO 3166), such as GB, or the beginning of a number there, such as +44{}",
    did_you_mean(*.suggestion)
)]
pub struct UnknownPlace {
    suggestion: Option<Country>,
}

/// The error for a stored country that is not two letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a country code has two letters")]
pub struct MalformedCountry;

fn did_you_mean(suggestion: Option<Country>) -> String {
    suggestion.map_or_else(String::new, |country| format!("; did you mean {country}?"))
}

impl Country {
    /// Parses a country code, or the beginning of a number: a whole number means its own country, a
    /// shorter one the main country of its calling code.
    ///
    /// # Errors
    /// Fails if the text is neither, or no country has this calling code.
    pub fn parse_or_prefix(text: &str) -> Result<Self, UnknownPlace> {
        let Some(digits) = text.strip_prefix('+') else {
            return text
                .parse()
                .map_err(|unknown: UnknownCountry| UnknownPlace {
                    suggestion: unknown.suggestion,
                });
        };
        let unknown = UnknownPlace { suggestion: None };
        if !(1..=15).contains(&digits.len()) || !digits.bytes().all(|c| c.is_ascii_digit()) {
            return Err(unknown);
        }
        let whole = plan::Number::parse(digits).filter(plan::Number::is_possible);
        let own = whole.and_then(|number| number.country());
        let country = own.or_else(|| plan::main_country(digits));
        country.and_then(Self::of_plan).ok_or(unknown)
    }

    /// Returns the country of a numbering plan. Plans of services without a country have numbers
    /// instead.
    pub(super) fn of_plan(country: &str) -> Option<Self> {
        Self::from_letters(country)
    }

    fn from_letters(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Some(Self([a.to_ascii_uppercase(), b.to_ascii_uppercase()]))
            }
            _ => None,
        }
    }

    /// Returns whether the country has a numbering plan, and therefore numbers.
    #[must_use]
    pub fn is_numbered(self) -> bool {
        plan::is_numbered(&self.to_string())
    }

    /// Returns the country whose networks use the numbers of this one: Guernsey, Jersey and the Isle
    /// of Man share the numbering of the United Kingdom.
    #[must_use]
    pub fn numbered_with(self) -> Self {
        Self(match &self.0 {
            b"GG" | b"IM" | b"JE" => *b"GB",
            b"AX" => *b"FI",
            b"CC" | b"CX" => *b"AU",
            b"BL" | b"GF" | b"GP" | b"MF" | b"MQ" | b"PM" | b"RE" | b"YT" => *b"FR",
            b"AS" | b"GU" | b"MP" | b"PR" | b"VI" => *b"US",
            b"BQ" => *b"CW",
            b"EH" => *b"MA",
            b"SJ" => *b"NO",
            b"TA" => *b"SH",
            b"VA" => *b"IT",
            _ => self.0,
        })
    }
}

/// Iterates over pairs of the two-letter and the three-letter code of a country.
fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("countries.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
}

/// Returns the country that was probably meant.
fn suggestion(text: &str) -> Option<Country> {
    let text = text.trim().to_ascii_uppercase();
    let other = OTHER_CODES
        .iter()
        .find(|(_, codes)| codes.split(' ').any(|code| code == text))
        .map(|(code, _)| Country(*code));
    let of_code = |wanted: &str| {
        let found = codes().find(|(two, three)| *two == wanted || *three == wanted);
        found.and_then(|(two, _)| Country::from_letters(two))
    };
    let swapped: String = text.chars().rev().collect();
    other
        .or_else(|| of_code(&text))
        .or_else(|| (swapped.len() == 2).then(|| of_code(&swapped)).flatten())
}

impl FromStr for Country {
    type Err = UnknownCountry;

    /// Parses the two letters of a country, in either case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_letters(text)
            .filter(|country| codes().any(|(two, _)| two.as_bytes() == country.0))
            .ok_or_else(|| UnknownCountry {
                suggestion: suggestion(text),
            })
    }
}

impl TryFrom<String> for Country {
    type Error = MalformedCountry;

    /// Reads a stored country.
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::from_letters(&text).ok_or(MalformedCountry)
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.0;
        write!(f, "{}{}", char::from(a), char::from(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_is_known_and_has_its_own_code() {
        let all: Vec<_> = codes().collect();
        assert_eq!(all.len(), 252);
        assert!(all.is_sorted());
        for (two, three) in all {
            assert!(two.len() == 2 && three.len() == 3, "{two} {three}");
            assert_eq!(two.parse::<Country>().unwrap().to_string(), two);
            assert_eq!(
                two.to_lowercase().parse::<Country>().unwrap().to_string(),
                two
            );
        }
        for country in plan::countries() {
            assert!(country.parse::<Country>().is_ok(), "{country}");
        }
    }

    #[test]
    fn what_is_no_country_is_refused_with_a_suggestion() {
        for (text, meant) in [
            ("UK", "GB"),
            ("uk", "GB"),
            ("EN", "GB"),
            ("EL", "GR"),
            ("JA", "JP"),
            ("KO", "KR"),
            ("ZH", "CN"),
            ("CS", "CZ"),
            ("DA", "DK"),
            ("SP", "ES"),
            ("YU", "RS"),
            ("USA", "US"),
            ("gbr", "GB"),
            ("DEU", "DE"),
            ("GER", "DE"),
            (" GB ", "GB"),
            ("RF", "FR"),
            ("XX", ""),
            ("ZZ", ""),
            ("EU", ""),
            ("T1", ""),
            ("44", ""),
            ("", ""),
            ("Gß", ""),
            ("日本", ""),
        ] {
            let refused = text.parse::<Country>().unwrap_err();
            let suggested = refused.suggestion.map(|country| country.to_string());
            assert_eq!(suggested.unwrap_or_default(), meant, "{text}");
        }
        let refused = "UK".parse::<Country>().unwrap_err().to_string();
        assert!(
            refused.ends_with(", such as US or GB; did you mean GB?"),
            "{refused}"
        );
        let refused = Country::parse_or_prefix("UK").unwrap_err().to_string();
        assert!(
            refused.ends_with(", such as +44; did you mean GB?"),
            "{refused}"
        );
    }

    #[test]
    fn stored_letters_are_read_as_they_are() {
        let read = |json| serde_json::from_str::<Country>(json).ok();
        assert_eq!(
            read("\"UK\"").map(|country| country.to_string()).as_deref(),
            Some("UK")
        );
        assert_eq!(read("\"gb\""), "GB".parse().ok());
        assert_eq!(read("\"GBR\""), None);
        assert_eq!(serde_json::to_string(&Country(*b"GB")).unwrap(), "\"GB\"");
    }

    #[test]
    fn country_without_a_numbering_plan_is_known() {
        let is_numbered = |text: &str| text.parse::<Country>().unwrap().is_numbered();
        assert!(is_numbered("GB") && is_numbered("gb") && is_numbered("JE"));
        assert!(!is_numbered("AQ") && !is_numbered("BV"));
    }

    #[test]
    fn beginning_of_a_number_stands_for_the_main_country() {
        let of = |text| Country::parse_or_prefix(text).map(|country| country.to_string());
        for (text, country) in [
            ("GB", "GB"),
            ("gb", "GB"),
            ("+44", "GB"),
            ("+447700900001", "GB"),
            ("+14165550100", "CA"),
            ("+1", "US"),
            ("+353", "IE"),
            ("+35", ""),
            ("+", ""),
            ("+882", ""),
            ("44", ""),
            ("GBR", ""),
            ("UK", ""),
            ("+44 7", ""),
        ] {
            let expected = (!country.is_empty()).then(|| country.to_owned());
            assert_eq!(of(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn territory_belongs_to_the_networks_of_another_country() {
        for (territory, main) in [
            ("JE", "GB"),
            ("RE", "FR"),
            ("PR", "US"),
            ("AX", "FI"),
            ("GB", "GB"),
            ("CA", "CA"),
        ] {
            let territory: Country = territory.parse().unwrap();
            assert_eq!(territory.numbered_with().to_string(), main);
            assert!(territory.numbered_with().is_numbered());
        }
    }
}
