//! Texts that people send, and the numbers that they send them from.

use std::collections::BTreeSet;

use countersign_domain::app::code::{Code, CodePrefix, NoCode};
use countersign_domain::primitives::phone::PhoneNumber;

/// A text has one code, several or none, whatever its case, and one that is spelt out is found.
pub(crate) fn code(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let prefix = CodePrefix::default();
    let own: CodePrefix = "SHOP".parse().expect("a prefix");
    let prefixes = BTreeSet::from([prefix.clone(), own]);
    let found = Code::find(&text, &prefixes);
    for same in [text.to_ascii_lowercase(), text.to_ascii_uppercase()] {
        assert_eq!(Code::find(&same, &prefixes), found, "{same:?}");
    }
    assert_eq!(Code::find(&text, &BTreeSet::new()), Err(NoCode::Absent));
    if let Ok(code) = found {
        let spelt = code.spell(&prefix);
        assert_eq!(Code::find(&spelt, &prefixes).as_ref(), Ok(&code));
        // The same code twice is one.
        let twice = format!("{text} {spelt}");
        assert_eq!(Code::find(&twice, &prefixes), Ok(code), "{twice:?}");
    }
}

/// A number that is taken is in E.164, is read as itself, and is hidden in logs.
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
    for number in [as_sender, asked_for.clone()].into_iter().flatten() {
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
        // The sender of a text compares equal to the number that was asked for.
        assert_eq!(PhoneNumber::parse_sender(number.as_str()), Ok(number));
    }
}
