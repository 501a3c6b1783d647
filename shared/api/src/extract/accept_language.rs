//! The header `Accept-Language`: the language in which to address the user (RFC 9110, section 12.5.4).

use std::convert::Infallible;
use strum::VariantArray as _;

use axum::extract::FromRequestParts;
use axum::response::Response;
use countersign_domain::login::texts::{Language, Texts};
use http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use crate::header::vary;

/// Description of the header, for the API's description.
pub(crate) const DESCRIPTION: &str = "The languages that the user reads, as browsers and phones \
    send them. The texts come in the first of en, de, fr, es, pt, it, ja and ar that fits, otherwise in \
    English.";

/// Maximum length of the header, in bytes.
const MAX_BYTES: usize = 1_024;

/// Maximum number of languages in the header.
const MAX_RANGES: usize = 64;

/// Weight of a language without an explicit weight, in thousandths.
const FULL_WEIGHT: u16 = 1_000;

/// The texts in the language that the caller asks for. A header that is absent, malformed or too long
/// means English.
#[derive(Clone, Copy)]
pub(crate) struct AskedTexts(pub(crate) &'static Texts);

impl<S: Send + Sync> FromRequestParts<S> for AskedTexts {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Self(Texts::for_language(asked(&parts.headers))))
    }
}

/// Sets the answer's language, and declares that the answer varies with the requested language.
pub(crate) fn answer_in(texts: &'static Texts, mut response: Response) -> Response {
    let headers = response.headers_mut();
    let tag = HeaderValue::from_static(texts.language().tag());
    headers.insert(CONTENT_LANGUAGE, tag);
    vary(headers, "Accept-Language");
    response
}

/// Chooses the language of an answer. Several headers are one list (RFC 9110, section 5.3).
pub(crate) fn asked(headers: &HeaderMap) -> Language {
    let values = headers.get_all(ACCEPT_LANGUAGE).iter();
    let values: Result<Vec<_>, _> = values.map(HeaderValue::to_str).collect();
    let list = values.ok().map(|values| values.join(","));
    list.and_then(|list| choose(&list)).unwrap_or_default()
}

/// A member of the header: a range with its weight in thousandths.
struct Weighted<'a> {
    range: &'a str,
    weight: u16,
}

/// Chooses the language with the highest weight. Of two languages with the same weight, the one that
/// comes first in the header wins. A region or a script is ignored: `de-AT` asks for German. `*` stands
/// for every language without a range of its own, in the order of [`Language::VARIANTS`]. Returns
/// `None` if the header is malformed, or accepts none of the languages.
fn choose(header: &str) -> Option<Language> {
    let ranges = ranges(header)?;
    let weight = |language: Language| {
        let own = best(&ranges, |range| names(range, language));
        own.or_else(|| best(&ranges, |range| range == "*"))
    };
    let candidates = Language::VARIANTS.iter().copied().filter_map(|language| {
        let (weight, position) = weight(language)?;
        (weight > 0).then_some((language, weight, position))
    });
    // Of equal candidates, `min_by_key` returns the first.
    let chosen = candidates.min_by_key(|(_, weight, position)| (FULL_WEIGHT - weight, *position));
    chosen.map(|(language, ..)| language)
}

/// Returns the highest weight of the matching ranges, and the position of the first range with it.
fn best(ranges: &[Weighted<'_>], fits: impl Fn(&str) -> bool) -> Option<(u16, usize)> {
    let fitting = ranges.iter().enumerate().filter(|(_, one)| fits(one.range));
    let best = fitting.min_by_key(|(_, one)| FULL_WEIGHT - one.weight);
    best.map(|(position, one)| (one.weight, position))
}

/// Returns the language of a tag such as `de-AT`, if there are texts in it.
pub(crate) fn language_of(tag: &str) -> Option<Language> {
    let mut languages = Language::VARIANTS.iter().copied();
    languages.find(|language| names(tag, *language))
}

/// Returns whether a range is a language or one of its variants.
fn names(range: &str, language: Language) -> bool {
    let primary = range.split('-').next().unwrap_or_default();
    primary.eq_ignore_ascii_case(language.tag())
}

/// Parses the header. Empty members are ignored (RFC 9110, section 5.6.1).
fn ranges(header: &str) -> Option<Vec<Weighted<'_>>> {
    if header.len() > MAX_BYTES {
        return None;
    }
    let members = header.split(',').map(trimmed);
    let members = members.filter(|member| !member.is_empty());
    let ranges: Vec<_> = members.map(weighted).collect::<Option<_>>()?;
    (ranges.len() <= MAX_RANGES).then_some(ranges)
}

fn weighted(member: &str) -> Option<Weighted<'_>> {
    let (range, weight) = match member.split_once(';') {
        Some((range, weight)) => (trimmed(range), parse_weight(trimmed(weight))?),
        None => (member, FULL_WEIGHT),
    };
    (range == "*" || is_range(range)).then_some(Weighted { range, weight })
}

/// Returns whether a text is a basic language range (RFC 4647, section 2.1) other than `*`.
fn is_range(text: &str) -> bool {
    let mut subtags = text.split('-');
    let is_subtag = |subtag: &str| (1..=8).contains(&subtag.len());
    let primary = subtags.next().unwrap_or_default();
    let is_primary = is_subtag(primary) && primary.bytes().all(|c| c.is_ascii_alphabetic());
    is_primary
        && subtags
            .all(|subtag| is_subtag(subtag) && subtag.bytes().all(|c| c.is_ascii_alphanumeric()))
}

/// Parses a weight, `q=` and a number from 0 to 1 with up to three decimals (RFC 9110, section
/// 12.4.2), into thousandths.
fn parse_weight(text: &str) -> Option<u16> {
    let (name, value) = text.split_once('=')?;
    if !name.eq_ignore_ascii_case("q") {
        return None;
    }
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    let are_decimals = decimals.len() <= 3 && decimals.bytes().all(|c| c.is_ascii_digit());
    if !are_decimals || !matches!(whole, "0" | "1") {
        return None;
    }
    let thousandths = format!("{whole}{decimals:0<3}").parse::<u16>().ok()?;
    (thousandths <= FULL_WEIGHT).then_some(thousandths)
}

/// Removes the white space that lists may have around their members (RFC 9110, section 5.6.3).
fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn language_with_the_highest_weight_is_chosen() {
        use Language::{Arabic, English, French, German, Italian, Japanese, Portuguese, Spanish};
        for (header, chosen) in [
            ("de", German),
            ("DE", German),
            ("de-AT", German),
            ("pt-BR,pt;q=0.9,en;q=0.8", Portuguese),
            ("ja-Jpan-JP", Japanese),
            ("en-GB,de;q=0.9", English),
            ("en;q=0.8, fr;q=0.9", French),
            ("fr;q=0.8, es;q=0.80", French),
            ("es;q=0.800,fr;q=0.8", Spanish),
            ("it;Q=0.001", Italian),
            ("en;q=0.999, ar;q=1.000", Arabic),
            ("en \t;\tq=0.5 , ar ;q=1", Arabic),
            (",, ,de,,en", German),
            // An unsupported language is skipped in favor of the next.
            ("nl, fy;q=0.9, fr;q=0.3", French),
            ("deu, fr", French),
            ("x-private, es-419", Spanish),
            // `*` stands for languages without their own range.
            ("*", English),
            ("de;q=0.5, *", English),
            ("nl, *;q=0.5, it;q=0.6", Italian),
            ("en;q=0, *", German),
            ("de;q=0, en;q=0, *;q=0.1", French),
            // The highest weight for a language wins.
            ("de;q=0.1, fr;q=0.5, de-CH", German),
            ("de-AT;q=0, de;q=0.2", German),
        ] {
            assert_eq!(choose(header), Some(chosen), "{header}");
        }
    }

    #[test]
    fn header_that_accepts_no_language_means_english() {
        for header in ["", " ", ",", "nl", "en;q=0", "*;q=0", "de;q=0.000"] {
            assert_eq!(choose(header), None, "{header}");
            assert_eq!(asked_with(&[header]), Language::English);
        }
    }

    #[test]
    fn malformed_header_means_english() {
        let longest = format!("de{}", ",".repeat(MAX_BYTES - 2));
        assert_eq!(choose(&longest), Some(Language::German));
        let many = |count| vec!["de"; count].join(",");
        assert_eq!(choose(&many(MAX_RANGES)), Some(Language::German));
        for header in [
            "de;",
            "de;q",
            "de;q=",
            "de;q=2",
            "de;q=1.001",
            "de;q=0.1234",
            "de;q=.5",
            "de;q=-0",
            "de;q=0.5;q=1",
            "de;v=1",
            "de q=1",
            "de fr",
            "de_DE",
            "de-",
            "-de",
            "1de",
            "de-abcdefghi",
            "*-DE",
            "d\u{e9}",
            "de, \"fr\"",
            &format!("{longest},"),
            &many(MAX_RANGES + 1),
        ] {
            assert_eq!(choose(header), None, "{header}");
        }
    }

    fn asked_with(values: &[&str]) -> Language {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT_LANGUAGE, HeaderValue::from_str(value).unwrap());
        }
        asked(&headers)
    }

    #[test]
    fn several_headers_are_one_list() {
        assert_eq!(asked_with(&[]), Language::English);
        assert_eq!(asked_with(&["de"]), Language::German);
        assert_eq!(asked_with(&["de;q=0.5", "fr"]), Language::French);
        assert_eq!(asked_with(&["fr", "de fr"]), Language::English);
    }

    #[test]
    fn header_that_is_not_ascii_means_english() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_bytes(b"de\xff").unwrap());
        assert_eq!(asked(&headers), Language::English);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in "\\PC{0,80}") {
            let _ = choose(&text);
        }

        #[test]
        fn chosen_language_has_the_highest_weight(weights in prop::array::uniform8(0..=FULL_WEIGHT)) {
            let member = |(language, weight): (Language, u16)| {
                format!("{};q={}.{:03}", language.tag(), weight / FULL_WEIGHT, weight % FULL_WEIGHT)
            };
            let pairs = Language::VARIANTS.iter().copied().zip(weights);
            let header = pairs.clone().map(member).collect::<Vec<_>>().join(", ");
            let highest = weights.into_iter().max().filter(|weight| *weight > 0);
            let expected = highest.and_then(|highest| {
                pairs.clone().find(|(_, weight)| *weight == highest)
            });
            prop_assert_eq!(choose(&header), expected.map(|(language, _)| language));
        }
    }
}
