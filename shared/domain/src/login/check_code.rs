//! Check codes: two digits that the phone shows and the person types into the browser. They prove
//! that the browser that gets the payload is in front of the person.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use crate::primitives::entropy::Entropy;

/// Number of different wrong check codes after which a login is blocked.
pub const MAX_MISSES: u8 = 3;

/// Number of possible check codes.
const CODES: u8 = 100;

/// Two digits, from `00` to `99`. Codes are stored in plain text, because a hash of one of a hundred
/// values would hide nothing. `Debug` hides the digits; comparison takes constant time.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct CheckCode(u8);

/// The error for a malformed check code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a check code is two digits")]
pub struct MalformedCheckCode;

impl CheckCode {
    /// Draws a code. All codes are equally likely, to within 2^-57.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 8];
        entropy.fill(&mut bytes);
        let scaled = (u128::from(u64::from_le_bytes(bytes)) * u128::from(CODES)) >> 64;
        Self(u8::try_from(scaled).unwrap_or_default())
    }

    /// Restores a code from its number, for stores.
    ///
    /// # Errors
    ///
    /// Fails if the number is greater than 99.
    pub const fn from_number(number: u8) -> Result<Self, MalformedCheckCode> {
        if number < CODES {
            Ok(Self(number))
        } else {
            Err(MalformedCheckCode)
        }
    }

    /// Returns the number, from 0 to 99.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the two digits, which may be shown only on the phone.
    #[must_use]
    pub fn digits(self) -> String {
        format!("{:02}", self.0)
    }
}

impl FromStr for CheckCode {
    type Err = MalformedCheckCode;

    /// Parses exactly two ASCII digits.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
                Ok(Self((tens - b'0') * 10 + (ones - b'0')))
            }
            _ => Err(MalformedCheckCode),
        }
    }
}

impl PartialEq for CheckCode {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for CheckCode {}

impl fmt::Debug for CheckCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CheckCode(…)")
    }
}

/// The different wrong check codes that a browser has sent for a login: fewer than [`MAX_MISSES`],
/// oldest first. Sending a wrong code again tells the browser nothing new, so it is not counted: a
/// browser may repeat a request whose answer was lost.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MissedCodes(Vec<CheckCode>);

impl MissedCodes {
    /// Returns how many more different wrong codes block the login: from 1 to [`MAX_MISSES`].
    #[must_use]
    pub fn tries_left(&self) -> u8 {
        let missed = u8::try_from(self.0.len()).unwrap_or(u8::MAX);
        MAX_MISSES.saturating_sub(missed)
    }

    /// Returns whether this code was sent before.
    #[must_use]
    pub fn contains(&self, code: CheckCode) -> bool {
        self.0.contains(&code)
    }

    /// Adds a wrong code that was not sent before; `None` if it is one too many.
    #[must_use]
    pub fn with(mut self, code: CheckCode) -> Option<Self> {
        self.0.push(code);
        (self.tries_left() > 0).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    fn code(number: u8) -> CheckCode {
        CheckCode::from_number(number).unwrap()
    }

    #[test]
    fn check_code_is_two_digits() {
        for number in 0..=99 {
            let digits = code(number).digits();
            assert_eq!(digits.len(), 2);
            assert_eq!(digits.parse(), Ok(code(number)));
        }
        for bad in [
            "", "7", "007", " 7", "7 ", "+7", "-7", "7a", "٣٤", "３４", "1\n",
        ] {
            assert_eq!(bad.parse::<CheckCode>(), Err(MalformedCheckCode), "{bad:?}");
        }
        assert_eq!(CheckCode::from_number(100), Err(MalformedCheckCode));
    }

    #[test]
    fn generated_codes_spread_over_all_digits() {
        struct High(u8);
        impl Entropy for High {
            fn fill(&self, buffer: &mut [u8]) {
                buffer.fill(0);
                buffer[7] = self.0;
            }
        }
        let drawn: BTreeSet<u8> = (0..=255)
            .map(|byte| CheckCode::generate(&High(byte)).number())
            .collect();
        assert_eq!(drawn, (0..=99).collect());
        assert_eq!(CheckCode::generate(&FixedEntropy(0)), code(0));
        assert_eq!(CheckCode::generate(&FixedEntropy(0xff)), code(99));
    }

    #[test]
    fn third_different_miss_is_one_too_many() {
        let none = MissedCodes::default();
        assert_eq!(none.tries_left(), 3);
        let one = none.with(code(1)).unwrap();
        assert_eq!(one.tries_left(), 2);
        assert!(one.contains(code(1)) && !one.contains(code(2)));
        let two = one.with(code(2)).unwrap();
        assert_eq!(two.tries_left(), 1);
        assert_eq!(two.with(code(3)), None);
    }

    #[test]
    fn debug_hides_the_digits() {
        assert_eq!(format!("{:?}", code(42)), "CheckCode(…)");
        let missed = MissedCodes::default().with(code(42)).unwrap();
        assert!(!format!("{missed:?}").contains("42"));
    }
}
