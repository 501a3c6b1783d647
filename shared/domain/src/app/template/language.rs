//! Languages of message templates.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde_with::SerializeDisplay;
use thiserror::Error;

/// Maximum length of a language tag, as its RFC recommends (section 4.4.1).
const MAX_TAG: usize = 35;

/// Former codes of languages that programs still use, with their current codes.
const FORMER: [([u8; 2], [u8; 2]); 6] = [
    (*b"in", *b"id"),
    (*b"iw", *b"he"),
    (*b"ji", *b"yi"),
    (*b"jw", *b"jv"),
    (*b"mo", *b"ro"),
    // Browsers use the code of Bokmål, people that of Norwegian.
    (*b"nb", *b"no"),
];

/// Country codes that people use in place of language codes.
const COUNTRIES: [([u8; 2], &str); 13] = [
    (*b"cs", "cz"),
    (*b"da", "dk"),
    (*b"de", "at"),
    (*b"el", "gr"),
    (*b"en", "gb us au nz"),
    (*b"es", "mx cl"),
    (*b"fa", "ir"),
    (*b"he", "il"),
    (*b"ja", "jp"),
    (*b"ko", "kp"),
    (*b"uk", "ua"),
    (*b"vi", "vn"),
    (*b"zh", "cn hk"),
];

/// A language of templates: the two or three letters of a language tag (RFC 5646), in lower case.
///
/// Stored documents may contain two letters that are not a language, because earlier versions did not check
/// them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, Deserialize,
)]
#[serde(try_from = "String")]
pub struct TemplateLanguage([u8; 3]);

/// The error for a text that is not the tag of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a language is a tag that begins with the letters of ISO 639, such as de or pt-BR{}",
    .suggestion.map_or_else(String::new, |language| format!("; did you mean {language}?"))
)]
pub struct UnknownLanguage {
    suggestion: Option<TemplateLanguage>,
}

impl TemplateLanguage {
    /// Returns the language of a tag, ignoring script and region. `None` if the text does not have
    /// the form of a tag.
    fn of_tag(text: &str) -> Option<Self> {
        let mut subtags = text.split('-');
        let language = subtags.next().unwrap_or_default().to_ascii_lowercase();
        let is_subtag = |tag: &str| {
            (1..=8).contains(&tag.len()) && tag.bytes().all(|c| c.is_ascii_alphanumeric())
        };
        let is_word = language.bytes().all(|c| c.is_ascii_lowercase());
        if text.len() > MAX_TAG || !is_word || !subtags.all(is_subtag) {
            return None;
        }
        match *language.as_bytes() {
            [a, b] => {
                let mut former = FORMER.iter();
                let now = former.find_map(|(former, now)| (*former == [a, b]).then_some(*now));
                Some(Self::of_two(now.unwrap_or([a, b])))
            }
            // A language that has a two-letter code is stored as that code.
            [a, b, c] => codes()
                .find(|(_, three)| three.split(' ').any(|three| three == language))
                .map_or(Some(Self([a, b, c])), |(two, _)| Self::of_tag(two)),
            _ => None,
        }
    }

    const fn of_two([a, b]: [u8; 2]) -> Self {
        Self([a, b, 0])
    }

    /// Returns whether the language exists. Only two-letter codes are checked.
    fn is_known(self) -> bool {
        let [a, b, c] = self.0;
        c != 0 || codes().any(|(two, _)| two.as_bytes() == [a, b])
    }
}

/// Iterates over pairs of the two-letter and the three-letter code of a language.
fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("languages.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
}

impl FromStr for TemplateLanguage {
    type Err = UnknownLanguage;

    /// Parses a language tag, ignoring script and region.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(language) = Self::of_tag(text).filter(|language| language.is_known()) {
            return Ok(language);
        }
        let written = text.split(['-', '_']).next().unwrap_or_default();
        let meant = COUNTRIES.iter().find(|(_, countries)| {
            let mut countries = countries.split(' ');
            countries.any(|country| country.eq_ignore_ascii_case(written))
        });
        let suggestion = meant.map(|(language, _)| Self::of_two(*language));
        let its_language = || Self::of_tag(written).filter(|language| language.is_known());
        Err(UnknownLanguage {
            suggestion: suggestion.or_else(its_language),
        })
    }
}

impl TryFrom<String> for TemplateLanguage {
    type Error = UnknownLanguage;

    /// Reads a stored language.
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::of_tag(&text).ok_or(UnknownLanguage { suggestion: None })
    }
}

impl fmt::Display for TemplateLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.0.iter().filter(|letter| **letter != 0);
        letters.try_for_each(|letter| write!(f, "{}", char::from(*letter)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_of_a_tag_counts() {
        for (tag, language) in [
            ("de", "de"),
            ("PT-br", "pt"),
            ("gsw", "gsw"),
            ("fil-PH", "fil"),
            ("zh-Hant-TW", "zh"),
            ("iw", "he"),
            ("in-ID", "id"),
            ("nb-NO", "no"),
            ("deu", "de"),
            ("ger", "de"),
            ("eng-GB", "en"),
            ("nob", "no"),
        ] {
            let read = tag.parse::<TemplateLanguage>().unwrap();
            assert_eq!(read.to_string(), language);
            let stored: TemplateLanguage = serde_json::from_value(tag.into()).unwrap();
            assert_eq!(stored, read, "{tag}");
        }
        for (bad, meant) in [
            ("", ""),
            ("d", ""),
            ("d1", ""),
            ("deutsch", ""),
            ("de_DE", "de"),
            ("de-", "de"),
            ("de-äö", "de"),
            ("*", ""),
            ("jp", "ja"),
            ("JP", "ja"),
            ("cn", "zh"),
            ("kp-KP", "ko"),
            ("dk", "da"),
            ("cz", "cs"),
            ("gr", "el"),
            ("gb", "en"),
            ("xx", ""),
            ("zz", ""),
        ] {
            let refused = bad.parse::<TemplateLanguage>().unwrap_err();
            let suggested = refused.suggestion.map(|language| language.to_string());
            assert_eq!(suggested.unwrap_or_default(), meant, "{bad}");
        }
        let refused = "jp".parse::<TemplateLanguage>().unwrap_err().to_string();
        assert!(
            refused.ends_with(", such as de or pt-BR; did you mean ja?"),
            "{refused}"
        );
    }

    #[test]
    fn stored_letters_are_read_as_they_are() {
        let stored: TemplateLanguage = serde_json::from_value("jp".into()).unwrap();
        assert_eq!(stored.to_string(), "jp");
        assert!(serde_json::from_value::<TemplateLanguage>("de_DE".into()).is_err());
    }

    #[test]
    fn every_language_of_two_letters_is_known() {
        assert_eq!(codes().count(), 184);
        for (two, three) in codes() {
            let read = |text: &str| text.parse::<TemplateLanguage>().unwrap();
            for three in three.split(' ') {
                assert_eq!(read(two), read(three), "{two} {three}");
            }
        }
        for (language, countries) in COUNTRIES {
            assert!(TemplateLanguage::of_two(language).is_known());
            for country in countries.split(' ') {
                assert!(country.parse::<TemplateLanguage>().is_err(), "{country}");
            }
        }
    }
}
