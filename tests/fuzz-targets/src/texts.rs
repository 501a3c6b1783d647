//! Texts from users, and the phone numbers that send them.

use std::collections::BTreeSet;

use countersign_domain::app::code::{Code, CodePrefix, NoCode};
use countersign_domain::primitives::phone::{Country, PhoneNumber};

/// Countries whose numbers have national prefixes, local forms, shared numbering plans or former
/// plans.
const COUNTRIES: [&str; 8] = ["AR", "BS", "DE", "FR", "GB", "HK", "IL", "MX"];

/// A text has one code, several or none, regardless of its case and of adjacent letters from other
/// scripts. A code that is spelled out is found.
pub(crate) fn code(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let prefix = CodePrefix::default();
    let own: CodePrefix = "SHOP".parse().expect("a prefix");
    let prefixes = BTreeSet::from([prefix.clone(), own]);
    let found = Code::find(&text, &prefixes);
    for same in [text.to_ascii_lowercase(), text.to_ascii_uppercase()] {
        assert_eq!(Code::find(&same, &prefixes), found, "{same:?}");
    }
    let beside_others = format!("日本{text}です");
    assert_eq!(Code::find(&beside_others, &prefixes), found, "{text:?}");
    assert_eq!(Code::find(&text, &BTreeSet::new()), Err(NoCode::Absent));
    if let Ok(code) = found {
        let spelt = code.spell(&prefix);
        assert_eq!(Code::find(&spelt, &prefixes).as_ref(), Ok(&code));
        // Repeating the same code still makes it only one code.
        let twice = format!("{text} {spelt}");
        assert_eq!(Code::find(&twice, &prefixes), Ok(code), "{twice:?}");
    }
}

/// An accepted number is in E.164, parses to itself, and is hidden in logs.
pub(crate) fn phone_number(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let as_sender = PhoneNumber::parse_sender(text);
    if as_sender.is_ok() {
        let digits = text.strip_prefix('+').unwrap_or(text);
        assert!(
            PhoneNumber::parse_e164(&format!("+{digits}")).is_ok(),
            "{text}"
        );
    }
    let asked_for = PhoneNumber::parse_international(text);
    let within = COUNTRIES.map(|country| {
        let country: Country = country.parse().expect("a country");
        let number = PhoneNumber::parse_within(text, country);
        if let Ok(number) = &number {
            let again = PhoneNumber::parse_within(number.as_str(), country);
            assert_eq!(again.as_ref(), Ok(number), "{country}: {text}");
        }
        if asked_for.is_ok() {
            assert_eq!(number, asked_for, "{country}: {text}");
        }
        number
    });
    let numbers = [as_sender, asked_for.clone()].into_iter().chain(within);
    for number in numbers.flatten() {
        let written = number.as_str();
        assert_eq!(PhoneNumber::parse_e164(written).as_ref(), Ok(&number));
        assert_eq!(PhoneNumber::parse_sender(written).as_ref(), Ok(&number));
        let hidden = &written[3..written.len() - 2];
        assert!(!number.masked().contains(hidden), "{written}");
        assert!(!format!("{number:?}").contains(written), "{written}");
        let _ = number.country();
    }
    if let Ok(number) = asked_for {
        let again = PhoneNumber::parse_international(number.as_str());
        assert_eq!(again.as_ref(), Ok(&number));
        // The sender of a text compares equal to the expected number.
        assert_eq!(PhoneNumber::parse_sender(number.as_str()), Ok(number));
    }
}
