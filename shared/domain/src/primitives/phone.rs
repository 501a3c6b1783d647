//! Phone numbers in E.164, and their countries.

mod number_type;
mod plan;
mod renumbered;
mod shape;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

pub use number_type::NumberType;

/// A phone number in E.164: `+`, then 7 to 15 digits, the first of them not zero.
///
/// `Debug` hides the middle of the number. `Display` is deliberately absent, so that no number
/// slips into a log.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PhoneNumber(String);

/// The reason why a text is not a phone number that can be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PhoneNumberError {
    /// Not `+` followed by digits, with only spaces, dots, hyphens and brackets between them.
    #[error("the phone number is not in international form: +, country code, number")]
    NotInternational,
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

    /// Parses a number in the international form that callers write (`+44 20 7946 0018`) and keeps
    /// it as E.164. The number must be *possible* according to libphonenumber's metadata, which
    /// includes fictional and newly opened ranges; only a text can tell whether it is assigned.
    ///
    /// # Errors
    ///
    /// Fails if the text is not in international form, or if no such number can exist.
    pub fn parse_international(text: &str) -> Result<Self, PhoneNumberError> {
        let rest = text
            .strip_prefix('+')
            .ok_or(PhoneNumberError::NotInternational)?;
        let allowed = |c: u8| c.is_ascii_digit() || b" ().-".contains(&c);
        if rest.is_empty() || text.len() > 64 || !rest.bytes().all(allowed) {
            return Err(PhoneNumberError::NotInternational);
        }
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        Self(format!("+{digits}")).canonical()
    }

    /// Parses the sender of a text as providers write it: digits, with or without the `+`.
    ///
    /// Without it the digits may be a number without its country code, which often is one of
    /// another country by its length (`2025550100` would be Egypt's). Therefore they must also begin
    /// as that country's numbers do.
    ///
    /// # Errors
    ///
    /// Fails for anything else, such as a name or a short code, and if no such number can exist.
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

    /// Parses a number as it is written within a country, digits alone: with the national prefix or
    /// without it (`07911123456` and `7911123456` in GB, `6505551212` in US).
    ///
    /// # Errors
    ///
    /// Fails if the country's numbering plan has no such number.
    pub fn parse_national(text: &str, country: Country) -> Result<Self, PhoneNumberError> {
        let is_plain = (1..=20).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
        let digits = is_plain.then(|| plan::from_within(&country.to_string(), text));
        let digits = digits.flatten().ok_or(PhoneNumberError::NotPossible)?;
        Self::parse_e164(&format!("+{digits}"))?.canonical()
    }

    /// Returns the number in E.164. Do not log it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the country of the number, if it has one: the country that its digits identify,
    /// otherwise the main country of its calling code.
    #[must_use]
    pub fn country(&self) -> Option<Country> {
        let number = plan::Number::parse(self.0.strip_prefix('+')?)?;
        number.country()?.parse::<Country>().ok()
    }

    /// Returns the number's type as far as the numbering plan of its country tells it, or `None` if the
    /// plan has no such number. Says nothing about the service that the number has today.
    #[must_use]
    pub fn number_type(&self) -> Option<NumberType> {
        plan::Number::parse(self.0.strip_prefix('+')?)?.number_type()
    }

    /// Returns the number with all but the first three and the last two digits hidden, for logs and
    /// pages (`+120•••••00`).
    #[must_use]
    pub fn masked(&self) -> String {
        let (head, tail) = (&self.0[..4], &self.0[self.0.len() - 2..]);
        format!("{head}{}{tail}", "•".repeat(self.0.len() - 6))
    }

    /// Returns the number as libphonenumber and its country write it today, so that all spellings of
    /// a number compare equal.
    fn canonical(&self) -> Result<Self, PhoneNumberError> {
        let number = self.rewritten()?;
        // Some impossible numbers lose another digit each time they are parsed. They would never
        // compare equal to a provider's sender.
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
    /// request pays for it.
    pub fn warm_up() {
        let _ = Self::parse_international("+12025550100").map(|number| number.country());
    }
}

impl fmt::Debug for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

/// A country, by its two-letter code (ISO 3166-1 alpha-2) in upper case.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr,
)]
pub struct Country([u8; 2]);

/// The error for a text that is not a country code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a country code has two letters, such as US or GB")]
pub struct MalformedCountry;

/// The error for a text that is neither a country code nor the beginning of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a country is two letters, such as GB, or the beginning of a number there, such as +44")]
pub struct UnknownCountry;

impl Country {
    /// Parses a country code, or the beginning of a number, which stands for the main country of its calling code unless
    /// it is a whole number.
    ///
    /// # Errors
    /// Fails if the text is neither, or no country has this calling code.
    pub fn parse_or_prefix(text: &str) -> Result<Self, UnknownCountry> {
        let Some(digits) = text.strip_prefix('+') else {
            return text.parse().map_err(|_| UnknownCountry);
        };
        if !(1..=15).contains(&digits.len()) || !digits.bytes().all(|c| c.is_ascii_digit()) {
            return Err(UnknownCountry);
        }
        let whole = plan::Number::parse(digits).filter(plan::Number::is_possible);
        let own = whole.and_then(|number| number.country());
        let country = own.or_else(|| plan::main_country(digits));
        country
            .and_then(|country| country.parse().ok())
            .ok_or(UnknownCountry)
    }

    /// Returns whether the country has a numbering plan, so that there are numbers of it.
    #[must_use]
    pub fn is_numbered(self) -> bool {
        plan::is_numbered(&self.to_string())
    }

    /// Returns the country whose networks the numbers of this one belong to: Guernsey, Jersey and the Isle of Man
    /// are numbered with the United Kingdom.
    #[must_use]
    pub fn numbered_with(self) -> Self {
        match &self.0 {
            b"GG" | b"JE" | b"IM" => Self(*b"GB"),
            _ => self,
        }
    }
}

impl FromStr for Country {
    type Err = MalformedCountry;

    /// Parses two letters in either case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Ok(Self([a.to_ascii_uppercase(), b.to_ascii_uppercase()]))
            }
            _ => Err(MalformedCountry),
        }
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
            "tel:+12025550100",
            "+12025550100;phone-context=x",
            "+１２０２５５５０１００",
            " +12025550100",
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
            "+()",
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
    fn national_number_is_completed_by_its_country() {
        for (country, text, number) in [
            ("US", "6505551212", "+16505551212"),
            ("US", "16505551212", "+16505551212"),
            ("CA", "4165550100", "+14165550100"),
            ("GB", "07700900123", "+447700900123"),
            ("GB", "7700900123", "+447700900123"),
            ("JE", "07797712345", "+447797712345"),
            ("DE", "015123456789", "+4915123456789"),
            ("FR", "0612345678", "+33612345678"),
            ("ES", "612345678", "+34612345678"),
            ("IT", "3331234567", "+393331234567"),
            ("IT", "0669812345", "+390669812345"),
            ("HU", "06201234567", "+36201234567"),
            ("RU", "89161234567", "+79161234567"),
            ("KZ", "87710009998", "+77710009998"),
            ("IN", "09876543210", "+919876543210"),
            ("JP", "09012345678", "+819012345678"),
            ("AU", "0412345678", "+61412345678"),
            ("AR", "0111523456789", "+5491123456789"),
            ("CI", "0707123456", "+2250707123456"),
        ] {
            let country = country.parse().unwrap();
            let parsed = PhoneNumber::parse_national(text, country).unwrap();
            assert_eq!(parsed.as_str(), number, "{country}: {text}");
        }
    }

    #[test]
    fn number_that_the_country_does_not_have_is_refused() {
        for (country, text) in [
            ("US", "5551212"),
            ("US", "447700900123"),
            ("US", "01144770090012"),
            ("GB", "12345"),
            ("GB", "0"),
            ("FR", "2025550100"),
            ("FR", "ACME"),
            ("FR", "06 12 34 56 78"),
            ("FR", "+33612345678"),
            ("FR", "٠٦١٢٣٤٥٦٧٨"),
            ("FR", ""),
            ("AQ", "612345678"),
        ] {
            let country: Country = country.parse().unwrap();
            let parsed = PhoneNumber::parse_national(text, country);
            assert_eq!(
                parsed,
                Err(PhoneNumberError::NotPossible),
                "{country}: {text}"
            );
        }
    }

    #[test]
    fn country_without_a_numbering_plan_is_known() {
        let is_numbered = |text: &str| text.parse::<Country>().unwrap().is_numbered();
        assert!(is_numbered("GB") && is_numbered("gb") && is_numbered("JE"));
        assert!(!is_numbered("UK") && !is_numbered("AQ") && !is_numbered("ZZ"));
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
            ("+44 7", ""),
        ] {
            let expected = (!country.is_empty()).then(|| country.to_owned());
            assert_eq!(of(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn debug_hides_the_middle_digits() {
        let number = PhoneNumber::parse_e164("+12025550100").unwrap();
        assert_eq!(format!("{number:?}"), "+120••••••00");
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "\\PC{0,40}") {
            let _ = PhoneNumber::parse_international(&text);
            let _ = PhoneNumber::parse_sender(&text);
            let _ = PhoneNumber::parse_national(&text, Country(*b"AR"));
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
