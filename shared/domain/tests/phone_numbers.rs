//! Compares how phone numbers are read with libphonenumber, whose metadata the domain uses.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

use countersign_domain::primitives::phone::{Country, NumberType, PhoneNumber};
use proptest::prelude::*;
use rlibphonenumber::{NumberLengthType, PHONE_NUMBER_UTIL, PhoneNumberFormat, PhoneNumberType};

/// A number in E.164, its country and its type.
type Read = Option<(String, Option<String>, Option<NumberType>)>;

fn ours(text: &str) -> Read {
    let number = PhoneNumber::parse_international(text).ok()?;
    let country = number.country().map(|country| country.to_string());
    Some((number.as_str().to_owned(), country, number.number_type()))
}

fn libphonenumber(text: &str) -> Read {
    let once = e164(text)?;
    if e164(&once)? != once {
        return None;
    }
    let parsed = PHONE_NUMBER_UTIL.parse(&once, None).unwrap();
    let region = PHONE_NUMBER_UTIL
        .get_region_for_number(&parsed)
        .or_else(|| PHONE_NUMBER_UTIL.get_region_for_country_code(parsed.country_code));
    // Two letters. Numbers without a country have another value.
    let letters = region.map(|region| (region as u16).to_be_bytes());
    let country =
        letters.and_then(|letters| str::from_utf8(&letters).ok()?.parse::<Country>().ok());
    let number_type = number_type(PHONE_NUMBER_UTIL.get_number_type(&parsed));
    Some((
        once,
        country.map(|country| country.to_string()),
        number_type,
    ))
}

fn number_type(theirs: PhoneNumberType) -> Option<NumberType> {
    Some(match theirs {
        PhoneNumberType::FixedLine => NumberType::FixedLine,
        PhoneNumberType::Mobile => NumberType::Mobile,
        PhoneNumberType::FixedLineOrMobile => NumberType::FixedLineOrMobile,
        PhoneNumberType::TollFree => NumberType::TollFree,
        PhoneNumberType::PremiumRate => NumberType::PremiumRate,
        PhoneNumberType::SharedCost => NumberType::SharedCost,
        PhoneNumberType::VoIP => NumberType::Voip,
        PhoneNumberType::PersonalNumber => NumberType::Personal,
        PhoneNumberType::Pager => NumberType::Pager,
        PhoneNumberType::UAN => NumberType::Uan,
        PhoneNumberType::VoiceMail => NumberType::Voicemail,
        PhoneNumberType::Unknown => return None,
    })
}

fn e164(text: &str) -> Option<String> {
    let parsed = PHONE_NUMBER_UTIL.parse(text, None).ok()?;
    match PHONE_NUMBER_UTIL.is_possible_number_with_reason(&parsed) {
        Ok(NumberLengthType::IsPossible) => {}
        Ok(NumberLengthType::IsPossibleLocalOnly) | Err(_) => return None,
    }
    let e164 = PHONE_NUMBER_UTIL.format(&parsed, PhoneNumberFormat::E164);
    // More than 15 digits are no E.164.
    PhoneNumber::parse_e164(&e164).ok()?;
    Some(e164.into_owned())
}

const TYPES: [PhoneNumberType; 10] = [
    PhoneNumberType::FixedLine,
    PhoneNumberType::Mobile,
    PhoneNumberType::TollFree,
    PhoneNumberType::PremiumRate,
    PhoneNumberType::SharedCost,
    PhoneNumberType::VoIP,
    PhoneNumberType::PersonalNumber,
    PhoneNumberType::Pager,
    PhoneNumberType::UAN,
    PhoneNumberType::VoiceMail,
];

/// National prefixes, carrier codes and digits that start no number, as people write them.
const WRITTEN_BEFORE: [&str; 12] = [
    "", "0", "00", "1", "01", "06", "8", "9", "15", "044", "0111", "180020",
];

/// Calling code and national number of an example for each type in each country.
fn examples() -> Vec<(i32, String)> {
    let mut examples = Vec::new();
    for region in PHONE_NUMBER_UTIL.get_supported_regions() {
        for kind in TYPES {
            let example = PHONE_NUMBER_UTIL.get_example_number_for_type_and_region(region, kind);
            examples.extend(example.ok().map(|number| {
                let e164 = PHONE_NUMBER_UTIL.format(&number, PhoneNumberFormat::E164);
                let code = number.country_code;
                (code, e164[1 + code.to_string().len()..].to_owned())
            }));
        }
    }
    assert!(examples.len() > 1000, "{}", examples.len());
    examples
}

/// An example as people of its country write it, and without the national prefix.
#[test]
fn examples_in_national_form_are_completed() {
    let (mut compared, mut differing) = (0, Vec::new());
    for region in PHONE_NUMBER_UTIL.get_supported_regions() {
        let letters = (region as u16).to_be_bytes();
        let country: Country = str::from_utf8(&letters).unwrap().parse().unwrap();
        assert!(country.is_numbered(), "{country}");
        for kind in [PhoneNumberType::Mobile, PhoneNumberType::FixedLine] {
            let example = PHONE_NUMBER_UTIL.get_example_number_for_type_and_region(region, kind);
            let Ok(example) = example else { continue };
            let e164 = PHONE_NUMBER_UTIL.format(&example, PhoneNumberFormat::E164);
            let national = PHONE_NUMBER_UTIL.format(&example, PhoneNumberFormat::National);
            let digits: String = national.chars().filter(char::is_ascii_digit).collect();
            let without_code = &e164[1 + example.country_code.to_string().len()..];
            for text in [digits.as_str(), without_code] {
                let number = PhoneNumber::parse_national(text, country).ok();
                if number.as_ref().map(PhoneNumber::as_str) != Some(&e164) {
                    differing.push(format!("{country} {text}: {e164}"));
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 900, "{compared}");
    assert!(differing.is_empty(), "{differing:#?}");
}

/// Calling codes whose numbers are read in their present form, where libphonenumber knows the old form
/// as well or not at all.
const RENUMBERED: [i32; 4] = [52, 55, 225, 229];

fn is_renumbered(digits: &str) -> bool {
    let mut codes = RENUMBERED.iter();
    codes.any(|code| digits.starts_with(&code.to_string()))
}

/// Every example of those countries is one in its present form.
#[test]
fn examples_of_renumbered_countries_are_read_as_themselves() {
    for (code, national) in examples() {
        let text = format!("+{code}{national}");
        if RENUMBERED.contains(&code) {
            assert_eq!(ours(&text), libphonenumber(&text), "{text}");
        }
    }
}

#[test]
fn examples_of_every_country_are_read_as_libphonenumber_reads_them() {
    for (code, national) in examples() {
        if RENUMBERED.contains(&code) {
            continue;
        }
        for before in WRITTEN_BEFORE {
            for text in [
                format!("+{code}{before}{national}"),
                format!("+{code} ({before}) {national}7"),
                format!("+{code}-{before}{}", &national[..national.len() - 1]),
                format!("+{code}.{before}{}", &national[1..]),
            ] {
                assert_eq!(ours(&text), libphonenumber(&text), "{text}");
            }
        }
    }
}

#[test]
fn every_calling_code_is_read_as_libphonenumber_reads_it() {
    for code in (0..1000).filter(|code| !is_renumbered(&code.to_string())) {
        for national in [
            "1",
            "12",
            "2345678",
            "201234567",
            "7012345678",
            "00012345678",
        ] {
            let text = format!("+{code}{national}");
            assert_eq!(ours(&text), libphonenumber(&text), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn random_numbers_are_read_as_libphonenumber_reads_them(
        code in prop_oneof![
            Just("1"), Just("7"), Just("39"), Just("44"), Just("54"),
            Just("61"), Just("262"), Just("590"), Just("599"), Just("")
        ],
        national in "[0-9]{1,15}",
    ) {
        let digits = format!("{code}{national}");
        prop_assume!(!is_renumbered(&digits));
        let text = format!("+{digits}");
        prop_assert_eq!(ours(&text), libphonenumber(&text), "{}", text);
    }

    #[test]
    fn neighbours_of_examples_have_libphonenumbers_type(
        (code, national) in prop::sample::select(examples()),
        kept in 2..8_usize,
        others in "[0-9]{12}",
    ) {
        prop_assume!(!RENUMBERED.contains(&code));
        let kept = kept.min(national.len());
        let text = format!("+{code}{}{}", &national[..kept], &others[..national.len() - kept]);
        prop_assert_eq!(ours(&text), libphonenumber(&text), "{}", text);
    }

    #[test]
    fn punctuation_is_read_as_libphonenumber_reads_it(text in "\\+[0-9 ().-]{0,20}") {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        prop_assume!(!is_renumbered(&digits));
        prop_assert_eq!(ours(&text), libphonenumber(&text), "{}", text);
    }
}
