//! Phone numbers in E.164, and their countries.

mod country;
mod national;
mod number_type;
mod plan;
mod renumbered;
mod shape;
mod written;

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use country::{Country, MalformedCountry, UnknownCountry, UnknownPlace};
pub use number_type::NumberType;
use written::Written;

/// A phone number in E.164: `+`, then 7 to 15 digits, the first of them not zero.
///
/// `Debug` hides the middle of the number. `Display` is deliberately absent, so that no number ends
/// up in a log by accident.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PhoneNumber(String);

/// Digits of a national number that operators see at most masked, and the two at the end.
const GLIMPSE_HIDDEN: usize = 7;

/// The reason why a text is not a phone number that can be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PhoneNumberError {
    /// The text is not `+` followed by digits, with only common separators between them.
    #[error("the phone number is not in international form: +, country code, number")]
    NotInternational,
    /// The country has no such number, or the text could be several numbers.
    #[error(
        "the country has no such phone number; write it in international form: +, country code, number"
    )]
    NotNational,
    /// The country calling code does not exist, or its numbers never have this length.
    #[error("the phone number cannot exist: wrong country code or length")]
    NotPossible,
}

impl PhoneNumber {
    /// Parses E.164 exactly as providers write senders: `^\+[1-9]\d{6,14}$`.
    ///
    /// # Errors
    ///
    /// Fails with [`PhoneNumberError::NotInternational`] for anything else.
    pub fn parse_e164(text: &str) -> Result<Self, PhoneNumberError> {
        let digits = text
            .strip_prefix('+')
            .ok_or(PhoneNumberError::NotInternational)?;
        let well_formed = (7..=15).contains(&digits.len())
            && !digits.starts_with('0')
            && digits.bytes().all(|c| c.is_ascii_digit());
        if well_formed {
            Ok(Self(text.to_owned()))
        } else {
            Err(PhoneNumberError::NotInternational)
        }
    }

    /// Parses a number in the international form that people write, paste and copy from address books
    /// (`+44 20 7946 0018`), and stores it as E.164. Digits of any script are accepted. The number
    /// must be *possible* according to libphonenumber's metadata, which includes fictional and newly
    /// opened ranges; only a text can show whether it is assigned.
    ///
    /// # Errors
    ///
    /// Fails if the text is not in international form, or if no such number is possible.
    pub fn parse_international(text: &str) -> Result<Self, PhoneNumberError> {
        match Written::read(text) {
            Some(Written::International(digits)) => Self(format!("+{digits}")).canonical(),
            Some(Written::National(_)) | None => Err(PhoneNumberError::NotInternational),
        }
    }

    /// Parses a number as people and phones in a country write it: in international form, in the
    /// national form with or without the national prefix (`07911 123456` and `7911 123456` in GB),
    /// with the calling code but without `+` (`447911123456`), or after the country's international
    /// prefix (`0044 7911 123456`).
    ///
    /// A number that is dialed like the country's own may belong to another country: `0696 …` in
    /// France belongs to Martinique.
    ///
    /// # Errors
    ///
    /// Fails if the country has no such number, or if the text could be several numbers.
    pub fn parse_within(text: &str, country: Country) -> Result<Self, PhoneNumberError> {
        match Written::read(text) {
            Some(Written::International(digits)) => Self(format!("+{digits}")).canonical(),
            Some(Written::National(digits)) => {
                let e164 = national::complete(&digits, &country.to_string());
                let e164 = e164.ok_or(PhoneNumberError::NotNational)?;
                Self::parse_e164(&format!("+{e164}"))?.canonical()
            }
            None => Err(PhoneNumberError::NotNational),
        }
    }

    /// Parses the sender of a text as providers write it: digits, with or without `+`.
    ///
    /// Without `+`, the digits may be a number without its country code, which often has the length
    /// of a number of another country (`2025550100` would be Egypt's). Therefore, they must also
    /// begin like that country's numbers.
    ///
    /// # Errors
    ///
    /// Fails for anything else, such as a name or a short code, and if no such number is possible.
    pub fn parse_sender(text: &str) -> Result<Self, PhoneNumberError> {
        if text.starts_with('+') {
            return Self::parse_e164(text)?.canonical();
        }
        let number = Self::parse_e164(&format!("+{text}"))?.canonical()?;
        let is_known = plan::Number::parse(text).is_some_and(|number| number.is_in_plan());
        is_known
            .then_some(number)
            .ok_or(PhoneNumberError::NotPossible)
    }

    /// Returns the number in E.164. Do not log it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the country that the number's digits identify, otherwise the main country of its
    /// calling code, if any.
    #[must_use]
    pub fn country(&self) -> Option<Country> {
        Country::of_plan(self.plan()?.country()?)
    }

    /// Returns whether a phone with a SIM of the country can have this number. Numbers that belong to
    /// no country, such as satellite numbers, fit any country.
    #[must_use]
    pub fn fits(&self, country: Country) -> bool {
        self.plan().is_none_or(|number| {
            let is_global = number.country().and_then(Country::of_plan).is_none();
            is_global || national::can_have(&country.to_string(), number.calling_code())
        })
    }

    /// Returns the number's type as far as its country's numbering plan determines it, or `None` if the
    /// plan has no such number. The result does not show how the number is used today.
    #[must_use]
    pub fn number_type(&self) -> Option<NumberType> {
        self.plan()?.number_type()
    }

    fn plan(&self) -> Option<plan::Number<'_>> {
        plan::Number::parse(self.0.strip_prefix('+')?)
    }

    /// Returns the number with all but the first three and the last two digits hidden, for logs and
    /// pages (`+120•••••00`).
    #[must_use]
    pub fn masked(&self) -> String {
        let (head, tail) = (&self.0[..4], &self.0[self.0.len() - 2..]);
        format!("{head}{}{tail}", "•".repeat(self.0.len() - 6))
    }

    /// Returns the number as operators see it: the country code, at most three digits, and the last two
    /// (`+49 170 ••• ••67`). The bullets do not tell how many digits are hidden: at least five, so that a search by the
    /// last four digits does not complete it.
    #[must_use]
    pub fn glimpse(&self) -> String {
        let plan = self.plan();
        let prefix = plan.map_or_else(
            || "+".to_owned(),
            |plan| format!("+{}", plan.calling_code()),
        );
        let national = self.0.strip_prefix(&prefix).unwrap_or_default();
        let head = national.len().saturating_sub(GLIMPSE_HIDDEN).min(3);
        let tail = &self.0[self.0.len() - 2..];
        match &national[..head] {
            "" => format!("{prefix} ••• ••{tail}"),
            head => format!("{prefix} {head} ••• ••{tail}"),
        }
    }

    /// Returns the number in libphonenumber's form and its country's current numbering, so that all
    /// spellings of a number compare equal.
    fn canonical(&self) -> Result<Self, PhoneNumberError> {
        let number = self.rewritten()?;
        // Some impossible numbers lose another digit each time they are parsed. Such numbers would
        // never compare equal to a provider's sender.
        if number.rewritten()? == number {
            Ok(number)
        } else {
            Err(PhoneNumberError::NotPossible)
        }
    }

    fn rewritten(&self) -> Result<Self, PhoneNumberError> {
        let number = plan::Number::parse(self.0.trim_start_matches('+'))
            .filter(plan::Number::is_possible)
            .ok_or(PhoneNumberError::NotPossible)?;
        Self::parse_e164(&number.e164()).map_err(|_| PhoneNumberError::NotPossible)
    }

    /// Loads the numbering plans and compiles the patterns of the most common calling code, so that no
    /// request has to wait for this.
    pub fn warm_up() {
        let _ = Self::parse_international("+12025550100").map(|number| number.country());
    }
}

impl fmt::Debug for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn e164(text: &str) -> Result<String, PhoneNumberError> {
        PhoneNumber::parse_international(text).map(|number| number.as_str().to_owned())
    }

    #[test]
    fn callers_number_is_kept_as_e164() {
        assert_eq!(e164("+1 (202) 555-0100").as_deref(), Ok("+12025550100"));
        assert_eq!(e164("+44 20 7946 0018").as_deref(), Ok("+442079460018"));
        assert_eq!(e164("+49.151.23456789").as_deref(), Ok("+4915123456789"));
        assert_eq!(e164("+39 06 698 12345").as_deref(), Ok("+390669812345"));
        assert_eq!(e164("+44 (0)20 7946 0018").as_deref(), Ok("+442079460018"));
        assert_eq!(e164("tel:+1-202-555-0100").as_deref(), Ok("+12025550100"));
    }

    #[test]
    fn number_in_another_form_is_refused() {
        for text in [
            "",
            "+",
            "2025550100",
            "0044 20 7946 0018",
            "+1202555O100",
            "+1 202 555 0100 ext 4",
            "tel:2025550100",
            "+12025550100;phone-context=x",
            "+()",
        ] {
            assert_eq!(
                e164(text),
                Err(PhoneNumberError::NotInternational),
                "{text}"
            );
        }
    }

    #[test]
    fn impossible_number_is_refused() {
        for text in [
            "+1",
            "+980000000",
            "+1 555 0100",
            "+999 1234567",
            "+1202555010012345",
        ] {
            assert_eq!(e164(text), Err(PhoneNumberError::NotPossible), "{text}");
        }
    }

    #[test]
    fn sender_is_a_possible_number_with_or_without_its_plus() {
        for (text, number) in [
            ("+12025550100", "+12025550100"),
            ("12025550100", "+12025550100"),
            ("447700900123", "+447700900123"),
            ("393331234567", "+393331234567"),
            ("20223456789", "+20223456789"),
            ("+2025550100", "+2025550100"),
        ] {
            let sender = PhoneNumber::parse_sender(text).unwrap();
            assert_eq!(sender.as_str(), number);
        }
    }

    #[test]
    fn sender_that_is_no_number_is_refused() {
        for text in [
            "+1 2025550100",
            "ACME",
            "",
            "+",
            "++12025550100",
            "+0123456789",
            "0123456789",
            "+123456",
            "12345",
            "1234567",
            "+1234567",
            "70012345",
            "+70012345",
            "2025550100",
            "7911123456",
            "+999123456789",
            "123456789012345",
            "+1234567890123456",
            "whatsapp:+12025550100",
            "１２０２５５５０１００",
            " 12025550100",
            "12025550100 ",
        ] {
            assert!(PhoneNumber::parse_sender(text).is_err(), "{text}");
        }
    }

    #[test]
    fn country_of_a_number_is_found() {
        let country = |text| {
            PhoneNumber::parse_international(text)
                .unwrap()
                .country()
                .map(|c| c.to_string())
        };
        assert_eq!(country("+442079460018").as_deref(), Some("GB"));
        assert_eq!(country("+12025550100").as_deref(), Some("US"));
        assert_eq!(country("+14165550100").as_deref(), Some("CA"));
        assert_eq!(country("+4915123456789").as_deref(), Some("DE"));
    }

    #[test]
    fn type_of_a_number_is_found_as_far_as_the_plan_tells_it() {
        let number_type = |text| PhoneNumber::parse_e164(text).unwrap().number_type();
        for (text, expected) in [
            ("+12025550100", Some(NumberType::FixedLineOrMobile)),
            ("+18005550100", Some(NumberType::TollFree)),
            ("+447911123456", Some(NumberType::Mobile)),
            ("+442079460018", Some(NumberType::FixedLine)),
            ("+445612345678", Some(NumberType::Voip)),
            ("+4915123456789", Some(NumberType::Mobile)),
            ("+447700900123", None),
            ("+80012345678", Some(NumberType::TollFree)),
        ] {
            assert_eq!(number_type(text), expected, "{text}");
        }
    }

    #[test]
    fn debug_hides_the_middle_digits() {
        let number = PhoneNumber::parse_e164("+12025550100").unwrap();
        assert_eq!(format!("{number:?}"), "+120••••••00");
    }

    #[test]
    fn operators_see_the_begin_and_the_end() {
        for (number, shown) in [
            ("+491701234567", "+49 170 ••• ••67"),
            ("+12025550100", "+1 202 ••• ••00"),
            ("+4512345678", "+45 1 ••• ••78"),
            ("+2904567", "+290 ••• ••67"),
        ] {
            let number = PhoneNumber::parse_e164(number).unwrap();
            assert_eq!(number.glimpse(), shown);
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "\\PC{0,40}") {
            let _ = PhoneNumber::parse_international(&text);
            let _ = PhoneNumber::parse_sender(&text);
            let _ = PhoneNumber::parse_within(&text, "AR".parse().unwrap());
        }

        #[test]
        fn accepted_number_round_trips(digits in "[1-9][0-9]{6,14}") {
            if let Ok(number) = PhoneNumber::parse_international(&format!("+{digits}")) {
                prop_assert_eq!(PhoneNumber::parse_sender(number.as_str()), Ok(number.clone()));
                let _ = number.country();
            }
        }
    }
}
