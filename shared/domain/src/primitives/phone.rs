//! Phone numbers in E.164, and the countries that they belong to.

use std::fmt;
use std::str::FromStr;

use rlibphonenumber::{NumberLengthType, PHONE_NUMBER_UTIL, PhoneNumberFormat};
use thiserror::Error;

/// A phone number in E.164: `+`, then 7 to 15 digits, the first of them not zero.
///
/// `Debug` shows the country part and the last two digits only; `Display` is deliberately absent,
/// so that a number does not slip into a log.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhoneNumber(String);

/// Why a text is no phone number that can be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PhoneNumberError {
    /// Not `+` and then digits, with no more than spaces, dots, hyphens and brackets between.
    #[error("a phone number is written in international form: +, country code, number")]
    NotInternational,
    /// No country has that calling code, or the country has no numbers of that length.
    #[error("no such phone number can exist: its country code or its length does not exist")]
    NotPossible,
}

impl PhoneNumber {
    /// Reads E.164 exactly as a provider gives a sender: `^\+[1-9]\d{6,14}$`, nothing else.
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

    /// Reads a number as a caller writes it, in international form (`+44 20 7946 0018`), and keeps
    /// it as E.164. The number must be *possible* by libphonenumber's metadata, which fictional
    /// and newly opened ranges are; whether it is assigned to someone only a text can tell.
    pub fn parse_international(text: &str) -> Result<Self, PhoneNumberError> {
        let rest = text
            .strip_prefix('+')
            .ok_or(PhoneNumberError::NotInternational)?;
        let allowed = |c: u8| c.is_ascii_digit() || b" ().-".contains(&c);
        if rest.is_empty() || text.len() > 64 || !rest.bytes().all(allowed) {
            return Err(PhoneNumberError::NotInternational);
        }
        let number = normalise(text)?;
        // Some impossible-looking numbers lose another digit each time they are read. What a
        // provider sends could not be compared with them.
        if normalise(&number.0)? == number {
            Ok(number)
        } else {
            Err(PhoneNumberError::NotPossible)
        }
    }

    /// Reads the sender of a text: it must have the form of E.164, and is kept as libphonenumber
    /// writes it where it knows the number, so that it compares equal to what a caller asked for.
    pub fn parse_sender(text: &str) -> Result<Self, PhoneNumberError> {
        let as_given = Self::parse_e164(text)?;
        Ok(Self::parse_international(text).unwrap_or(as_given))
    }

    /// The number in E.164. Do not log it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The country that the number belongs to, where it belongs to one: the number's own where its
    /// digits tell, else the main country of its calling code.
    #[must_use]
    pub fn country(&self) -> Option<Country> {
        let parsed = PHONE_NUMBER_UTIL.parse(&self.0, None).ok()?;
        let region = PHONE_NUMBER_UTIL
            .get_region_for_number(&parsed)
            .or_else(|| PHONE_NUMBER_UTIL.get_region_for_country_code(parsed.country_code))?;
        let [first, second] = (region as u16).to_be_bytes();
        std::str::from_utf8(&[first, second])
            .ok()?
            .parse::<Country>()
            .ok()
    }

    /// The number with all but the first three and the last two digits hidden, for logs and pages
    /// (`+120•••••00`).
    #[must_use]
    pub fn masked(&self) -> String {
        let (head, tail) = (&self.0[..4], &self.0[self.0.len() - 2..]);
        format!("{head}{}{tail}", "•".repeat(self.0.len() - 6))
    }

    /// Loads libphonenumber's metadata, which takes tens of milliseconds at the first parse, so
    /// that no request pays for it.
    pub fn warm_up() {
        let _ = Self::parse_international("+12025550100").map(|number| number.country());
    }
}

/// A number as libphonenumber writes it in E.164, if it is possible.
fn normalise(text: &str) -> Result<PhoneNumber, PhoneNumberError> {
    let parsed = PHONE_NUMBER_UTIL
        .parse(text, None)
        .map_err(|_| PhoneNumberError::NotPossible)?;
    match PHONE_NUMBER_UTIL.is_possible_number_with_reason(&parsed) {
        Ok(NumberLengthType::IsPossible) => {}
        Ok(NumberLengthType::IsPossibleLocalOnly) | Err(_) => {
            return Err(PhoneNumberError::NotPossible);
        }
    }
    let e164 = PHONE_NUMBER_UTIL.format(&parsed, PhoneNumberFormat::E164);
    PhoneNumber::parse_e164(&e164).map_err(|_| PhoneNumberError::NotPossible)
}

impl fmt::Debug for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

/// A country by its two-letter code (ISO 3166-1 alpha-2), upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

/// A text that is not two letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a country is written as its two letters, such as US or GB")]
pub struct MalformedCountry;

impl FromStr for Country {
    type Err = MalformedCountry;

    /// Reads two letters in either case.
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
    fn a_callers_number_is_kept_as_e164() {
        assert_eq!(e164("+1 (202) 555-0100").as_deref(), Ok("+12025550100"));
        assert_eq!(e164("+44 20 7946 0018").as_deref(), Ok("+442079460018"));
        assert_eq!(e164("+49.151.23456789").as_deref(), Ok("+4915123456789"));
        assert_eq!(e164("+39 06 698 12345").as_deref(), Ok("+390669812345"));
    }

    #[test]
    fn what_is_not_international_is_refused() {
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
    fn what_cannot_exist_is_refused() {
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
    fn a_sender_must_be_e164_to_the_letter() {
        assert!(PhoneNumber::parse_sender("+12025550100").is_ok());
        for text in [
            "12025550100",
            "+1 2025550100",
            "ACME",
            "+0123456789",
            "+123456",
            "whatsapp:+12025550100",
        ] {
            assert!(PhoneNumber::parse_sender(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_number_knows_its_country() {
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
    fn debug_hides_the_middle() {
        let number = PhoneNumber::parse_e164("+12025550100").unwrap();
        assert_eq!(format!("{number:?}"), "+120••••••00");
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "\\PC{0,40}") {
            let _ = PhoneNumber::parse_international(&text);
            let _ = PhoneNumber::parse_sender(&text);
        }

        #[test]
        fn what_is_kept_reads_back_the_same(digits in "[1-9][0-9]{6,14}") {
            if let Ok(number) = PhoneNumber::parse_international(&format!("+{digits}")) {
                prop_assert_eq!(PhoneNumber::parse_sender(number.as_str()), Ok(number.clone()));
                let _ = number.country();
            }
        }
    }
}
