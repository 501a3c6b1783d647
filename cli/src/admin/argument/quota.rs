//! Arguments about quotas.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// A limit of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuotaNumber {
    /// The limit of an app without a setting.
    Default,
    /// This number.
    Is(NonZeroU32),
}

impl QuotaNumber {
    /// Returns the number; `None` for the default.
    pub(crate) const fn number(self) -> Option<NonZeroU32> {
        match self {
            Self::Default => None,
            Self::Is(number) => Some(number),
        }
    }
}

impl FromStr for QuotaNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "default" {
            return Ok(Self::Default);
        }
        let number = text.parse().map(Self::Is);
        number.map_err(|_| format!("must be a number from 1 to {}, or `default`", u32::MAX))
    }
}

impl fmt::Display for QuotaNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Is(number) => number.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_the_default_round_trip() {
        for text in ["1", "4294967295", "default"] {
            let parsed = text.parse::<QuotaNumber>();
            assert_eq!(parsed.map(|number| number.to_string()).as_deref(), Ok(text));
        }
        for bad in ["", "0", "-1", "1.5", "4294967296", "many"] {
            assert!(bad.parse::<QuotaNumber>().is_err(), "{bad}");
        }
    }
}
